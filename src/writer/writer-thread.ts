/**
 * The thread that writes: the only one with a connection that writes, and with the private keys. It runs the
 * writer for as long as the service runs; should it end before it is closed, the process ends.
 */
import { parentPort, workerData } from 'node:worker_threads';
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

const data = workerData as WriterData;
const port = parentPort;
assert(port !== null, 'this file is the code of a thread');

function post(message: FromWriter): void {
  port!.postMessage(packed(message));
}

let answers: (readonly [number, Answer])[] = [];
let events: JournalledEvent[] = [];
let changes: ZoneChange[] = [];
let figures: CommitFigures[] = [];
let signatures = 0;
let isPosting = false;

/** Has everything told that came of this turn, in one message. */
function tell(): void {
  if (isPosting) return;
  isPosting = true;
  // After all callers have come round to what they were answered.
  queueMicrotask(() => process.nextTick(postAll));
}

function postAll(): void {
  isPosting = false;
  post({ kind: 'committed', answers, events, changes, figures, signatures });
  answers = [];
  events = [];
  changes = [];
  figures = [];
  signatures = 0;
}

let gate: ThreadGate | undefined;
function gateOf(connection: Connection): ThreadGate {
  gate = new ThreadGate(connection, data.checkpointsHeld, (error) =>
    post({ kind: 'storage-failed', failure: encodeFailure(error) }),
  );
  return gate;
}

const { writer, close } = openWriter(data, gateOf, {
  measure: (one) => void figures.push(one),
  signed(count) {
    signatures += count;
  },
});
writer.onEvents((some) => {
  events.push(...some);
  tell();
});
writer.onCommit((some) => {
  changes.push(...some);
  tell();
});

/** How those that hold a zone let it go. */
const releases = new Map<string, () => void>();

async function hold(zoneName: string): Promise<void> {
  releases.set(zoneName, await writer.hold(zoneName));
}

function run(request: Request): Promise<unknown> {
  switch (request.kind) {
    case 'submit':
      return writer.submit(request.command, request.options);
    case 'operate':
      return writer.operate(request.operation);
    case 'hold':
      return hold(request.zoneName);
    case 'close':
      return close();
    default:
      return unreachable(request);
  }
}

function notice(message: Notice): void {
  switch (message.kind) {
    case 'release':
      releases.get(message.zoneName)?.();
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
      gate?.open();
      return;
    default:
      unreachable(message);
  }
}

function answer(number: number, given: Answer): void {
  answers.push([number, given]);
  tell();
}

port.on('message', (message: ToWriter) => {
  for (const [number, asked] of withBuffers(message)) {
    if (number === 0) {
      notice(asked as Notice);
      continue;
    }
    const isLast = asked.kind === 'close';
    run(asked as Request).then(
      (outcome) => {
        answer(number, { outcome });
        if (isLast) setImmediate(() => port.close());
      },
      (error) => answer(number, { failure: encodeFailure(error) }),
    );
  }
});
post({ kind: 'ready' });
