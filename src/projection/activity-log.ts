/**
 * What is known besides the journal, outside replay: who fetched which zone last, and when tokens were last used.
 * Kept in memory between flushes, so that a crash loses a little of it, and read from there first: no read waits for
 * a write.
 */
import { eq, notInArray, sql } from 'drizzle-orm';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import type { Connection } from '../journal/database.ts';
import type { StoredSession, UsedSession } from '../keystore/session-table.ts';
import { token, tokenUse, transfer, webhook, webhookCursor } from './schema.ts';
import { given, putting, type Tables, tablesOf } from './tables.ts';

/** Entries of one commit at most. */
const entriesPerWrite = 1000;

/** The latest entry of each key that is not written yet. */
class WriteBuffer<Key, Entry> {
  readonly #write: (entries: readonly Entry[]) => Promise<unknown>;
  readonly #entries = new Map<Key, Entry>();

  /** `write` has them stored; it rejects with a Problem when that can not be done now. */
  constructor(write: (entries: readonly Entry[]) => Promise<unknown>) {
    this.#write = write;
  }

  protected get entries(): ReadonlyMap<Key, Entry> {
    return this.#entries;
  }

  /** The latest stands last. False when it replaces another one. */
  protected put(key: Key, entry: Entry): boolean {
    const isNew = !this.#entries.delete(key);
    this.#entries.set(key, entry);
    return isNew;
  }

