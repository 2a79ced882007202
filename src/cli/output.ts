/**
 * Output: one answer in the form that was asked for.
 *
 * JSON and YAML show what the API answered, field for field, and are promised to stay as they are;
 * tables are for people and may change: one row a line, headings above, no borders. They are made here in one pass over
 * the rows, of which a list may have a million. A table is the default on a terminal, JSON elsewhere. What an answer
 * warns of goes to standard error in every form.
 */
import type { Warning } from './answers.ts';
import type { Environment } from './environment.ts';
import { createPaint, hasUnseen, onOneLine, type Paint } from './terminal.ts';

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
  async show(value: unknown, forPeople: () => string | Promise<string>): Promise<void> {
    await this.#showAnswer(value, forPeople);
    for (const warning of warningsOf(value)) {
      this.#environment.stderr.write(`warning: ${onOneLine(lineOf(warning))}\n`);
    }
  }

  async #showAnswer(value: unknown, forPeople: () => string | Promise<string>): Promise<void> {
    if (this.format === 'table') {
      this.write(await forPeople());
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
    return this.table(headingsOf(columns), cells);
  }

  /** One thing, its columns below each other. */
  one<Row>(columns: Columns<Row>, row: Row): string {
    const cells = cellsOf(columns, row);
    return this.fields(headingsOf(columns).map((name, index) => [name, cells[index]] as const));
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
  if (typeof value !== 'object' || value === null) return [];
  if ('zones' in value && Array.isArray(value.zones)) return value.zones.flatMap(warningsOf);
  if (!('warnings' in value)) return [];
  // The status of a signed zone has warnings of its own, which are texts and part of the answer.
  const given: unknown[] = Array.isArray(value.warnings) ? value.warnings : [];
  return given.filter((one): one is Warning => typeof one === 'object' && one !== null);
}

/** Those of the status of a zone are about no name. */
function lineOf({ name = null, type, message }: Warning): string {
  return name === null ? message : `${name} ${type ?? ''}: ${message}`;
}

export type Cell = string | number | boolean | null | undefined;

/** What is presented of a thing: properties under their own names, or under a heading what is made of it. */
export type Columns<Row> = readonly (
  | (keyof Row & string)
  | readonly [heading: string, of: (keyof Row & string) | ((row: Row) => Cell)]
)[];

function headingsOf<Row>(columns: Columns<Row>): string[] {
  return columns.map((column) => (typeof column === 'string' ? column : column[0]));
}

export function cellsOf<Row>(columns: Columns<Row>, row: Row): Cell[] {
  return columns.map((column) => {
    const of = typeof column === 'string' ? column : column[1];
    return typeof of === 'function' ? of(row) : (row[of] as Cell);
  });
}

const gap = '  ';

export function renderTable(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  paint: Paint,
): string {
  const titles = headings.map((heading) => heading.toUpperCase());
  const widths = titles.map(widthOf);
  const texts = rows.map((row) => row.map(showCell));
  for (const row of texts) {
    for (const [column, text] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(text));
    }
  }
  const line = (cells: readonly string[], style: (text: string) => string) =>
    cells
      .map((text, column) => {
        // Nothing stands behind the last column, so nothing fills it.
        const last = column === cells.length - 1;
        return style(text) + (last ? '' : ' '.repeat(widths[column]! - widthOf(text)));
      })
      .join(gap);
  return [line(titles, paint.bold), ...texts.map((row) => line(row, (text) => text))].join('\n');
}

/** One thing with its fields below each other. */
export function renderFields(
  fields: readonly (readonly [name: string, value: Cell])[],
  paint: Paint,
): string {
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields
    .map(([name, value]) => `${paint.bold(name.padEnd(width))}${gap}${showCell(value)}`)
    .join('\n');
}

export function showCell(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return '-';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return onOneLine(String(cell));
}

const narrow = /^[\u0020-\u007e]*$/;
const marks = /[\p{Mark}\u200b-\u200d\ufeff]/gu;
/** Scripts whose characters fill two columns (Unicode annex 11), nearly enough for alignment. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]/gu;

/** Columns a text takes on a terminal. */
function widthOf(text: string): number {
  if (narrow.test(text)) return text.length;
  const visible = text.replace(marks, '');
  return [...visible].length + (visible.match(wide)?.length ?? 0);
}
