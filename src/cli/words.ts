/**
 * Words of the command line, kept whole on their way through yargs: it would take a lone hyphen for
 * nothing and strip quotes around a value, which are part of it in `TXT '"a" "b"'`.
 *
 * What it would touch is written with a NUL, which no argument of a process can hold.
 */
const marks: readonly (readonly [character: string, mark: string])[] = [
  ['"', '\u0000d'],
  ["'", '\u0000s'],
];
const loneHyphen = '\u0000-';

export function protectWord(word: string): string {
  if (word === '-') return loneHyphen;
  return marks.reduce((text, [character, mark]) => text.replaceAll(character, mark), word);
}

/** The words as they were, in a value of yargs or in a message of it. */
export function restoreWords<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(restoreWords) as Value;
  if (typeof value !== 'string') return value;
  const text = marks.reduce(
    (changed, [character, mark]) => changed.replaceAll(mark, character),
    value.replaceAll(loneHyphen, '-'),
  );
  return text as Value;
}
