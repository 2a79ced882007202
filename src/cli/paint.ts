/** Text for a terminal: colours when they are wanted, and nothing that could drive the terminal. */

export interface Paint {
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  bold(text: string): string;
}

/** Colours are wanted on a terminal unless NO_COLOR is set and not empty (no-color.org). */
export function createPaint(
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>>,
): Paint {
  const wanted = isTerminal && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  const style = (on: number, off: number) => (text: string) =>
    wanted ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return { red: style(31, 39), green: style(32, 39), yellow: style(33, 39), bold: style(1, 22) };
}

const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/**
 * Text of others on one line: control characters are escaped, since a description or the value of
 * a TXT may hold sequences that would move the cursor or forge a line.
 */
export function onOneLine(text: string): string {
  return text.replace(controls, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}
