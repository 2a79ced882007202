/** Lists as files: comma-separated values (RFC 4180) that no spreadsheet takes for formulas, and lines of JSON. */
import { counted } from './counted.ts';
import type { Saving } from './parts/save-button.tsx';

export interface Column<Item> {
  readonly name: string;
  readonly of: (item: Item) => string | number | boolean | null;
}

/** What makes a spreadsheet take a cell for a formula, also in its full-width form. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;

/** In quotes, so that nothing in it ends it; what could be a formula begins with an apostrophe. */
export function cellText(value: string | number | boolean | null): string {
  const text = value === null ? '' : String(value);
  const isFormula = typeof value === 'string' && formulaStart.test(text);
  return `"${isFormula ? "'" : ''}${text.replaceAll('"', '""')}"`;
}

const line = (cells: readonly Parameters<typeof cellText>[0][]) =>
  `${cells.map(cellText).join(',')}\r\n`;

export const listForms = {
  csv: { label: 'CSV', mediaType: 'text/csv' },
  ndjson: { label: 'NDJSON', mediaType: 'application/x-ndjson' },
} as const;

export type ListForm = keyof typeof listForms;

interface ListFile<Item> {
  readonly columns: readonly Column<Item>[];
  readonly pages: AsyncIterable<readonly Item[]>;
  /** What one of them is called. */
  readonly noun: string;
}

/** The texts of the file, page after page; the pages may throw. */
export async function* listFile<Item>(
  form: ListForm,
  { columns, pages, noun }: ListFile<Item>,
  { report }: Pick<Saving, 'report'>,
): AsyncGenerator<string> {
  let count = 0;
  if (form === 'csv') yield line(columns.map(({ name }) => name));
  for await (const items of pages) {
    const lines =
      form === 'csv'
        ? items.map((item) => line(columns.map(({ of }) => of(item))))
        : items.map((item) => `${JSON.stringify(item)}\n`);
    yield lines.join('');
    count += items.length;
    report(`${counted(count, noun)} so far`);
  }
  report(`Saved: ${counted(count, noun)}.`);
}
