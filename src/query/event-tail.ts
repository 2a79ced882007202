/**
 * Whoever follows events as they are committed, all by one worker (event-tail-job.ts): in order, none left out, none
 * twice. A commit wakes it, and nothing else: who follows a journal in which nothing happens costs nothing.
 *
 * ```
 *   behind --a page at a time, when the last one was taken--> at the end
 *                                                              |  every round that follows a commit
 *                                                              v
 *                                                           live --more waits than may--> cut
 * ```
 * An event is judged by the rights of the moment. What was read by other rights, and is not taken yet, is read again.
 */
import { monotonicMs } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { SharedRoom } from '../base/shared-room.ts';
import { errorOf } from '../base/storage-problem.ts';
import type { Job, WorkerPool } from '../base/worker-pool.ts';
import type { Rights } from '../domain/access/rights.ts';
import type { Connection } from '../journal/database.ts';
import { EventIds } from './event-ids.ts';
import { EventRows } from './event-rows.ts';
import type { Advance, EventLine, EventTailJob, FollowFilter } from './event-tail-job.ts';

/** Milliseconds behind `until` in which an event of before it may come: its time is that of before its commit. */
const graceMs = 5000;

export interface FollowRequest {
  readonly filter: FollowFilter;
  /** Behind which number it begins; the newest one when left out. */
  readonly after: number | undefined;
  /** As they are now; undefined ends it. */
  rights(): Rights | undefined;
  /** Milliseconds since 1970. */
  now(): number;
  /** Who follows: each has half of the places at most. Null for the service's own, which are bounded elsewhere. */
  readonly owner: string | null;
  /** Called when its client is too slow. */
  cut(): void;
}

