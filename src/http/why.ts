/**
 * Why a write is made, as its request says: the headers Zonebook-Reason and Zonebook-Reference. Text beyond ASCII has
 * the form of RFC 8187 (`UTF-8''f%C3%BCr`), since a header is read as bytes. And Zonebook-User, `NAME:UID`: the user
 * of this host at the local socket.
 */
import { Problem } from '../base/problem.ts';
import type { LocalUser } from '../domain/access/model.ts';
import { localUserIn, type Why, whyText } from '../domain/why.ts';
import { headerOf, type HttpContext } from './request-source.ts';

/** Undefined when the request gives neither; INVALID_INPUT for what is no text, or too long. */
export function whyOf(context: HttpContext): Why | undefined {
  const reason = textOf(context, 'reason', 'Zonebook-Reason');
  const reference = textOf(context, 'reference', 'Zonebook-Reference');
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
  const said = (field: keyof Why, text: unknown) =>
    typeof text === 'string' ? whyText(field, `'${field}'`, text) : null;
  return {
    reason: said('reason', reason) ?? why?.reason ?? null,
    reference: said('reference', reference) ?? why?.reference ?? null,
  };
}

const extended = /^UTF-8'[A-Za-z0-9-]*'(.*)$/is;
const printable = /^[\x20-\x7e]*$/;

function textOf(context: HttpContext, field: keyof Why, name: string): string | null {
  const header = headerOf(context, name.toLowerCase())?.trim();
  if (header === undefined || header === '') return null;
  const encoded = extended.exec(header)?.[1];
  if (encoded === undefined && !printable.test(header)) {
    throw invalid(
      `header ${name}`,
      "is not ASCII: write it as UTF-8''text with %XX for each byte (RFC 8187)",
    );
  }
  const text = encoded === undefined ? header : decoded(name, encoded);
  return whyText(field, `header ${name}`, text);
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

/** The user that a request over the local socket names; undefined when it names none. */
export function localUserOf(context: HttpContext): LocalUser | undefined {
  return localUserIn(headerOf(context, 'zonebook-user') ?? '');
}
