/**
 * Texts that clients keep for the service, as they can neither be read nor made up by them. The same bytes are always
 * sealed alike: what authenticates them is the nonce of their cipher, as in RFC 5297.
 */
import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';

const nonceBytes = 16;
const cipherName = 'aes-256-ctr';

export class SealedTexts {
  readonly #authenticates: Buffer;
  readonly #encrypts: Buffer;

  /** `keyFor` makes a key of 32 bytes for a purpose. */
  constructor(keyFor: (purpose: string) => Buffer, purpose: string) {
    this.#authenticates = keyFor(`${purpose}: authenticates`);
    this.#encrypts = keyFor(`${purpose}: encrypts`);
  }

  seal(content: Buffer): string {
    const nonce = this.#nonceOf(content);
    const cipher = createCipheriv(cipherName, this.#encrypts, nonce);
    return Buffer.concat([nonce, cipher.update(content), cipher.final()]).toString('base64url');
  }

  /** Undefined for a text that was not sealed here. */
  open(text: string): Buffer | undefined {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.toString('base64url') !== text || bytes.length < nonceBytes) return undefined;
    const nonce = bytes.subarray(0, nonceBytes);
    const decipher = createDecipheriv(cipherName, this.#encrypts, nonce);
    const content = Buffer.concat([decipher.update(bytes.subarray(nonceBytes)), decipher.final()]);
    return timingSafeEqual(nonce, this.#nonceOf(content)) ? content : undefined;
  }

  #nonceOf(content: Buffer): Buffer {
    const code = createHmac('sha256', this.#authenticates).update(content).digest();
    return code.subarray(0, nonceBytes);
  }
}
