/** Who makes a write and why, in the words of who makes it: what counts as a reason, whichever way it comes in. */
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import type { LocalUser } from './access/model.ts';

export interface Why {
  readonly reason: string | null;
  /** A ticket or an address with more about it. */
  readonly reference: string | null;
}

/** Who runs a command on the host, and why; undefined where nobody says. */
export interface Author {
  readonly localUser: LocalUser | undefined;
  readonly why: Why | undefined;
}

const maxCharacters: Readonly<Record<keyof Why, number>> = {
  reason: limits.reasonCharacters,
  reference: limits.referenceCharacters,
};

/** Controls, and what turns or hides the text around it. */
const unfit = /[\p{Cc}\p{Zl}\p{Zp}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}]/u;
/**
 * What shows something: letters, digits, punctuation and symbols, but none that Unicode has programs leave out, and not
 * the empty pattern of Braille, the null notehead and what stands for an object.
 */
const visible =
  /[[\p{L}\p{N}\p{P}\p{S}]--[\p{Default_Ignorable_Code_Point}\u{2800}\u{fffc}\u{1d159}]]/v;

/**
 * A reason or a reference as it is kept; null for one that shows nothing, which is as good as none. `name` is what its
 * writer calls it. INVALID_INPUT for what is no text of one line, or too long.
 */
export function whyText(field: keyof Why, name: string, given: string): string | null {
  const text = given.trim();
  if (unfit.test(text)) throw new Problem('INVALID_INPUT', `${name} has control characters`);
  const max = maxCharacters[field];
  // Characters as people count them, not units of UTF-16.
  if ([...text].length > max) {
    throw new Problem('INVALID_INPUT', `${name} has more than ${max} characters`);
  }
  return visible.test(text) ? text : null;
}

const user = /^([^\s:]{1,64}):(\d{1,10})$/;

/** A user of the host who is named `NAME:UID`; undefined for any other text. */
export function localUserIn(text: string): LocalUser | undefined {
  const [, name, uid] = user.exec(text) ?? [];
  if (name === undefined || unfit.test(name)) return undefined;
  return { name, uid: Number(uid) };
}
