/**
 * Request bodies: media type and coding, size, then JSON that fits the route (decisions 1).
 *
 * Sizes are counted while bytes arrive, so that nothing over the limit is ever held. A small body
 * is parsed here; one above `limits.inlineBodyBytes` by the worker.
 */
import { isUtf8 } from 'node:buffer';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import type { Route } from '../contract/route.ts';
import { checkBody, invalidBody, parseBody } from '../contract/validate.ts';
import type { BodyShare } from './body-room.ts';
import { isGzipped, readChunks, readGunzipped } from './body-source.ts';
import type { LargeBodies, LargeBody } from './large-body.ts';
import { headerOf, type HttpContext } from './request-source.ts';
import type { HttpOptions } from './services.ts';

const emptyObject = Object.freeze({});

/** What a body is read with. */
export interface Reading {
  /** Bytes it may have, and what a larger one is refused with. */
  readonly limit: BodyBound;
  readonly share: BodyShare;
  readonly largeBodies: LargeBodies;
  /** Hears when it turns out to be a large one, long before it is there. */
  readonly onLarge?: (() => void) | undefined;
}

/** The body of a request as its route's schema gives it out. */
export async function readBody(
  context: HttpContext,
  route: Route,
  { limit, share, largeBodies, onLarge }: Reading,
): Promise<unknown> {
  const declaredLength = headerOf(context, 'content-length');
  const streamed = headerOf(context, 'transfer-encoding') !== undefined;
  const hasBody = streamed || (declaredLength !== undefined && declaredLength !== '0');
  if (!hasBody && !mayHoldBody(context, declaredLength)) return withoutBody(route);

  const contentType = headerOf(context, 'content-type');
  const isJson = contentType !== undefined && isJsonType(contentType);
  // What comes in chunks of an unknown number may be nothing; its first byte shows which.
  if (hasBody && !streamed && !isJson) throw notJson(contentType);
  const gzipped = isGzipped(context);
  if (Number(declaredLength) > limit.bytes) throw limit.problem();
  share.reserve(Number(declaredLength ?? 0));

  let received = 0;
  let chunks: Uint8Array[] = [];
  let large: LargeBody | undefined;
  // What is unfolded is of any length.
  const expected = gzipped || declaredLength === undefined ? undefined : Number(declaredLength);
  const read = gzipped ? readGunzipped : readChunks;
  await read(context, (chunk) => {
    if (!isJson) throw notJson(contentType);
    received += chunk.length;
    if (received > limit.bytes) throw limit.problem();
    share.reserve(received);
    if (received <= limits.inlineBodyBytes) {
      chunks.push(chunk);
      return;
    }
    if (large === undefined) {
      large = largeBodies.open(route, expected ?? 2 * received);
      onLarge?.();
    }
    for (const held of chunks) large.write(held);
    chunks = [];
    large.write(chunk);
  });
  if (large !== undefined) return large.finish();
  if (received === 0) return withoutBody(route);
  const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw invalidBody('request body is not UTF-8');
  const { buffer, byteOffset, byteLength } = bytes;
  return parseBody(route, Buffer.from(buffer, byteOffset, byteLength).toString());
}

/** A web Request made in-process declares no length; behind a server the headers say it all. */
function mayHoldBody(context: HttpContext, declaredLength: string | undefined): boolean {
  if (context.env?.incoming !== undefined || declaredLength === '0') return false;
  return context.req.raw.body !== null;
}

function withoutBody(route: Route): unknown {
  if (route.takesBody === 'never') return emptyObject;
  if (route.takesBody === 'optionally') return checkBody(route, emptyObject);
  throw invalidBody('request body is empty; a JSON object is needed');
}

/** True for `application/json` with or without parameters such as charset. */
function isJsonType(contentType: string): boolean {
  if (contentType === 'application/json') return true;
  const end = contentType.indexOf(';');
  const essence = end < 0 ? contentType : contentType.slice(0, end);
  return essence.trim().toLowerCase() === 'application/json';
}

function notJson(contentType: string | undefined): Problem {
  const given = contentType === undefined ? 'no media type' : `'${contentType.slice(0, 80)}'`;
  return new Problem(
    'UNSUPPORTED_MEDIA_TYPE',
    `request body must be application/json, not ${given}`,
  );
}

export interface BodyBound {
  readonly bytes: number;
  /** Made when it is needed: a stack is costly. */
  readonly problem: () => Problem;
}

/** What a body may have on a route. */
export function boundOf(
  { bodyLimit }: Route,
  { maxImportBytes, maxBodiesBytes }: HttpOptions,
): BodyBound {
  const ofRoute = {
    none: limits.emptyBodyBytes,
    standard: limits.bodyBytes,
    bulk: limits.bulkBodyBytes,
    import: maxImportBytes,
  }[bodyLimit];
  const bytes = Math.min(ofRoute, maxBodiesBytes);
  const rule = `the ${bytes} bytes allowed here`;
  return {
    bytes,
    problem: () => new Problem('PAYLOAD_TOO_LARGE', `request body is larger than ${rule}`),
  };
}

/** The same for callers from whom all but small bodies are refused, where there is something to refuse with. */
export function onlySmall(bound: BodyBound, beyondSmall: Problem | undefined): BodyBound {
  if (beyondSmall === undefined || bound.bytes <= limits.smallBodyBytes) return bound;
  return { bytes: limits.smallBodyBytes, problem: () => beyondSmall };
}
