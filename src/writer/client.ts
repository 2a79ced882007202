/**
 * The writer, as the main thread has it: commands and operations of one turn of the event loop go to the thread
 * that writes in one message, and what was committed comes back (messages.ts).
 *
 * Whoever is answered, and whoever listens, reads the state after that commit, or a later one: before anybody
 * hears of it, `renew` has all that is read from then on be of the newest state.
 */
import { once } from 'node:events';
import type { MessagePort, Worker } from 'node:worker_threads';
import { limits } from '../base/limits.ts';
import { packed, withBuffers } from '../base/message-bytes.ts';
import { assert, serviceStops, tooManyWait } from '../base/problem.ts';
import { startThread } from '../base/thread.ts';
import type { Command, OutcomeOf } from '../domain/command.ts';
import type { WriterOptions } from './executor.ts';
import {
  type Answer,
  decodeFailure,
  type FromWriter,
  type Notice,
  type Request,
  type WriterData,
} from './messages.ts';
import type { Operation, ResultOf } from './operation.ts';
import type { CommitFigures, JournalledEvent, SubmitOptions, ZoneChange } from './submission.ts';
import { WholePassNeeded } from './zone-signer.ts';

/** The weight of the latest look at how many callers wait. */
const usualWeight = 1 / 16;

export interface WriterListener {
  /** Something was committed, and nobody was notified of it yet. */
  renew(): void;
  measure(figures: CommitFigures): void;
  /** DNSSEC signatures that were made. */
  signed(signatures: number): void;
  /** A write failed; where that stops writing, nothing is written until `writable` is called. */
  storageFailed(problem: Error): void;
  /** Why nothing is taken now: the disk does not answer. */
  stall(): Error | undefined;
  /** A caller is refused because of a fault that was reported before. */
  refused(problem: Error): void;
  /** The thread has exited: what it was doing is not known. The process has to end, and the journal decides. */
  lost(error: Error): void;
}