export class EventTail {
  readonly #workers: Pick<WorkerPool, 'open'>;
  readonly #rows: EventRows;
  readonly ids: EventIds;
  readonly #feeds = new Map<number, EventFeed>();
  readonly #room = new SharedRoom(limits.eventStreams, (isOwn) => {
    const whose = isOwn
      ? 'too many streams of this caller'
      : `${limits.eventStreams} streams of events`;
    return new Problem('OVERLOADED', `${whose} are open`, 10);
  });
  #job: Job<EventTailJob> | undefined;
  #lastId = 0;
  /** How many there were since it began. */
  #commits = 0;
  #isRunning = false;
  /** Somebody wants something since it was looked for. */
  #isAsked = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(workers: Pick<WorkerPool, 'open'>, connection: Connection) {
    this.#workers = workers;
    this.#rows = new EventRows(connection);
    this.ids = new EventIds(connection);
  }

  /** How many clients follow. */
  get size(): number {
    return this.#room.held;
  }

  /** The number of the newest event. */
  last(): number {
    return this.#rows.last();
  }

  /** Something was committed. */
  committed(): void {
    if (this.#feeds.size === 0) return;
    this.#commits++;
    for (const feed of this.#feeds.values()) feed.isBehind = true;
    void this.#run();
  }

  /** OVERLOADED where too many follow; EVENT_NOT_FOUND for a number that no event has yet. */
  follow(request: FollowRequest): EventFeed {
    const last = this.#rows.last();
    const after = request.after ?? last;
    if (after > last) throw new Problem('EVENT_NOT_FOUND', `event ${after} does not exist`);
    const { owner } = request;
    const id = ++this.#lastId;
    const feed = new EventFeed(id, request, after, {
      wants: () => void this.#run(),
      ended: () => {
        if (owner !== null) this.#room.give(owner, 1);
        this.#forget(id);
      },
    });
    // Behind what may fail, so that each place is given back.
    if (owner !== null) this.#room.take(owner, 1);
    this.#feeds.set(id, feed);
    this.#timer ??= setInterval(() => this.#look(), limits.eventStreamIdleMs).unref();
    void this.#run();
    return feed;
  }

  #forget(id: number): void {
    this.#feeds.delete(id);
    if (this.#feeds.size > 0) {
      this.#job?.call('forget', id).catch(() => {});
      return;
    }
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#job?.release();
    this.#job = undefined;
  }

  /** Tokens expire, and clients stop reading, without a commit. */
  #look(): void {
    for (const feed of this.#feeds.values()) feed.look();
  }

  async #run(): Promise<void> {
    this.#isAsked = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      while (this.#isAsked) {
        this.#isAsked = false;
        while (await this.#round());
      }
    } catch (error) {
      // Whoever follows asks again, and a new worker begins.
      for (const feed of this.#feeds.values()) feed.fail(error);
    } finally {
      this.#isRunning = false;
    }
  }

  /** False when nobody wants anything. */
  async #round(): Promise<boolean> {
    for (const feed of this.#feeds.values()) feed.look();
    const wanting = [...this.#feeds.values()].filter((feed) => feed.wantsMore);
    if (wanting.length === 0) return false;
    this.#job ??= this.#workers.open<EventTailJob>('events');
    const job = this.#job;
    const commits = this.#commits;
    const asked = wanting.map((feed) => feed.ask((follower) => job.call('watch', follower)));
    const advances = await job.call(
      'advance',
      asked.map(({ position }) => position),
    );
    const turns = new Map(asked.map(({ position, turn }) => [position.id, turn]));
    for (const advance of advances) {
      const feed = this.#feeds.get(advance.id);
      if (feed === undefined) continue;
      feed.take(advance, turns.get(advance.id), commits !== this.#commits);
      // Behind those that had no turn.
      if (this.#feeds.delete(advance.id)) this.#feeds.set(advance.id, feed);
    }
    return true;
  }
}

interface Follows {
  wants(): void;
  ended(): void;
}

/** What a follower does with them. */
export type Followed = Pick<EventFeed, 'next' | 'end' | 'position'>;

/** The events that one follower gets. */
export class EventFeed {
  readonly #id: number;
  readonly #request: FollowRequest;
  readonly #follows: Follows;
  /** There is more than was read. */
  isBehind = true;
  /** It was at the end, and gets events as they come. */
  #isLive = false;
  /** Up to which number was read, and taken. */
  #after: number;
  #taken: number;
  #rights: Rights | undefined;
  /** Raised when what is being read is not wanted any more. */
  #turn = 0;
  #isWatched = false;
  #lines: EventLine[] = [];
  #bytes = 0;
  #takenAtMs = monotonicMs();
  #wake: (() => void) | undefined;
  /** `draining`: what was read is still to be taken. */
  #state: 'open' | 'draining' | 'ended' = 'open';
  #failure: unknown;

  constructor(id: number, request: FollowRequest, after: number, follows: Follows) {
    this.#id = id;
    this.#request = request;
    this.#follows = follows;
    this.#after = after;
    this.#taken = after;
    this.#rights = request.rights();
  }

  /** Up to which number all that passes its filter was taken. */
  get position(): number {
    return this.#taken;
  }

  /** The next events; none when none come within some milliseconds; undefined at the end. */
  async next(withinMs: number): Promise<readonly EventLine[] | undefined> {
    if (this.#lines.length === 0 && this.#state === 'open') await this.#wait(withinMs);
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#lines.length === 0 && this.#state !== 'open') {
      this.end();
      return undefined;
    }
    const lines = this.#lines;
    this.#lines = [];
    this.#bytes = 0;
    this.#taken = this.#after;
    this.#takenAtMs = monotonicMs();
    if (this.wantsMore) this.#follows.wants();
    return lines;
  }

  /** Ends it at once: what waits is not sent. */
  end(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#lines = [];
    this.#follows.ended();
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#failure = error;
    this.end();
  }

  get wantsMore(): boolean {
    return this.#state === 'open' && this.isBehind && (this.#isLive || this.#lines.length === 0);
  }

  /** Whether it may go on as it does. */
  look(): void {
    if (this.#state === 'ended') return;
    const rights = this.#request.rights();
    if (rights === undefined) {
      this.end();
      return;
    }
    if (rights !== this.#rights) this.#readAgain(rights);
    const waitsMs = monotonicMs() - this.#takenAtMs;
    if (this.#lines.length > 0 && waitsMs > limits.eventStreamStallMs) this.#cut();
    if (!this.isBehind) this.#endWhenOver();
  }

  /** What to ask the worker for; what it does not know comes first. */
  ask(watch: (follower: object & Parameters<EventTailJob['watch']>[0]) => Promise<unknown>) {
    if (!this.#isWatched) {
      const { filter } = this.#request;
      const rights = this.#rights!.message();
      // A worker that is lost is noticed by who waits for its answer.
      watch({ id: this.#id, rights, filter }).catch(() => {});
      this.#isWatched = true;
    }
    return { position: { id: this.#id, after: this.#after }, turn: this.#turn };
  }

  /** Takes in what was read; `isOld` when something was committed meanwhile. */
  take(advance: Advance, turn: number | undefined, isOld: boolean): void {
    const { lines, after, isAtEnd, failure } = advance;
    this.look();
    if (this.#state !== 'open' || turn !== this.#turn) return;
    if (failure !== undefined) {
      // What was read before it is taken first.
      if (this.#lines.length > 0) this.#isLive = false;
      else this.fail(errorOf(failure));
      return;
    }
    if (this.#bytes > limits.eventStreamBytes) {
      this.#cut();
      return;
    }
    if (this.#lines.length === 0) this.#takenAtMs = monotonicMs();
    for (const line of lines) {
      this.#lines.push(line);
      this.#bytes += Buffer.byteLength(line[1]);
    }
    this.#after = after;
    if (this.#lines.length === 0) this.#taken = after;
    this.#isLive ||= isAtEnd;
    this.isBehind = isOld || !isAtEnd;
    this.#endWhenOver();
    if (this.#lines.length > 0) this.#wake?.();
  }

  #readAgain(rights: Rights): void {
    this.#rights = rights;
    this.#turn++;
    this.#isWatched = false;
    this.#lines = [];
    this.#bytes = 0;
    this.#after = this.#taken;
    this.isBehind = true;
  }

  /** Nothing more can pass its filter. */
  #endWhenOver(): void {
    const { filter, now } = this.#request;
    const { before, until } = filter;
    const isBeyond = before !== undefined && this.#after >= before - 1;
    const isLate = until !== undefined && !this.isBehind && now() > until + graceMs;
    if (!isBeyond && !isLate) return;
    this.#state = 'draining';
    this.#wake?.();
  }

  #cut(): void {
    this.end();
    this.#request.cut();
  }

  async #wait(withinMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, withinMs).unref();
    });
    clearTimeout(timer);
    this.#wake = undefined;
  }
}
