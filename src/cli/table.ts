/**
 * Tables for people: one row a line, headings above, no borders.
 *
 * Made here in one pass over the rows: a list may have a million, and table libraries that lay out
 * spans and wrapped cells take minutes for thirty thousand.
 */
import { onOneLine, type Paint } from './paint.ts';

export type Cell = string | number | boolean | null | undefined;

/** What is shown of a thing: under each heading a property of it, or what is made of it. */
export type Columns<Row> = Readonly<Record<string, (keyof Row & string) | ((row: Row) => Cell)>>;

export function cellsOf<Row>(columns: Columns<Row>, row: Row): Cell[] {
  return Object.values(columns).map((column) =>
    typeof column === 'function' ? column(row) : (row[column] as Cell),
  );
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
  const shown = text.replace(marks, '');
  return [...shown].length + (shown.match(wide)?.length ?? 0);
}
