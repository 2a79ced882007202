/** Which characters two texts do not share, between what they begin and what they end with. */

/** Offsets in a text: the end is not in it. */
export type Part = readonly [start: number, end: number];

const isHighSurrogate = (text: string, index: number) => /[\ud800-\udbff]/.test(text[index] ?? '');

/** Of each text; undefined where they are equal, or begin and end with nothing in common. */
export function changedParts(from: string, to: string): readonly [Part, Part] | undefined {
  if (from === to) return undefined;
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) start++;
  // No character of two code units is cut in two.
  if (start > 0 && isHighSurrogate(from, start - 1)) start--;
  let tail = 0;
  while (tail < shorter - start && from.at(-1 - tail) === to.at(-1 - tail)) tail++;
  if (tail > 0 && isHighSurrogate(from, from.length - tail - 1)) tail--;
  if (start === 0 && tail === 0) return undefined;
  return [
    [start, from.length - tail],
    [start, to.length - tail],
  ];
}
