/**
 * Sealing: secrets that must be readable again are stored encrypted (AES-256-GCM) under a key in a file
 * beside the database, so that a copy of the database alone tells none of them.
 *
 * The file holds 32 random bytes in base64, mode 0600, and is made once. A sealed value is bound to
 * what it is for: moved to another row it can not be opened.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createFile, removePartial } from '../journal/data-file.ts';
import { accessErrorOf, isThere } from '../journal/file-access.ts';

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** The key file is missing, unreadable or not the one that sealed this database. */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError';
}

export class Sealer {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** Seals `secret` for one purpose, such as `tsig 7`. */
  seal(secret: Buffer, purpose: string): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    cipher.setAAD(Buffer.from(purpose));
    const body = Buffer.concat([cipher.update(secret), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  }

  /** Opens what was sealed for the same purpose; KeyFileError when the key is another. */
  open(sealed: Buffer, purpose: string): Buffer {
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, nonceBytes));
      decipher.setAAD(Buffer.from(purpose));
      decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
      const body = sealed.subarray(nonceBytes + tagBytes);
      return Buffer.concat([decipher.update(body), decipher.final()]);
    } catch {
      throw new KeyFileError('a secret can not be opened with the key in the key file');
    }
  }

  /** A key of its own for one purpose (RFC 5869), which tells nothing of that in the file. */
  keyFor(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#key, '', `zonebook ${purpose}`, keyBytes));
  }
}

export interface KeyFileOptions {
  /** Makes it where it is missing. */
  readonly mayCreate?: boolean;
  /** Takes one that others can read. */
  readonly mayBeExposed?: boolean;
}

/**
 * Reads the key file. KeyFileError when it is missing, no key, or others than its owner and group can read it;
 * AccessError when this process can not.
 */
export function openKeyFile(
  path: string,
  { mayCreate = false, mayBeExposed = false }: KeyFileOptions = {},
): Sealer {
  if (!isThere(path)) {
    if (!mayCreate) {
      throw new KeyFileError(
        `${path} is missing: the database holds secrets that were sealed with it; put it back from a backup`,
      );
    }
    createKeyFile(path);
  } else if (mayCreate) {
    removePartial(path);
  }
  let text: string;
  let mode: number;
  try {
    text = readFileSync(path, 'utf8').trim();
    mode = statSync(path).mode;
  } catch (error) {
    const denied = accessErrorOf(error as NodeJS.ErrnoException, path, 'read');
    throw denied ?? new KeyFileError(`${path} can not be read: ${(error as Error).message}`);
  }
  if ((mode & 0o007) !== 0 && !mayBeExposed) {
    const octal = (mode & 0o777).toString(8).padStart(4, '0');
    throw new KeyFileError(
      `${path} has mode ${octal}: everybody on this host can use the key that seals private keys and secrets. ` +
        `'chmod 600 ${path}', or start with 'zonebook serve --insecure-key-file'`,
    );
  }
  const key = Buffer.from(text, 'base64');
  if (key.length !== keyBytes) {
    throw new KeyFileError(`${path} is no key file: it does not hold ${keyBytes} bytes in base64`);
  }
  return new Sealer(key);
}

function createKeyFile(path: string): void {
  try {
    createFile(path, `${randomBytes(keyBytes).toString('base64')}\n`);
  } catch (error) {
    throw accessErrorOf(error as NodeJS.ErrnoException, path, 'make files in') ?? error;
  }
}
