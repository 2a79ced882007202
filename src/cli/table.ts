/** Tables for people: one row a line, headings above, no borders. */
import type { Paint } from './paint.ts';
import { onOneLine } from './paint.ts';

export type Cell = string | number | boolean | null | undefined;

/** Marks of a cli-table3 table that draws no lines. */
const noLines = Object.fromEntries(
  ['top', 'bottom', 'mid', 'left', 'right']
    .flatMap((side) => ['', '-mid', '-left', '-right'].map((part) => `${side}${part}`))
    .map((mark) => [mark, '']),
);

export async function renderTable(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  paint: Paint,
): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    head: headings.map((heading) => paint.bold(heading.toUpperCase())),
    chars: { ...noLines, middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) table.push(row.map(showCell));
  return trimLines(table.toString());
}

/** One thing with its fields below each other. */
export async function renderFields(
  fields: readonly (readonly [name: string, value: Cell])[],
  paint: Paint,
): Promise<string> {
  const width = Math.max(...fields.map(([name]) => name.length));
  const lines = fields.map(([name, value]) => {
    return `${paint.bold(name.padEnd(width))}  ${showCell(value)}`;
  });
  return trimLines(lines.join('\n'));
}

function showCell(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return '-';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return onOneLine(String(cell));
}

function trimLines(text: string): string {
  return text.replace(/[ ]+$/gm, '');
}
