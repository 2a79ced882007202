/**
 * The keystore: token hashes, sessions and TSIG secrets, written in the commit of the event that made them and
 * really deleted with it.
 */
import { timingSafeEqual } from 'node:crypto';
import { Memory } from '../base/memory.ts';
import { Problem, unreachable } from '../base/problem.ts';
import type { SecretChange } from '../domain/decision.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { KeyFileError, openKeyFile, type Sealer } from './sealing.ts';
import { SessionTable } from './session-table.ts';

/** Hashes of token secrets kept in memory. */
const keptTokens = 10_000;

/** Secrets of TSIG keys kept in memory, unsealed. */
const keptTsigSecrets = 1000;

const checkText = Buffer.from('zonebook key file');

function checkValueOf(connection: Connection): { sealed: Buffer } | undefined {
  return connection.prepare('SELECT sealed FROM key_file_check').get() as
    | { sealed: Buffer }
    | undefined;
}

function verifyKey(sealer: Sealer, sealed: Buffer, keyFile: string): void {
  try {
    sealer.open(sealed, 'check');
  } catch {
    throw new KeyFileError(
      `${keyFile} is not the key file of this database: its secrets were sealed with another one`,
    );
  }
}

/** KeyFileError when a key file is not the one of a database, whoever can read it. Makes none, and changes nothing. */
export function checkKeyFileOf(connection: Connection, keyFile: string): void {
  const check = checkValueOf(connection);
  if (check === undefined) return;
  verifyKey(openKeyFile(keyFile, { mayBeExposed: true }), check.sealed, keyFile);
}

/** Every statement of the keystore: each is about one row, or the keys of one zone. */
const statements = {
  tokenByHash: 'SELECT token_id AS tokenId, hash FROM token_secret WHERE hash = ?',
  putTokenHash: 'INSERT INTO token_secret (token_id, hash) VALUES (?, ?)',
  deleteTokenHash: 'DELETE FROM token_secret WHERE token_id = ?',
  tsigSecret: 'SELECT sealed FROM tsig_secret WHERE key_id = ?',
  putTsigSecret: 'INSERT INTO tsig_secret (key_id, sealed) VALUES (?, ?)',
  deleteTsigSecret: 'DELETE FROM tsig_secret WHERE key_id = ?',
  webhookSecret: 'SELECT sealed FROM webhook_secret WHERE webhook_id = ?',
  putWebhookSecret: 'INSERT OR REPLACE INTO webhook_secret (webhook_id, sealed) VALUES (?, ?)',
  deleteWebhookSecret: 'DELETE FROM webhook_secret WHERE webhook_id = ?',
  signingKey: 'SELECT sealed FROM signing_key_secret WHERE key_id = ?',
  putSigningKey: 'INSERT INTO signing_key_secret (key_id, zone_id, sealed) VALUES (?, ?, ?)',
  deleteSigningKey: 'DELETE FROM signing_key_secret WHERE key_id = ?',
  deleteSigningKeys: 'DELETE FROM signing_key_secret WHERE zone_id = ?',
} as const;

type Statements = Readonly<Record<keyof typeof statements, Statement>>;

export class Keystore {
  readonly #sealer: Sealer;
  readonly #statements: Statements;
  readonly sessions: SessionTable;
  readonly #tokenIds = new Memory<string, number | undefined>(keptTokens);
  readonly #tsigSecrets = new Memory<number, Buffer | undefined>(keptTsigSecrets);

