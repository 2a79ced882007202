/**
 * Commands in hints, named as the program was called: from a checkout it is `scripts/zonebook`, which says so in
 * ZONEBOOK_COMMAND. Texts name it `zonebook`, and each that is printed for people passes here.
 */

/** At the beginning of a line, behind a quotation mark or a bracket: no name of a file or a service. */
const command = /(?<=^ *|['(]|: )zonebook (?=(?:--)?[a-z])/gm;

/** `calledAs` is how the program was called; the text stays as it is where that is not known. */
export function namedAsCalled(text: string, calledAs: string | undefined): string {
  return calledAs ? text.replace(command, () => `${calledAs} `) : text;
}