interface Caller {
  readonly resolve: (outcome: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class WriterClient {
  readonly #thread: Worker;
  readonly #listener: WriterListener;
  readonly #callers = new Map<number, Caller>();
  readonly #listeners: ((changes: readonly ZoneChange[]) => void)[] = [];
  readonly #eventListeners: ((events: readonly JournalledEvent[]) => void)[] = [];
  #last = 0;
  /** Requests of the last message. */
  #lastSent = 0;
  /** How many callers wait at once, as a mean of the last times. */
  #usual = 0;
  #outgoing: (readonly [number, Request | Notice])[] = [];
  /** The number of the request to close, once it is made. */
  #closing: number | undefined;
  #signAhead: ((command: Command, options: SubmitOptions) => Promise<unknown>) | undefined;

  private constructor(thread: Worker, listener: WriterListener) {
    this.#thread = thread;
    this.#listener = listener;
    thread.on('message', (message: FromWriter) => this.#hear(withBuffers(message)));
    thread.on('error', (error) => this.#lose(error as Error));
    thread.on('exit', () => this.#lose(new Error('the thread that writes has ended')));
  }

  /** Starts the thread; resolves once it takes commands. */
  static async start(data: WriterData, listener: WriterListener): Promise<WriterClient> {
    const thread = startThread(new URL('./writer-thread.ts', import.meta.url), {
      workerData: data,
    });
    await once(thread, 'message');
    return new WriterClient(thread, listener);
  }

  /** The same as Writer.submit. */
  async submit<C extends Command>(command: C, options: SubmitOptions): Promise<OutcomeOf<C>> {
    try {
      if (this.#callers.size >= 2 * limits.queuedCommands) {
        throw tooManyWait();
      }
      return (await this.#ask({ kind: 'submit', command, options })) as OutcomeOf<C>;
    } catch (error) {
      const signAhead = options.describesWhole ? undefined : this.#signAhead;
      if (!(error instanceof WholePassNeeded) || signAhead === undefined) throw error;
      return (await signAhead(command, options)) as OutcomeOf<C>;
    }
  }

  operate<O extends Operation>(operation: O): Promise<ResultOf<O>> {
    return this.#ask({ kind: 'operate', operation }) as Promise<ResultOf<O>>;
  }

  async hold(zoneName: string): Promise<() => void> {
    await this.#ask({ kind: 'hold', zoneName });
    return () => this.#send(0, { kind: 'release', zoneName });
  }

  endStage(stage: number): void {
    this.#send(0, { kind: 'end-stage', stage });
  }

  sendKeys(keyIds: readonly number[], port: MessagePort): void {
    this.#thread.postMessage([[0, { kind: 'send-keys', keyIds, port }]], [port]);
  }

  configure(options: Partial<WriterOptions>): void {
    this.#send(0, { kind: 'configure', options });
  }

  /** The storage can be written again. */
  writable(): void {
    this.#send(0, { kind: 'writable' });
  }

  set signAhead(signAhead: (
    command: Command,
    options: SubmitOptions,
  ) => Promise<OutcomeOf<Command>>,) {
    this.#signAhead = signAhead;
  }

  onCommit(listener: (changes: readonly ZoneChange[]) => void): void {
    this.#listeners.push(listener);
  }

  onEvents(listener: (events: readonly JournalledEvent[]) => void): void {
    this.#eventListeners.push(listener);
  }

  /** Takes no more, and ends when all that was taken is answered and the thread has closed the database. */
  async close(): Promise<void> {
    const closed = this.#ask({ kind: 'close' });
    this.#closing = this.#last;
    const ended = once(this.#thread, 'exit');
    await closed;
    await ended;
  }

  #ask(request: Request): Promise<unknown> {
    if (this.#closing !== undefined) {
      return Promise.reject(serviceStops());
    }
    const stall = request.kind === 'close' ? undefined : this.#listener.stall();
    if (stall !== undefined) return Promise.reject(stall);
    return new Promise((resolve, reject) => {
      const number = ++this.#last;
      this.#callers.set(number, { resolve, reject });
      this.#send(number, request);
    });
  }

  /** Sends at the end of this turn, with all that comes until then. */
  #send(number: number, message: Request | Notice): void {
    if (this.#outgoing.push([number, message]) === 1) setImmediate(() => this.#turn(0, 1));
  }

  /**
   * Where the last message had company in it, the next waits as long as each turn of the loop brings more: a
   * message, and the commit that it makes, cost as much as many commands in them. Half of those who usually ask at once
   * are enough: the writer begins, and the rest come meanwhile.
   */
  #turn(seen: number, turns: number): void {
    const outgoing = this.#outgoing;
    const now = outgoing.length;
    const comesMore = turns <= limits.gatheringTurns && now > seen;
    if (this.#lastSent > 1 && comesMore && now * 2 < this.#usual) {
      setImmediate(() => this.#turn(now, turns + 1));
      return;
    }
    this.#outgoing = [];
    this.#lastSent = now;
    this.#usual += (this.#callers.size - this.#usual) * usualWeight;
    this.#thread.postMessage(packed(outgoing));
  }

  #hear(message: FromWriter): void {
    if (message.kind === 'storage-failed') {
      this.#listener.storageFailed(decodeFailure(message.failure));
      return;
    }
    assert(message.kind === 'committed', 'the thread is ready once');
    const { answers, events, changes, figures, signatures } = message;
    try {
      this.#listener.renew();
      for (const each of figures) this.#listener.measure(each);
      if (signatures > 0) this.#listener.signed(signatures);
      const toTell = [
        ...(events.length > 0 ? this.#eventListeners : []).map((each) => () => each(events)),
        ...(changes.length > 0 ? this.#listeners : []).map((each) => () => each(changes)),
      ];
      callAll(toTell);
    } finally {
      // Whatever becomes of a listener: what was done is done, and its callers wait.
      for (const [number, answer] of answers) this.#answer(number, answer);
    }
  }

  #answer(number: number, answer: Answer): void {
    const caller = this.#callers.get(number);
    this.#callers.delete(number);
    assert(caller !== undefined, 'what was asked is answered once');
    if ('outcome' in answer) {
      caller.resolve(answer.outcome);
      return;
    }
    const error = decodeFailure(answer.failure);
    this.#listener.refused(error);
    caller.reject(error);
  }

  #lose(error: Error): void {
    // The end may come in the same turn as the last answer, before anybody who waits for it goes on.
    const isClosed = this.#closing !== undefined && !this.#callers.has(this.#closing);
    if (!isClosed) this.#listener.lost(error);
  }
}

/** Calls each, also those after one that throws; the first failure is thrown then. */
function callAll(calls: readonly (() => void)[]): void {
  const failures: unknown[] = [];
  for (const call of calls) {
    try {
      call();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
