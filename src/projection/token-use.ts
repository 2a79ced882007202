/**
 * When tokens were last used: stamped at most once a minute each, kept in memory between flushes.
 * Outside replay.
 */
import type { Connection, Statement } from '../journal/database.ts';
import { type SideWrites, sideWrites } from '../journal/side-writes.ts';

/** Milliseconds in which further uses of a token are not stamped. */
const stampMs = 60_000;

export class TokenUse {
  readonly #writes: SideWrites;
  readonly #put: Statement;
  readonly #last: Statement;
  readonly #stamped = new Map<number, number>();
  readonly #pending = new Map<number, number>();

  constructor(connection: Connection, writes: SideWrites = sideWrites(connection)) {
    this.#writes = writes;
    // A token may be deleted before its use is written; its id is never given out again.
    this.#put = connection.prepare(
      `INSERT INTO token_use (token_id, last_used_at) SELECT id, ? FROM token WHERE id = ?
       ON CONFLICT DO UPDATE SET last_used_at = max(last_used_at, excluded.last_used_at)`,
    );
    this.#last = connection.prepare('SELECT last_used_at AS at FROM token_use WHERE token_id = ?');
    const orphaned = 'DELETE FROM token_use WHERE token_id NOT IN (SELECT id FROM token)';
    writes.run(() => void connection.exec(orphaned));
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

  /** Writes what was noted, when it can be. Called now and then, before reads of tokens, and at the end. */
  flush(): void {
    if (this.#pending.size === 0) return;
    const isWritten = this.#writes.run(() => {
      for (const [tokenId, at] of this.#pending) this.#put.run(at, tokenId);
    });
    if (isWritten) this.#pending.clear();
  }
}
