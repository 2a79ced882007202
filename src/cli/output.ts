/**
 * Output: one answer in the form that was asked for, which is the same on a terminal and in a pipe.
 *
 * JSON, YAML and TSV show what the API answered, field for field, and are promised to stay as they are; tables are for
 * people and may change: one row a line, headings above, no borders. They are made here in one pass over the rows, of
 * which a list may have a million. On a terminal a table is cut to its columns, and a long diff to its first lines; in
 * a pipe nothing is. What an answer warns of goes to standard error in every form.
 */
import { namedAsCalled } from '../base/called-as.ts';
import type { Warning } from './answers.ts';
import type { Environment } from './environment.ts';
import { createPaint, hasUnseen, onOneLine, type Paint } from './terminal.ts';
import { tsvOf } from './tsv.ts';

export const formats = ['table', 'json', 'yaml', 'tsv'] as const;
export type Format = (typeof formats)[number];

/** Lines of a diff or a preview that a terminal shows. */
const terminalLines = 100;

interface OutputOptions {
  /** True to show every line of a diff, however many they are. */
  readonly all?: boolean;
  /** Where it goes: what is asked before a change goes to standard error. */
  readonly sink?: 'stdout' | 'stderr';
}

export class Output {
  readonly format: Format;
  readonly paint: Paint;
  /** Lines of a diff or a preview to show at most. */
  readonly maxLines: number;
  /** Columns of the terminal; no limit where it is none. */
  readonly #columns: number;
  readonly #environment: Environment;

  constructor(
    environment: Environment,
    asked: Format | undefined,
    { all = false, sink = 'stdout' }: OutputOptions = {},
  ) {
    const isTerminal = environment.isTerminal[sink];
    this.format = asked ?? 'table';
    this.paint = createPaint(isTerminal, environment.env);
    this.maxLines = isTerminal && !all ? terminalLines : Number.POSITIVE_INFINITY;
    this.#columns = (isTerminal && environment[sink].columns) || Number.POSITIVE_INFINITY;
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
    } else if (this.format === 'yaml') {
      this.write(await yamlOf(value));
    } else {
      this.#environment.stdout.write(tsvOf(value));
    }
  }

  table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
    return renderTable(headings, rows, this.paint, this.#columns);
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

  /** A hint with the command named as it was called. */
  hint(text: string): string {
    return namedAsCalled(text, this.#environment.env.ZONEBOOK_COMMAND);
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

/** `columns`: of the terminal, to which the widest cells are cut. The last one goes on below itself instead. */
export function renderTable(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  paint: Paint,
  columns = Number.POSITIVE_INFINITY,
): string {
  const titles = headings.map((heading) => heading.toUpperCase());
  const texts = rows.map((row) => row.map(showCell));
  const wanted = titles.map(widthOf);
  for (const row of texts) {
    for (const [column, text] of row.entries()) {
      wanted[column] = Math.max(wanted[column] ?? 0, widthOf(text));
    }
  }
  const widths = fitted(wanted, titles, columns);
  const last = titles.length - 1;
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + gap.length, 0);
  const line = (cells: readonly string[], style: (text: string) => string) =>
    cells
      .map((text, column) => {
        const width = widths[column]!;
        const isCut = width < wanted[column]!;
        // Nothing stands behind the last column, so nothing fills it.
        if (column === last) return isCut ? wrapped(text, width, before, style) : style(text);
        const fitting = isCut ? cut(text, width) : text;
        return style(fitting) + ' '.repeat(width - widthOf(fitting));
      })
      .join(gap);
  return [line(titles, paint.bold), ...texts.map((row) => line(row, (text) => text))].join('\n');
}

/** Columns below which no cell is cut: a table that does not fit then is as wide as it has to be. */
const minWidth = 8;

/** Widths that fit, of which only the widest are smaller than wanted, and none than its title. */
function fitted(wanted: readonly number[], titles: readonly string[], columns: number): number[] {
  const smallest = titles.map((title) => Math.max(minWidth, widthOf(title)));
  const capped = (cap: number) =>
    wanted.map((width, column) => Math.min(width, Math.max(cap, smallest[column]!)));
  const total = (widths: readonly number[]) =>
    widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1));
  if (total(wanted) <= columns) return [...wanted];
  let cap = Math.max(...wanted);
  while (cap > minWidth && total(capped(cap)) > columns) cap--;
  return capped(cap);
}

/** The beginning of a text, with an ellipsis in its last column. */
function cut(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${beginning(text, width - 1)}…`;
}

/** A text in lines below each other, taken apart at blanks where there are any. */
function wrapped(
  text: string,
  width: number,
  indent: number,
  style: (line: string) => string,
): string {
  const lines: string[] = [];
  let rest = text;
  while (widthOf(rest) > width) {
    const longest = beginning(rest, width);
    const blank = rest[longest.length] === ' ' ? longest.length : longest.lastIndexOf(' ');
    const end = blank > 0 ? blank : longest.length;
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest].map(style).join(`\n${' '.repeat(indent)}`);
}

/** As much of a text as fits into columns, and one character in any case. */
function beginning(text: string, width: number): string {
  let end = 0;
  let used = 0;
  for (const character of text) {
    used += widthOf(character);
    if (used > width && end > 0) break;
    end += character.length;
  }
  return text.slice(0, end);
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
export function widthOf(text: string): number {
  if (narrow.test(text)) return text.length;
  const visible = text.replace(marks, '');
  return [...visible].length + (visible.match(wide)?.length ?? 0);
}
