/**
 * The thread that writes: the only one with a connection that writes, and with the private keys. It runs the
 * writer for as long as the service runs; should it end before it is closed, the process ends.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { packed, withBuffers } from '../base/message-bytes.ts';
import { assert, unreachable } from '../base/problem.ts';
import type { Connection } from '../journal/sqlite.ts';
import {
  type Answer,
  encodeFailure,
  type FromWriter,
  type Notice,
  type Request,
  type ToWriter,
  type WriterData,
} from './messages.ts';
import { openWriter } from './open-writer.ts';
import type { CommitFigures, JournalledEvent, ZoneChange } from './submission.ts';
import { ThreadGate } from './thread-gate.ts';

/** What is reported of one turn, in one message. */
interface Report {
  readonly answers: (readonly [number, Answer])[];
  readonly events: JournalledEvent[];
  readonly changes: ZoneChange[];
  readonly figures: CommitFigures[];
  signatures: number;
}

const nothing = (): Report => ({
  answers: [],
  events: [],
  changes: [],
  figures: [],
  signatures: 0,
});

class WriterThread {
  readonly #port: MessagePort;
  readonly #opened: ReturnType<typeof openWriter>;
  /** How those that hold a zone let it go. */
  readonly #releases = new Map<string, () => void>();
  #report = nothing();
  #isPosting = false;
  #gate: ThreadGate | undefined;

  constructor(data: WriterData, port: MessagePort) {
    this.#port = port;
    const gateOf = (connection: Connection) => {
      this.#gate = new ThreadGate(connection, data.checkpointsHeld, (error) =>
        this.#post({ kind: 'storage-failed', failure: encodeFailure(error) }),
      );
      return this.#gate;
    };
    this.#opened = openWriter(data, gateOf, {
      measure: (one) => void this.#report.figures.push(one),
      signed: (count) => {
        this.#report.signatures += count;
      },
    });
    const { writer } = this.#opened;
    writer.onEvents((more) => {
      this.#report.events.push(...more);
      this.#tell();
    });
    writer.onCommit((more) => {
      this.#report.changes.push(...more);
      this.#tell();
    });
    port.on('message', (message: ToWriter) => this.#hear(message));
    this.#post({ kind: 'ready' });
  }

  #post(message: FromWriter): void {
    this.#port.postMessage(packed(message));
  }

  /** Has everything reported that came of this turn, in one message. */
  #tell(): void {
    if (this.#isPosting) return;
    this.#isPosting = true;
    // After all callers have come round to what they were answered.
    queueMicrotask(() => process.nextTick(() => this.#postAll()));
  }

  #postAll(): void {
    this.#isPosting = false;
    this.#post({ kind: 'committed', ...this.#report });
    this.#report = nothing();
  }

  async #hold(zoneName: string): Promise<void> {
    this.#releases.set(zoneName, await this.#opened.writer.hold(zoneName));
  }

  #run(request: Request): Promise<unknown> {
    const { writer, close } = this.#opened;
    switch (request.kind) {
      case 'submit':
        return writer.submit(request.command, request.options);
      case 'operate':
        return writer.operate(request.operation);
      case 'hold':
        return this.#hold(request.zoneName);
      case 'close':
        return close();
      default:
        return unreachable(request);
    }
  }

  #notice(message: Notice): void {
    const { writer } = this.#opened;
    switch (message.kind) {
      case 'release':
        this.#releases.get(message.zoneName)?.();
        return;
      case 'end-stage':
        writer.endStage(message.stage);
        return;
      case 'send-keys':
        writer.sendKeys(message.keyIds, message.port);
        return;
      case 'configure':
        writer.configure(message.options);
        return;
      case 'writable':
        this.#gate?.open();
        return;
      default:
        unreachable(message);
    }
  }

  #answer(number: number, given: Answer): void {
    this.#report.answers.push([number, given]);
    this.#tell();
  }

  #hear(message: ToWriter): void {
    for (const [number, asked] of withBuffers(message)) {
      if (number === 0) {
        this.#notice(asked as Notice);
        continue;
      }
      const isLast = asked.kind === 'close';
      this.#run(asked as Request).then(
        (outcome) => {
          this.#answer(number, { outcome });
          if (isLast) setImmediate(() => this.#port.close());
        },
        (error) => this.#answer(number, { failure: encodeFailure(error) }),
      );
    }
  }
}

assert(parentPort !== null, 'this file is the code of a thread');
new WriterThread(workerData as WriterData, parentPort);
