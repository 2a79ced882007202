/**
 * Quoted texts longer than a TXT segment (RFC 1035 3.3: 255 octets), which the controller writes all the
 * same, for ownership of things with long names.
 *
 * Such a text is stored in segments and told as the one text it was, so that the controller finds what it
 * wrote. Only plain ASCII is treated so; segments of other lengths are somebody's own and stay.
 */

const segmentOctets = 255;

/** Printable ASCII without what has to be escaped between quotes. */
const longText = /^"([\x20\x21\x23-\x5b\x5d-\x7e]{256,})"$/;
const segments =
  /^"[\x20\x21\x23-\x5b\x5d-\x7e]{255}"(?: "[\x20\x21\x23-\x5b\x5d-\x7e]{255}")*(?: "[\x20\x21\x23-\x5b\x5d-\x7e]{1,255}")$/;

/** Quoted segments for one text that is too long for a segment; any other text as it is. */
export function inSegments(target: string): string {
  const text = longText.exec(target)?.[1];
  if (text === undefined) return target;
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += segmentOctets) {
    parts.push(`"${text.slice(at, at + segmentOctets)}"`);
  }
  return parts.join(' ');
}

/** The way back. */
export function asOneText(value: string): string {
  return segments.test(value) ? value.replaceAll('" "', '') : value;
}
