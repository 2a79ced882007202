/** The worker of large-body.ts: parses and checks bodies, gives long arrays back in slices. */
import { isUtf8 } from 'node:buffer';
import { parentPort } from 'node:worker_threads';
import { giveWayToOthers } from '../base/gentle-thread.ts';
import { limits } from '../base/limits.ts';
import { assert } from '../base/problem.ts';
import { failureOf } from '../base/thread-failure.ts';
import { refuseCrowdedJson, takeFile } from '../contract/json-bytes.ts';
import { type PlainBulk, readPlainBulk } from '../contract/plain-bulk.ts';
import type { Route } from '../contract/route.ts';
import { routeById } from '../contract/routes.ts';
import { invalidBody, parseBody } from '../contract/validate.ts';
import type { FromWorker, ToWorker } from './large-body.ts';

/** Items of an array above which it is sent in slices. */
const longArray = 500;
/** Characters of JSON in one slice: some milliseconds of parsing. */
const sliceCharacters = 128 * 1024;

/** A message, and the memory that moves with it. */
type Sent = [message: FromWorker, transfer: ArrayBuffer[]];

/** Of each body the messages still to be sent, one for each request. */
const jobs = new Map<number, Iterator<Sent, undefined>>();
const port = parentPort;
assert(port !== null, 'runs as a worker');
giveWayToOthers();

port.on('message', (message: ToWorker) => {
  if (message.kind === 'parse') {
    const route = routeById(message.routeId);
    assert(route !== undefined, 'the route is in the contract');
    const { buffer, byteLength } = message.bytes;
    jobs.set(message.job, answersOf(message.job, route, Buffer.from(buffer, 0, byteLength)));
  }
  const answers = jobs.get(message.job);
  if (answers !== undefined) answer(message.job, answers);
});

function answer(job: number, answers: Iterator<Sent, undefined>): void {
  const [message, transfer] = nextOf(job, answers);
  if (message.kind === 'done' || message.kind === 'failed') jobs.delete(job);
  port!.postMessage(message, transfer);
}

function nextOf(job: number, answers: Iterator<Sent, undefined>): Sent {
  try {
    const next = answers.next();
    return next.done === true ? [{ kind: 'done', job }, []] : next.value;
  } catch (error) {
    return [{ kind: 'failed', job, ...failureOf(error) }, []];
  }
}

function* answersOf(
  id: number,
  route: Route,
  bytes: Buffer<ArrayBuffer>,
): Generator<Sent, undefined> {
  if (!isUtf8(bytes)) throw invalidBody('request body is not UTF-8');
  const plain = plainBulkOf(route, bytes);
  if (plain !== undefined) {
    yield [{ kind: 'head', job: id, body: { ...plain }, sliced: [] }, []];
    return undefined;
  }
  refuseCrowdedJson(bytes);
  const { fileField } = route;
  const found = fileField === undefined ? undefined : takeFile(bytes, fileField);
  if (fileField !== undefined && found !== undefined) {
    // The file moves on where it lies, without a copy.
    const body: Record<string, unknown> = parseBody(route, found.rest);
    body[fileField] = found.file;
    yield [{ kind: 'head', job: id, body, sliced: [] }, [bytes.buffer]];
    return undefined;
  }
  const body: Record<string, unknown> = parseBody(route, bytes.toString());
  const long = Object.entries(body).filter(
    (entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > longArray,
  );
  const sliced = long.map(([field]) => field);
  for (const field of sliced) delete body[field];
  yield [{ kind: 'head', job: id, body, sliced }, []];
  for (const [field, items] of long) {
    for (const text of slicesOf(items)) {
      const slice = new TextEncoder().encode(text);
      yield [{ kind: 'slice', job: id, field, items: slice }, [slice.buffer]];
    }
  }
  return undefined;
}

/** A bulk of very many records, when it needs no other reading; others are parsed. */
function plainBulkOf(route: Route, bytes: Buffer): PlainBulk | undefined {
  if (route.bodyLimit !== 'bulk') return undefined;
  const plain = readPlainBulk(bytes, Object.hasOwn(route.body.entries, 'zone_name'));
  return plain !== undefined && plain.records.count > limits.commandRecords ? plain : undefined;
}

/** JSON arrays of as many items as fit a slice. */
function* slicesOf(items: readonly unknown[]): Generator<string> {
  let slice = '';
  for (const item of items) {
    slice += slice === '' ? '[' : ',';
    slice += JSON.stringify(item);
    if (slice.length < sliceCharacters) continue;
    yield `${slice}]`;
    slice = '';
  }
  if (slice !== '') yield `${slice}]`;
}
