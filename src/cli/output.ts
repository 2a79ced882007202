/**
 * Output: one answer in the form that was asked for.
 *
 * JSON and YAML show what the API answered, field for field, and are promised to stay as they are;
 * tables are for people and may change. A table is the default on a terminal, JSON elsewhere. What an answer
 * warns of goes to standard error in every form.
 */
import type { Warning } from './answers.ts';
import { createPaint, hasUnseen, onOneLine, type Paint } from './paint.ts';
import type { Environment } from './environment.ts';
import { type Cell, type Columns, cellsOf, renderFields, renderTable } from './table.ts';

export const formats = ['table', 'json', 'yaml'] as const;
export type Format = (typeof formats)[number];

export class Output {
  readonly format: Format;
  readonly paint: Paint;
  readonly #environment: Environment;

  constructor(environment: Environment, asked: Format | undefined) {
    const isTerminal = environment.isTerminal.stdout;
    this.format = asked ?? (isTerminal ? 'table' : 'json');
    this.paint = createPaint(isTerminal, environment.env);
    this.#environment = environment;
  }

  /** Shows a value: as data, or as the text that `forPeople` makes of it. */
  async show(value: unknown, forPeople: () => string): Promise<void> {
    await this.#showAnswer(value, forPeople);
    for (const warning of warningsOf(value)) {
      this.#environment.stderr.write(`warning: ${onOneLine(lineOf(warning))}\n`);
    }
  }

  async #showAnswer(value: unknown, forPeople: () => string): Promise<void> {
    if (this.format === 'table') {
      this.write(forPeople());
    } else if (this.format === 'json') {
      this.write(JSON.stringify(value, undefined, 2));
    } else {
      this.write(await yamlOf(value));
    }
  }

  table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
    return renderTable(headings, rows, this.paint);
  }

  fields(fields: readonly (readonly [string, Cell])[]): string {
    return renderFields(fields, this.paint);
  }

  /** A table of things that are alike. */
  rows<Row>(columns: Columns<Row>, rows: readonly Row[]): string {
    const cells = rows.map((row) => cellsOf(columns, row));
    return this.table(Object.keys(columns), cells);
  }

  /** One thing, its columns below each other. */
  one<Row>(columns: Columns<Row>, row: Row): string {
    const cells = cellsOf(columns, row);
    return this.fields(Object.keys(columns).map((name, index) => [name, cells[index]] as const));
  }

  /** Text on standard output, ended by exactly one line feed. */
  write(text: string): void {
    this.#environment.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  }
}

/** Texts with characters that a terminal would not show stand in double quotes, where escapes are read. */
async function yamlOf(value: unknown): Promise<string> {
  const { Document, visit } = await import('yaml');
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && hasUnseen(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 0 });
}

/** What an answer warns of; nothing where it is no answer of a write. */
function warningsOf(value: unknown): readonly Warning[] {
  if (typeof value !== 'object' || value === null || !('warnings' in value)) return [];
  // The status of a signed zone has warnings of its own, which are texts and part of the answer.
  const given: unknown[] = Array.isArray(value.warnings) ? value.warnings : [];
  return given.filter((one): one is Warning => typeof one === 'object' && one !== null);
}

/** Those of the status of a zone are about no name. */
function lineOf({ name = null, type, message }: Warning): string {
  return name === null ? message : `${name} ${type ?? ''}: ${message}`;
}
