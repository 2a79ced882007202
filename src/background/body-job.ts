/** The job of large bodies (http/large-body.ts): parses and checks them, gives long arrays back in slices. */
import { isUtf8 } from 'node:buffer';
import type { Parts } from '../base/jobs.ts';
import { limits } from '../base/limits.ts';
import { assert } from '../base/problem.ts';
import { refuseCrowdedJson, takeFile } from '../contract/json-bytes.ts';
import { type ScannedBulk, scanBulk } from '../contract/scanned-bulk.ts';
import type { Route } from '../contract/route.ts';
import { routeById } from '../contract/routes.ts';
import { invalidBody, parseBody } from '../contract/validate.ts';

/** Items of an array above which it is sent in slices. */
const longArray = 500;
/** Characters of JSON in one slice: some milliseconds of parsing. */
const sliceCharacters = 128 * 1024;

/** A body without its long arrays, then these slice by slice: JSON arrays in UTF-8. */
export type BodyPart =
  | { readonly head: Record<string, unknown>; readonly sliced: readonly string[] }
  | { readonly field: string; readonly items: Uint8Array<ArrayBuffer> };

export interface BodyOrder {
  readonly routeId: string;
  readonly bytes: Uint8Array;
}

export class BodyJob {
  /** Throws a Problem when the body is not one of the route. */
  async parse({ routeId, bytes }: BodyOrder, parts: Parts<BodyPart>): Promise<void> {
    const route = routeById(routeId);
    assert(route !== undefined, 'the route is in the contract');
    const { buffer, byteLength } = bytes;
    for (const [part, transfer] of partsOf(
      route,
      Buffer.from(buffer as ArrayBuffer, 0, byteLength),
    )) {
      await parts.send(part, transfer);
      // One at a time: whoever takes it is held up by it.
      await parts.allTaken();
    }
  }
}

function* partsOf(
  route: Route,
  bytes: Buffer<ArrayBuffer>,
): Generator<[part: BodyPart, transfer: ArrayBuffer[]]> {
  if (!isUtf8(bytes)) throw invalidBody('request body is not UTF-8');
  const scanned = scannedBulkOf(route, bytes);
  if (scanned !== undefined) {
    yield [{ head: { ...scanned }, sliced: [] }, []];
    return;
  }
  refuseCrowdedJson(bytes);
  const { fileField } = route;
  const found = fileField === undefined ? undefined : takeFile(bytes, fileField);
  if (fileField !== undefined && found !== undefined) {
    // The file moves on where it lies, without a copy.
    const body: Record<string, unknown> = parseBody(route, found.rest);
    body[fileField] = found.file;
    yield [{ head: body, sliced: [] }, [bytes.buffer]];
    return;
  }
  const body: Record<string, unknown> = parseBody(route, bytes.toString());
  const long = Object.entries(body).filter(
    (entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > longArray,
  );
  const sliced = long.map(([field]) => field);
  for (const field of sliced) delete body[field];
  yield [{ head: body, sliced }, []];
  for (const [field, items] of long) {
    for (const text of slicesOf(items)) {
      const slice = new TextEncoder().encode(text);
      yield [{ field, items: slice }, [slice.buffer]];
    }
  }
}

/** A bulk of very many records, when it needs no other reading; others are parsed. */
function scannedBulkOf(route: Route, bytes: Buffer): ScannedBulk | undefined {
  if (route.bodyLimit !== 'bulk') return undefined;
  const scanned = scanBulk(bytes, Object.hasOwn(route.body.entries, 'zone_name'));
  return scanned !== undefined && scanned.records.count > limits.commandRecords
    ? scanned
    : undefined;
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
