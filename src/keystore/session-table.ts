/** Sessions of browsers: of the secret in their cookie its SHA-256 alone is stored. */
import { dayMs } from '../base/clock.ts';
import { timingSafeEqual } from 'node:crypto';
import { limits } from '../base/limits.ts';
import type { Session } from '../domain/access/model.ts';
import type { Connection, Statement } from '../journal/database.ts';

export interface StoredSession extends Omit<Session, 'token'> {
  /** Null for a user of the host. */
  readonly tokenId: number | null;
  /** Milliseconds since 1970, as it was last written. */
  readonly seenAt: number;
}

export interface UsedSession {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

interface Row extends Omit<StoredSession, 'user'> {
  readonly hash: Buffer;
  readonly userName: string | null;
  readonly userId: number | null;
}

const columns = `id, hash, token_id AS tokenId, user_name AS userName, user_id AS userId, opened_at AS openedAt,
  seen_at AS seenAt, address, agent`;

const statements = {
  byHash: `SELECT ${columns} FROM session WHERE hash = ?`,
  byId: `SELECT ${columns} FROM session WHERE id = ?`,
  all: `SELECT ${columns} FROM session ORDER BY opened_at DESC, id`,
  put: `INSERT INTO session (id, hash, token_id, user_name, user_id, opened_at, seen_at, address, agent)
    VALUES (@id, @hash, @tokenId, @userName, @userId, @openedAt, @openedAt, @address, @agent)`,
  delete: 'DELETE FROM session WHERE id = ?',
  deleteOfToken: 'DELETE FROM session WHERE token_id = ?',
  deleteBefore: 'DELETE FROM session WHERE opened_at < ?',
  stamp: 'UPDATE session SET seen_at = @at WHERE id = @id',
} as const;

export class SessionTable {
  readonly #statements: Readonly<Record<keyof typeof statements, Statement>>;

  constructor(connection: Connection) {
    const prepared = Object.entries(statements).map(([name, sql]) => [
      name,
      connection.prepare(sql),
    ]);
    this.#statements = Object.fromEntries(prepared);
  }

  /** The session whose secret has this SHA-256. */
  byHash(hash: Buffer): StoredSession | undefined {
    const row = this.#statements.byHash.get(hash) as Row | undefined;
    return row !== undefined && timingSafeEqual(row.hash, hash) ? sessionOf(row) : undefined;
  }

  byId(id: string): StoredSession | undefined {
    const row = this.#statements.byId.get(id) as Row | undefined;
    return row && sessionOf(row);
  }

  /** All of them, the newest first; some may be over. */
  all(): StoredSession[] {
    return (this.#statements.all.all() as Row[]).map(sessionOf);
  }

  /** Sessions that no configuration lets live any more go at the same time. */
  put({ token, user, ...session }: Session, hash: Buffer): void {
    this.#statements.deleteBefore.run(session.openedAt - limits.sessionDays * dayMs);
    const tokenId = token?.id ?? null;
    const [userName, userId] = [user?.name ?? null, user?.uid ?? null];
    this.#statements.put.run({ ...session, hash, tokenId, userName, userId });
  }

  delete(id: string): void {
    this.#statements.delete.run(id);
  }

  deleteOfToken(tokenId: number): void {
    this.#statements.deleteOfToken.run(tokenId);
  }

  stamp(use: UsedSession): void {
    this.#statements.stamp.run(use);
  }
}

function sessionOf({ hash: _, userName, userId, ...row }: Row): StoredSession {
  const user = userName === null || userId === null ? null : { name: userName, uid: userId };
  return { ...row, user };
}