  /**
   * Opens the key file, making it for a new database. KeyFileError when it is not the right one, or others can read
   * it and may not.
   */
  constructor(connection: Connection, keyFile: string, mayBeExposed = false) {
    const check = checkValueOf(connection);
    this.#sealer = openKeyFile(keyFile, { mayCreate: check === undefined, mayBeExposed });
    if (check === undefined) {
      connection
        .prepare('INSERT INTO key_file_check (id, sealed) VALUES (1, ?)')
        .run(this.#sealer.seal(checkText, 'check'));
    } else {
      verifyKey(this.#sealer, check.sealed, keyFile);
    }
    this.sessions = new SessionTable(connection);
    const prepared = Object.entries(statements).map(([name, sql]) => [
      name,
      connection.prepare(sql),
    ]);
    this.#statements = Object.fromEntries(prepared) as Statements;
  }

  /** A key for what is sealed and not stored; the same after each start. */
  keyFor(purpose: string): Buffer {
    return this.#sealer.keyFor(purpose);
  }

  apply(change: SecretChange): void {
    const run = this.#statements;
    switch (change.kind) {
      case 'put-token-hash':
        run.putTokenHash.run(change.tokenId, change.hash);
        return;
      case 'delete-token-hash':
        this.#tokenIds.forget();
        run.deleteTokenHash.run(change.tokenId);
        this.sessions.deleteOfToken(change.tokenId);
        return;
      case 'put-session':
        this.sessions.put(change.session, change.hash);
        return;
      case 'delete-session':
        this.sessions.delete(change.id);
        return;
      case 'put-tsig-secret':
        run.putTsigSecret.run(change.keyId, this.#sealer.seal(change.secret, tsigPurpose(change)));
        return;
      case 'delete-tsig-secret':
        this.#tsigSecrets.forget();
        run.deleteTsigSecret.run(change.keyId);
        return;
      case 'put-webhook-secret': {
        const { webhookId, secret } = change;
        run.putWebhookSecret.run(webhookId, this.#sealer.seal(secret, hookPurpose(webhookId)));
        return;
      }
      case 'delete-webhook-secret':
        run.deleteWebhookSecret.run(change.webhookId);
        return;
      case 'put-signing-key': {
        const { keyId, zoneId, privateKey } = change;
        run.putSigningKey.run(keyId, zoneId, this.#sealer.seal(privateKey, keyPurpose(keyId)));
        return;
      }
      case 'delete-signing-key':
        run.deleteSigningKey.run(change.keyId);
        return;
      case 'delete-signing-keys':
        run.deleteSigningKeys.run(change.zoneId);
        return;
      default:
        unreachable(change);
    }
  }

  /** Drops what is kept of secrets that may be deleted: whoever did not write that hears of it. */
  forget(): void {
    this.#tokenIds.forget();
    this.#tsigSecrets.forget();
  }

  /** The id of the token whose secret has this SHA-256; the hashes of tokens in use are kept. */
  tokenIdByHash(hash: Buffer): number | undefined {
    return this.#tokenIds.of(hash.latin1Slice(), () => {
      const row = this.#statements.tokenByHash.get(hash) as
        | { tokenId: number; hash: Buffer }
        | undefined;
      return row !== undefined && timingSafeEqual(row.hash, hash) ? row.tokenId : undefined;
    });
  }

  /** The secret of a TSIG key, the same buffer while it is kept: ids and secrets never change. */
  tsigSecret(keyId: number): Buffer | undefined {
    return this.#tsigSecrets.of(keyId, () => {
      const row = this.#statements.tsigSecret.get(keyId) as { sealed: Buffer } | undefined;
      return row && this.#sealer.open(row.sealed, tsigPurpose({ keyId }));
    });
  }

  /** What signs the deliveries of a webhook; undefined when there is none. */
  webhookSecret(webhookId: number): Buffer | undefined {
    const row = this.#statements.webhookSecret.get(webhookId) as { sealed: Buffer } | undefined;
    return row && this.#sealer.open(row.sealed, hookPurpose(webhookId));
  }

  /**
   * The private half of a signing key, PKCS #8 in DER; undefined when there is none.
   * DNSSEC_SIGNING_FAILED when what is stored can not be opened.
   */
  signingKey(keyId: number): Buffer | undefined {
    const row = this.#statements.signingKey.get(keyId) as { sealed: Buffer } | undefined;
    if (row === undefined) return undefined;
    try {
      return this.#sealer.open(row.sealed, keyPurpose(keyId));
    } catch {
      throw new Problem(
        'DNSSEC_SIGNING_FAILED',
        `the stored private half of signing key ${keyId} is damaged: the key file does not open it`,
      );
    }
  }
}

function tsigPurpose({ keyId }: { readonly keyId: number }): string {
  return `tsig ${keyId}`;
}

function hookPurpose(webhookId: number): string {
  return `webhook ${webhookId}`;
}

function keyPurpose(keyId: number): string {
  return `signing key ${keyId}`;
}

/** The ids of stored signing keys, each with whether the key file opens it. Changes nothing. */
export function* openedSigningKeys(
  connection: Connection,
  keyFile: string,
): Generator<{ readonly keyId: number; readonly opens: boolean }> {
  const sealer = openKeyFile(keyFile, { mayBeExposed: true });
  const rows = connection.prepare('SELECT key_id AS keyId, sealed FROM signing_key_secret');
  for (const { keyId, sealed } of rows.iterate() as Iterable<{ keyId: number; sealed: Buffer }>) {
    let opens = true;
    try {
      sealer.open(sealed, keyPurpose(keyId));
    } catch {
      opens = false;
    }
    yield { keyId, opens };
  }
}
