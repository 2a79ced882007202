/**
 * Output: one answer in the form that was asked for.
 *
 * JSON and YAML show what the API answered, field for field, and are promised to stay as they are;
 * tables are for people and may change. A table is the default on a terminal, JSON elsewhere.
 */
import { createPaint, type Paint } from './paint.ts';
import type { Surroundings } from './services.ts';
import { type Cell, renderFields, renderTable } from './table.ts';

export const formats = ['table', 'json', 'yaml'] as const;
export type Format = (typeof formats)[number];

export class Output {
  readonly format: Format;
  readonly paint: Paint;
  readonly #surroundings: Surroundings;

  constructor(surroundings: Surroundings, asked: Format | undefined) {
    const isTerminal = surroundings.isTerminal.stdout;
    this.format = asked ?? (isTerminal ? 'table' : 'json');
    this.paint = createPaint(isTerminal, surroundings.env);
    this.#surroundings = surroundings;
  }

  /** Shows a value: as data, or as the text that `forPeople` makes of it. */
  async show(value: unknown, forPeople: () => string): Promise<void> {
    if (this.format === 'table') {
      this.write(forPeople());
    } else if (this.format === 'json') {
      this.write(JSON.stringify(value, undefined, 2));
    } else {
      const { stringify } = await import('yaml');
      this.write(stringify(value, { lineWidth: 0 }));
    }
  }

  table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
    return renderTable(headings, rows, this.paint);
  }

  fields(fields: readonly (readonly [string, Cell])[]): string {
    return renderFields(fields, this.paint);
  }

  /** Text on standard output, ended by exactly one line feed. */
  write(text: string): void {
    this.#surroundings.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  }
}
