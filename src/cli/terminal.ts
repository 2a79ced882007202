/**
 * What is for terminals: colours when they are wanted, the progress of what takes long, and nothing in the texts of
 * others that could drive the terminal. Progress goes to standard error, so that output stays clean, and is wiped at
 * the end.
 */
import { monotonicMs } from '../base/clock.ts';
import type { Environment, TextSink } from './environment.ts';

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

/**
 * What a terminal acts on or does not show: controls (C0, DEL, C1), formats (marks of direction, joiners, tags),
 * separators of lines and paragraphs, and what is drawn as nothing.
 */
const unseen = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;
const anyUnseen = new RegExp(unseen, 'gu');
/** Line feeds and tabs are ours, and so are colours, and the wiping of a line of progress where a text begins. */
const unseenButOurs = new RegExp(
  String.raw`^\r\x1b\[K|\x1b\[(?:1|22|3[0-9])m|[\n\t]|(${unseen})`,
  'gu',
);

function escaped(character: string, short: boolean): string {
  // By UTF-16 units, as JSON writes them.
  return character
    .split('')
    .map((unit) => {
      const hex = unit.charCodeAt(0).toString(16);
      return short && hex.length <= 2 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`;
    })
    .join('');
}

/**
 * Text of others on one line: what is unseen is escaped, since a description or the value of a TXT may hold
 * sequences that would move the cursor, forge a line or turn the order of letters round.
 */
export function onOneLine(text: string): string {
  return text.replace(anyUnseen, (character) => escaped(character, true));
}

/** True when a text has more of it than line feeds and tabs. */
export function hasUnseen(text: string): boolean {
  return text.replace(/[\n\t]/g, '').search(anyUnseen) >= 0;
}

/** Whatever form a text has: JSON and YAML in double quotes read these escapes as what they stand for. */
function forTerminal(text: string): string {
  return text.replace(unseenButOurs, (found: string, character?: string) =>
    character === undefined ? found : escaped(character, false),
  );
}

/** The same environment, on whose terminals nothing but our own sequences arrives. */
export function withSafeTerminals<Given extends Environment>(given: Given): Given {
  const { stdout, stderr, isTerminal } = given;
  return {
    ...given,
    stdout: isTerminal.stdout ? safe(stdout) : stdout,
    stderr: isTerminal.stderr ? safe(stderr) : stderr,
  };
}

function safe(sink: TextSink): TextSink {
  return {
    write: (text) => sink.write(forTerminal(text)),
    get columns() {
      return sink.columns;
    },
  };
}

const barCharacters = 30;
/** Milliseconds before the bar shows at all, and between two updates. */
const updateMs = 200;

export class ProgressBar {
  readonly #label: string;
  readonly #environment: Environment;
  #updatedMs = monotonicMs();
  #isVisible = false;

  constructor(label: string, environment: Environment) {
    this.#label = onOneLine(label);
    this.#environment = environment;
  }

  /** `note` stands behind the bar. */
  show(done: number, total: number, note = ''): void {
    const { stderr, isTerminal } = this.#environment;
    if (!isTerminal.stderr || monotonicMs() - this.#updatedMs < updateMs) return;
    this.#updatedMs = monotonicMs();
    const part = Math.min(1, done / Math.max(1, total));
    const bar = '#'.repeat(Math.round(part * barCharacters)).padEnd(barCharacters, '.');
    stderr.write(`\r\u001b[K${this.#label} [${bar}] ${Math.floor(part * 100)} %${note}`);
    this.#isVisible = true;
  }

  end(): void {
    if (this.#isVisible) this.#environment.stderr.write('\r\u001b[K');
    this.#isVisible = false;
  }
}

/** Says on a terminal what is being done while it is, where nobody can tell how far it has come. */
export async function withNote<Made>(
  note: string,
  { stderr, isTerminal }: Environment,
  work: () => Made | Promise<Made>,
): Promise<Made> {
  if (!isTerminal.stderr) return work();
  stderr.write(`\r\u001b[K${onOneLine(note)} ...`);
  try {
    return await work();
  } finally {
    stderr.write('\r\u001b[K');
  }
}

/** Passes items on, telling how many of `total` have gone by. */
export function* withProgress<Item>(
  items: Iterable<Item>,
  total: number,
  label: string,
  environment: Environment,
): Generator<Item> {
  const bar = new ProgressBar(label, environment);
  let count = 0;
  try {
    for (const item of items) {
      yield item;
      count++;
      bar.show(count, total);
    }
  } finally {
    bar.end();
  }
}
