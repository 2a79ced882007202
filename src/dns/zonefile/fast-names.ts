/**
 * Names of letters, digits and a few more characters, straight from the octets of a file: nearly all
 * names there are. What has escapes, other characters, or breaks a limit is left to the careful way.
 */
import { limits } from '../../base/limits.ts';
import type { NameKey } from '../name.ts';
import type { FileContext } from './context.ts';

const dot = 0x2e;

/** The lower-case octet for each that a simple name may have (the dot among them), else 0. */
const simpleOctets = new Uint8Array(256);
for (const character of 'abcdefghijklmnopqrstuvwxyz0123456789-_*/.') {
  simpleOctets[character.charCodeAt(0)] = character.charCodeAt(0);
  simpleOctets[character.toUpperCase().charCodeAt(0)] = character.charCodeAt(0);
}

const scratch = Buffer.alloc(2 * limits.nameOctets);

/** The octet after the simple name at `start`; `start` itself when there is none. */
export function simpleNameEnd(octets: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && simpleOctets[octets[at]!] !== 0) at++;
  return at;
}

/**
 * Key of the simple name at `start` to `end`, relative to the apex. Undefined when it has an empty or
 * too long label, is too long, or is outside the zone.
 */
export function simpleOwner(
  octets: Buffer,
  start: number,
  end: number,
  context: FileContext,
): NameKey | undefined {
  const isAbsolute = octets[end - 1] === dot;
  const textEnd = isAbsolute ? end - 1 : end;
  const { originKey } = context;
  const from = isAbsolute ? 0 : originKey.length;
  // A label takes one octet more than its text, like its dot did: the first label has none.
  const length = from + textEnd - start + 1;
  if (textEnd === start || length >= limits.nameOctets) return undefined;
  if (from > 0) scratch.set(originKey);
  // Labels stand in a key from the root down, so they are written from the end.
  let labelStart = start;
  let labelEnd = length - 1;
  for (let at = start; at <= textEnd; at++) {
    if (at < textEnd && octets[at] !== dot) continue;
    const labelOctets = at - labelStart;
    if (labelOctets === 0 || labelOctets > limits.labelOctets) return undefined;
    scratch[labelEnd] = 0;
    const target = labelEnd - labelOctets;
    for (let index = 0; index < labelOctets; index++) {
      scratch[target + index] = simpleOctets[octets[labelStart + index]!]!;
    }
    labelEnd = target - 1;
    labelStart = at + 1;
  }
  const { apex } = context;
  if (length < apex.length) return undefined;
  for (let at = 0; at < apex.length; at++) {
    if (scratch[at] !== apex.charCodeAt(at)) return undefined;
  }
  return scratch.latin1Slice(apex.length, length) as NameKey;
}

/**
 * RDATA that are `reserve` octets for the caller and the simple name at `start` to `end`. Undefined
 * when the name has an empty or too long label or is too long.
 */
export function simpleNameRdata(
  octets: Buffer,
  start: number,
  end: number,
  reserve: number,
  origin: Buffer,
): Buffer | undefined {
  const isAbsolute = octets[end - 1] === dot;
  const textEnd = isAbsolute ? end - 1 : end;
  const length = textEnd - start + 1 + (isAbsolute ? 1 : origin.length);
  if (textEnd === start || length > limits.nameOctets) return undefined;
  const rdata = Buffer.allocUnsafe(reserve + length);
  let lengthAt = reserve;
  for (let at = start; at <= textEnd; at++) {
    const target = reserve + 1 + at - start;
    if (at < textEnd && octets[at] !== dot) {
      rdata[target] = simpleOctets[octets[at]!]!;
      continue;
    }
    const labelOctets = target - lengthAt - 1;
    if (labelOctets === 0 || labelOctets > limits.labelOctets) return undefined;
    rdata[lengthAt] = labelOctets;
    lengthAt = target;
  }
  if (isAbsolute) rdata[lengthAt] = 0;
  else rdata.set(origin, lengthAt);
  return rdata;
}
