/**
 * Why a write is made, as its request says: the headers Zonebook-Reason and Zonebook-Reference. Text beyond ASCII has
 * the form of RFC 8187 (`UTF-8''f%C3%BCr`), since a header is read as bytes. And Zonebook-User, `NAME:UID`: the user
 * of this host at the local socket.
 */
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import type { LocalUser } from '../domain/access/model.ts';
import type { Why } from '../writer/submission.ts';
import { headerOf, type HttpContext } from './request-source.ts';

/** Undefined when the request gives neither; INVALID_INPUT for what is no text, or too long. */
export function whyOf(context: HttpContext): Why | undefined {
  const reason = textOf(context, 'Zonebook-Reason', limits.reasonCharacters);
  const reference = textOf(context, 'Zonebook-Reference', limits.referenceCharacters);
  return reason === null && reference === null ? undefined : { reason, reference };
}

/**
 * How many deletions the request lets through the guard of a zone; undefined when it does not say. INVALID_INPUT for
 * what is no number, also for nothing: the variable of a script may be empty.
 */
export function allowedDeletesOf(context: HttpContext): number | undefined {
  const header = headerOf(context, 'zonebook-allow-deletes')?.trim();
  if (header === undefined) return undefined;
  if (/^\d{1,10}$/.test(header)) return Number(header);
  throw invalid('Zonebook-Allow-Deletes', 'is not the number of deletions');
}

/** The same where the body says it, which wins. */
export function whyIn(body: unknown, why: Why | undefined): Why | undefined {
  const { reason, reference } = body as Readonly<Record<string, unknown>>;
  if (typeof reason !== 'string' && typeof reference !== 'string') return why;
  const said = (name: string, text: unknown, max: number) =>
    typeof text === 'string' ? checked(`'${name}'`, text, max) : null;
  return {
    reason: said('reason', reason, limits.reasonCharacters) ?? why?.reason ?? null,
    reference: said('reference', reference, limits.referenceCharacters) ?? why?.reference ?? null,
  };
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
    throw invalid(
      `header ${name}`,
      "is not ASCII: write it as UTF-8''text with %XX for each byte (RFC 8187)",
    );
  }
  return checked(
    `header ${name}`,
    encoded === undefined ? header : decoded(name, encoded),
    maxCharacters,
  );
}

function checked(name: string, given: string, maxCharacters: number): string | null {
  const text = given.trim();
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
    throw invalid(`header ${name}`, 'is no percent-encoded UTF-8 (RFC 8187)');
  }
}

function invalid(name: string, rule: string): Problem {
  return new Problem('INVALID_INPUT', `${name} ${rule}`);
}

const user = /^([^\s:]{1,64}):(\d{1,10})$/;

/** The user that a request over the local socket names; undefined when it names none. */
export function localUserOf(context: HttpContext): LocalUser | undefined {
  const [, name, uid] = user.exec(headerOf(context, 'zonebook-user') ?? '') ?? [];
  if (name === undefined || unfit.test(name)) return undefined;
  return { name, uid: Number(uid) };
}
