/**
 * Progress of what takes long: a bar on the terminal, nothing elsewhere. It goes to standard error, so
 * that output stays clean, and is wiped at the end.
 */
import { monotonicMs } from '../base/clock.ts';
import { onOneLine } from './paint.ts';
import type { Environment } from './environment.ts';

const barCharacters = 30;
/** Milliseconds before the bar shows at all, and between two updates. */
const updateMs = 200;

export class ProgressBar {
  readonly #label: string;
  readonly #environment: Environment;
  #shownMs = monotonicMs();
  #isShown = false;

  constructor(label: string, environment: Environment) {
    this.#label = onOneLine(label);
    this.#environment = environment;
  }

  /** `note` stands behind the bar. */
  show(done: number, total: number, note = ''): void {
    const { stderr, isTerminal } = this.#environment;
    if (!isTerminal.stderr || monotonicMs() - this.#shownMs < updateMs) return;
    this.#shownMs = monotonicMs();
    const part = Math.min(1, done / Math.max(1, total));
    const bar = '#'.repeat(Math.round(part * barCharacters)).padEnd(barCharacters, '.');
    stderr.write(`\r\u001b[K${this.#label} [${bar}] ${Math.floor(part * 100)} %${note}`);
    this.#isShown = true;
  }

  end(): void {
    if (this.#isShown) this.#environment.stderr.write('\r\u001b[K');
    this.#isShown = false;
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
