/**
 * Why a write is made, as its request says: the headers Zonebook-Reason and Zonebook-Reference. Text beyond ASCII has
 * the form of RFC 8187 (`UTF-8''f%C3%BCr`), since a header is read as bytes. And Zonebook-User, `NAME:UID`: the user
 * of this host at the local socket.
 */
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import type { LocalUser, Why } from '../writer/submission.ts';
import { headerOf, type HttpContext } from './request-source.ts';

/** Undefined when the request gives neither; INVALID_INPUT for what is no text, or too long. */
export function whyOf(context: HttpContext): Why | undefined {
  const reason = textOf(context, 'Zonebook-Reason', limits.reasonCharacters);
  const reference = textOf(context, 'Zonebook-Reference', limits.referenceCharacters);
  return reason === null && reference === null ? undefined : { reason, reference };
}

const extended = /^UTF-8'[A-Za-z0-9-]*'(.*)$/is;
const printable = /^[\x20-\x7e]*$/;
/** Controls, and what turns or hides the text around it. */
const unfit = /[\p{Cc}\p{Zl}\p{Zp}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}]/u;

function textOf(context: HttpContext, name: string, maxCharacters: number): string | null {
  const header = headerOf(context, name.toLowerCase())?.trim();
  if (header === undefined || header === '') return null;
  const encoded = extended.exec(header)?.[1];
  if (encoded === undefined && !printable.test(header)) {
    throw invalid(name, "is not ASCII: write it as UTF-8''text with %XX for each byte (RFC 8187)");
  }
  const text = (encoded === undefined ? header : decoded(name, encoded)).trim();
  if (unfit.test(text)) throw invalid(name, 'has control characters');
  // Characters as people count them, not units of UTF-16.
  if ([...text].length > maxCharacters) {
    throw invalid(name, `has more than ${maxCharacters} characters`);
  }
  return text === '' ? null : text;
}

function decoded(name: string, encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw invalid(name, 'is no percent-encoded UTF-8 (RFC 8187)');
  }
}

function invalid(name: string, rule: string): Problem {
  return new Problem('INVALID_INPUT', `header ${name} ${rule}`);
}

const user = /^([^\s:]{1,64}):(\d{1,10})$/;

/** The user that a request over the local socket names; undefined when it names none. */
export function localUserOf(context: HttpContext): LocalUser | undefined {
  const [, name, uid] = user.exec(headerOf(context, 'zonebook-user') ?? '') ?? [];
  if (name === undefined || unfit.test(name)) return undefined;
  return { name, uid: Number(uid) };
}
