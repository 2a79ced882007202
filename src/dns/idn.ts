/**
 * Internationalised names (IDNA, RFC 5890): the A-labels that stand for labels with characters beyond
 * ASCII, as UTS 46 makes them without transitional processing, so that ß stays itself. What is stored
 * and presented is A-labels only.
 *
 * Each label is mapped by itself: beside it may stand what is no host name, like `_dmarc`, `*` or an
 * escape, and what is written may be only the relative part of a name. A name that mixes directions of
 * writing is therefore judged label by label (RFC 5893 would judge all of it).
 */
import { domainToASCII, domainToUnicode } from 'node:url';
import { limits } from '../base/limits.ts';

const beyondAscii = /[^\0-\x7f]/;

/** Stands behind a label, so that digits are not taken for an IPv4 address. */
const suffix = '.invalid';

/** True for text with characters that no name has. */
export function isBeyondAscii(text: string): boolean {
  return beyondAscii.test(text);
}

/**
 * The name with A-labels in place of the labels that go beyond ASCII; all others stay as they are
 * written. Undefined when one of them is no label of an internationalised name.
 */
export function toAsciiName(text: string): string | undefined {
  if (!isBeyondAscii(text)) return text;
  // An A-label is never shorter than what it stands for, besides characters that are mapped away.
  if (text.length > 2 * limits.nameBytes) return undefined;
  if (/\\[^\0-\x7f]/.test(text)) return undefined;
  const labels: string[] = [];
  // The full stops of other scripts part labels too (UTS 46 4).
  for (const label of text.split(/[.\u3002\uff0e\uff61]/)) {
    const ascii = isBeyondAscii(label) ? toAsciiLabel(label) : label;
    if (ascii === undefined) return undefined;
    labels.push(ascii);
  }
  return labels.join('.');
}

/**
 * Undefined, too, for what the mapping of URLs lets pass and host names do not: underscores and other
 * characters of ASCII beside letters, digits and hyphens, and hyphens at the ends or in third and
 * fourth place (UTS 46: UseSTD3ASCIIRules, CheckHyphens), and labels that are too long.
 */
function toAsciiLabel(label: string): string | undefined {
  if (!/^[a-z0-9\u0080-\uffff-]+$/i.test(label)) return undefined;
  const name = domainToASCII(`${label}${suffix}`);
  const ascii = name.slice(0, -suffix.length);
  if (!name.endsWith(suffix) || !/^[a-z0-9-]+$/.test(ascii)) return undefined;
  if (ascii.length > limits.labelBytes) return undefined;
  const unicode = domainToUnicode(ascii);
  return /^-|-$|^..--/u.test(unicode) ? undefined : ascii;
}