  protected dropOldest(): void {
    dropFirst(this.#entries);
  }

  /** Writes what was kept, when it can be; called now and then, and at the end. */
  async flush(): Promise<void> {
    const all = [...this.#entries];
    for (let start = 0; start < all.length; start += entriesPerWrite) {
      const entries = all.slice(start, start + entriesPerWrite);
      try {
        await this.#write(entries.map(([, entry]) => entry));
      } catch (error) {
        if (error instanceof Problem) return;
        throw error;
      }
      for (const [key, entry] of entries) {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      }
    }
  }
}

function dropFirst(map: Map<unknown, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}

export interface TransferEntry {
  readonly zoneName: string;
  /** Client address without port. */
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly kind: 'axfr' | 'ixfr';
  readonly result: 'ok' | 'refused' | 'failed';
  /** True for an IXFR answered as a delta. */
  readonly incremental: boolean;
  readonly serial: number | null;
  readonly error: string | null;
  /** Of the messages that were sent, and how long that took; null where it is not known. Kept in memory only. */
  readonly bytes: number | null;
  readonly tookMs: number | null;
}

/** What is stored of one. */
type StoredTransfer = Omit<TransferEntry, 'bytes' | 'tookMs'>;

/** The latest transfer per zone and client address. */
export class TransferLog extends WriteBuffer<string, TransferEntry> {
  readonly #isMuch: () => void;
  /** Those of known size. */
  readonly #measured = new Map<string, TransferEntry>();

  /** `isMuch` is called when a flush should not wait any longer. */
  constructor(
    write: (entries: readonly TransferEntry[]) => Promise<unknown>,
    isMuch: () => void = () => {},
  ) {
    super(write);
    this.#isMuch = isMuch;
  }

  /** Keeps an entry; it is written with the next flush. */
  record(entry: TransferEntry): void {
    const key = keyOf(entry);
    const isNew = this.put(key, entry);
    this.#measured.delete(key);
    if (entry.bytes !== null) this.#measured.set(key, entry);
    if (this.#measured.size > limits.transfersBuffered) dropFirst(this.#measured);
    const { size } = this.entries;
    if (isNew && size % entriesPerWrite === 0) this.#isMuch();
    if (size > limits.transfersBuffered) this.dropOldest();
  }

  /** What is not written yet, the latest last. */
  buffered(): Iterable<TransferEntry> {
    return this.entries.values();
  }

  /** One that is stored, with its size where that is known. */
  measured(stored: StoredTransfer): TransferEntry {
    const known = this.#measured.get(keyOf(stored));
    return known?.at === stored.at ? known : { ...stored, bytes: null, tookMs: null };
  }
}

export function keyOf({ zoneName, address }: Pick<TransferEntry, 'zoneName' | 'address'>): string {
  return `${zoneName} ${address}`;
}

/** Milliseconds in which further uses of a token are not stamped. */
const stampMs = 60_000;

/** Whether a use is of another minute than the last one, which may have been stamped by a clock that was ahead. */
function isFar(now: number, last: number): boolean {
  return Math.abs(now - last) >= stampMs;
}

export interface UsedToken {
  readonly tokenId: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Client address without port; null where there is none. */
  readonly from: string | null;
}

type LastUse = Omit<UsedToken, 'tokenId'>;

interface Stamp extends LastUse {
  /** The last one that came early, because the address was another. */
  readonly movedAt: number;
}

/**
 * When tokens were last used, and from which address: stamped at most once a minute each, and besides when the
 * address is another, that at most once a minute too. So a token of many hosts is written twice a minute at most.
 */
export class TokenUse extends WriteBuffer<number, UsedToken> {
  readonly #tables: Tables;
  readonly #stamped = new Map<number, Stamp>();

  constructor(connection: Connection, write: (uses: readonly UsedToken[]) => Promise<unknown>) {
    super(write);
    this.#tables = tablesOf(connection);
  }

  /** Notes that a token was used; it is written with the next flush. */
  stamp(tokenId: number, from: string | null, now: number): void {
    let last = this.#stamped.get(tokenId) ?? this.#lastOf(tokenId);
    const isDue = isFar(now, last.at);
    const hasMoved = !isDue && from !== last.from && isFar(now, last.movedAt);
    if (isDue || hasMoved) {
      last = { at: now, from, movedAt: hasMoved ? now : last.movedAt };
      this.put(tokenId, { tokenId, at: now, from });
    }
    this.#stamped.set(tokenId, last);
  }

  #lastOf(tokenId: number): Stamp {
    const { lastUsedAt: at, lastUsedFrom: from } = tokenUse;
    const known = this.#tables.select({ at, from }).from(tokenUse);
    const stored = known.where(eq(tokenUse.tokenId, tokenId)).get() ?? { at: -stampMs, from: null };
    return { ...stored, movedAt: -stampMs };
  }

  /** The last use of a token, if that is not written yet. */
  buffered(tokenId: number): LastUse | undefined {
    return this.entries.get(tokenId);
  }
}

/** When sessions were last used: stamped at most once a minute each. */
export class SessionUse extends WriteBuffer<string, UsedSession> {
  readonly #seen = new Map<string, number>();

  /** When it was last used, in milliseconds since 1970, as far as that is known besides what is stored. */
  lastOf({ id, seenAt }: StoredSession): number {
    return this.#seen.get(id) ?? seenAt;
  }

  stamp(session: StoredSession, now: number): void {
    if (!isFar(now, this.lastOf(session))) return;
    this.#seen.set(session.id, now);
    this.put(session.id, { id: session.id, at: now });
  }

  forget(id: string): void {
    this.#seen.delete(id);
  }
}

/** How far a webhook got (domain/webhook.ts). */
export interface WebhookCursor {
  readonly webhookId: number;
  readonly turn: number;
  readonly seq: number;
  /** Milliseconds since 1970; null where the last delivery succeeded. */
  readonly failingSince: number | null;
}

/** The tables of all this, for the one who writes them. */
export class ActivityStore {
  readonly #tables: Tables;
  readonly #putTransfer: (entry: TransferEntry) => void;
  readonly #putCursor: (cursor: WebhookCursor) => void;

  constructor(connection: Connection) {
    this.#tables = tablesOf(connection);
    this.#putTransfer = putting(this.#tables, transfer, ['zoneName', 'address']);
    this.#putCursor = putting(this.#tables, webhookCursor, ['webhookId']);
  }

  putTransfers(entries: readonly TransferEntry[]): void {
    for (const entry of entries) this.#putTransfer(entry);
  }

  /** Those of deleted webhooks go. */
  putCursors(cursors: readonly WebhookCursor[]): void {
    for (const cursor of cursors) this.#putCursor(cursor);
    const known = this.#tables.select({ id: webhook.id }).from(webhook);
    this.#tables.delete(webhookCursor).where(notInArray(webhookCursor.webhookId, known)).run();
  }

  /** A token may be deleted before its use is written; its id is never given out again. */
  putTokenUses(uses: readonly UsedToken[]): void {
    const lastUsedAt = sql<number>`${given('at')}`.as('last_used_at');
    const lastUsedFrom = sql<string | null>`${given('from')}`.as('last_used_from');
    const use = { tokenId: token.id, lastUsedAt, lastUsedFrom };
    const known = this.#tables.select(use).from(token);
    const put = this.#tables
      .insert(tokenUse)
      .select(known.where(eq(token.id, given('tokenId'))))
      .onConflictDoUpdate({
        target: tokenUse.tokenId,
        set: {
          lastUsedAt: sql`excluded.last_used_at`,
          lastUsedFrom: sql`excluded.last_used_from`,
        },
      })
      .prepare();
    for (const { tokenId, at, from } of uses) put.run({ tokenId, at, from });
  }

  /** Deletes the uses of tokens that do not exist any more. */
  forgetTokenUses(): void {
    const known = this.#tables.select({ id: token.id }).from(token);
    this.#tables.delete(tokenUse).where(notInArray(tokenUse.tokenId, known)).run();
  }
}
