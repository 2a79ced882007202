/**
 * When tokens were last used: stamped at most once a minute each, kept in memory between flushes, and read from there
 * first: no read waits for a write. Outside replay.
 */
import { Problem } from '../base/problem.ts';
import type { Connection, Statement } from '../journal/database.ts';

/** Milliseconds in which further uses of a token are not stamped. */
const stampMs = 60_000;

export interface UsedToken {
  readonly tokenId: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export class TokenUse {
  readonly #write: (uses: readonly UsedToken[]) => Promise<unknown>;
  readonly #last: Statement;
  readonly #stamped = new Map<number, number>();
  readonly #pending = new Map<number, number>();

  /** `write` has them stored; it rejects with a Problem when that can not be done now. */
  constructor(connection: Connection, write: (uses: readonly UsedToken[]) => Promise<unknown>) {
    this.#write = write;
    this.#last = connection.prepare('SELECT last_used_at AS at FROM token_use WHERE token_id = ?');
  }

  /** Notes that a token was used; it is written with the next flush. */
  stamp(tokenId: number, now: number): void {
    let last = this.#stamped.get(tokenId);
    if (last === undefined) {
      last = (this.#last.get(tokenId) as { at: number } | undefined)?.at ?? -stampMs;
      this.#stamped.set(tokenId, last);
    }
    if (now - last < stampMs) return;
    this.#stamped.set(tokenId, now);
    this.#pending.set(tokenId, now);
  }

  /** When a token was used, if that is not written yet. In milliseconds since 1970. */
  buffered(tokenId: number): number | undefined {
    return this.#pending.get(tokenId);
  }

  /** Writes what was noted, when it can be. Called now and then, and at the end. */
  async flush(): Promise<void> {
    const uses = Array.from(this.#pending, ([tokenId, at]) => ({ tokenId, at }));
    if (uses.length === 0) return;
    try {
      await this.#write(uses);
    } catch (error) {
      if (error instanceof Problem) return;
      throw error;
    }
    for (const { tokenId, at } of uses) {
      if (this.#pending.get(tokenId) === at) this.#pending.delete(tokenId);
    }
  }
}

/** The table, for the one who writes it. */
export class TokenUseStore {
  readonly #put: Statement;
  readonly #forgetDeleted: Statement;

  constructor(connection: Connection) {
    // A token may be deleted before its use is written; its id is never given out again.
    this.#put = connection.prepare(
      `INSERT INTO token_use (token_id, last_used_at) SELECT id, ? FROM token WHERE id = ?
       ON CONFLICT DO UPDATE SET last_used_at = max(last_used_at, excluded.last_used_at)`,
    );
    this.#forgetDeleted = connection.prepare(
      'DELETE FROM token_use WHERE token_id NOT IN (SELECT id FROM token)',
    );
  }

  put(uses: readonly UsedToken[]): void {
    for (const { tokenId, at } of uses) this.#put.run(at, tokenId);
  }

  /** Deletes the uses of tokens that do not exist any more. */
  forgetDeleted(): void {
    this.#forgetDeleted.run();
  }
}
