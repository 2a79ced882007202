/**
 * Content codings of request bodies (RFC 9110 8.4): identity and gzip; any other is 415 with what would do (RFC 7694).
 *
 * Octets are counted after decoding, by whoever takes them: a small file that unfolds to a large one is refused at the
 * octet that is too many, and what is left of it is never unfolded.
 */
import { createGunzip } from 'node:zlib';
import { excerpt, Problem } from '../base/problem.ts';
import { invalidBody } from '../contract/validate.ts';
import { readChunks } from './body-source.ts';
import { headerOf, type HttpContext } from './request-source.ts';

/** Header of a refusal that is about the coding, and of no other 415 (RFC 7694 3). */
export const acceptedCodings = { 'Accept-Encoding': 'gzip, identity' } as const;

/** A body in a coding that is not read here. */
export class CodingProblem extends Problem {
  constructor(coding: string) {
    super(
      'UNSUPPORTED_MEDIA_TYPE',
      `Content-Encoding must be gzip or identity, not '${excerpt(coding)}'`,
    );
  }
}

/** True for a body that comes as gzip, false for one that comes as it is. */
export function isGzipped(context: HttpContext): boolean {
  const written = headerOf(context, 'content-encoding');
  if (written === undefined) return false;
  const coding = written.trim().toLowerCase();
  if (coding === '' || coding === 'identity') return false;
  // An old name of the same (RFC 9110 8.4.1.3).
  if (coding === 'gzip' || coding === 'x-gzip') return true;
  throw new CodingProblem(written);
}

/** Passes every piece of the body to `take`, decoded; what `take` throws ends it. */
export async function readDecoded(
  context: HttpContext,
  gzipped: boolean,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  if (!gzipped) return readChunks(context, take);
  const gunzip = createGunzip();
  let isEmpty = true;
  let failure: unknown;
  const decoded = new Promise<void>((resolve, reject) => {
    const fail = (error: unknown) => {
      failure ??= error;
      gunzip.destroy();
      reject(failure);
    };
    gunzip.on('end', resolve).on('error', (error) => {
      fail(invalidBody(`request body is not gzip: ${error.message}`));
    });
    gunzip.on('data', (chunk: Buffer) => {
      if (failure !== undefined) return;
      try {
        take(chunk);
      } catch (error) {
        fail(error);
      }
    });
  });
  // It may fail before it is waited for.
  decoded.catch(() => {});
  try {
    await readChunks(context, (chunk) => {
      if (failure !== undefined) throw failure;
      isEmpty = false;
      gunzip.write(chunk);
    });
    if (isEmpty) return;
    gunzip.end();
    await decoded;
  } finally {
    gunzip.destroy();
  }
}
