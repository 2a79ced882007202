/** A list as a table: in narrow windows each cell says which column it is of. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useOnScreen } from './on-screen.ts';

export interface TableColumn<Item> {
  readonly label: string;
  /** Numbers stand on the right; actions have no label that is seen. */
  readonly kind?: 'number' | 'action' | 'muted';
  /** `isOnScreen`: whether the row is, for what is asked about it only then. */
  readonly cell: (item: Item, isOnScreen: boolean) => ComponentChildren;
}

/** Where the page of a longer list begins, and how many rows that has. */
export interface PageOfRows {
  readonly offset: number;
  readonly total: number;
}

/** The head is the first row. Undefined where the page has all rows: then they can be counted. */
export function rowCount(page: PageOfRows | undefined, length: number): number | undefined {
  return page !== undefined && page.total > length ? page.total + 1 : undefined;
}

/** The number of a row in the whole list, as that of the head, -1, is 1. */
export function rowIndex(page: PageOfRows | undefined, length: number, index: number) {
  return rowCount(page, length) === undefined
    ? undefined
    : index + 2 + (index < 0 ? 0 : page!.offset);
}

interface TableProps<Item> {
  readonly caption?: string;
  /** The first one names the row. */
  readonly columns: readonly TableColumn<Item>[];
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string | number;
  /** Whether an item begins as the one before it does, so that its name need not be read again. */
  readonly isRepeated?: (item: Item, before: Item) => boolean;
  readonly page?: PageOfRows;
}

export function Table<Item>(props: TableProps<Item>) {
  const { caption, columns, items, keyOf, isRepeated, page } = props;
  return (
    <table class="rows" aria-rowcount={rowCount(page, items.length)}>
      {caption !== undefined && <caption class="unseen">{caption}</caption>}
      <thead>
        <tr aria-rowindex={rowIndex(page, items.length, -1)}>
          {columns.map(({ label, kind }) => (
            <th key={label} scope="col" class={kind === 'number' ? kind : undefined}>
              {kind === 'action' ? <span class="unseen">{label}</span> : label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((item, index) => (
          <Row
            key={keyOf(item)}
            item={item}
            rowIndex={rowIndex(page, items.length, index)}
            columns={columns}
            isRepeated={index > 0 && (isRepeated?.(item, items[index - 1]!) ?? false)}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps<Item> {
  readonly item: Item;
  readonly columns: readonly TableColumn<Item>[];
  readonly isRepeated: boolean;
  readonly rowIndex: number | undefined;
}

function Row<Item>({ item, columns, isRepeated, rowIndex: number }: RowProps<Item>) {
  const [first, ...others] = columns;
  const row = useRef<HTMLTableRowElement>(null);
  // What is about to come into sight is asked for too.
  const isOnScreen = useOnScreen(row, '300px');
  return (
    <tr ref={row} data-row aria-rowindex={number} class={isRepeated ? 'repeated' : undefined}>
      <th scope="row">{first?.cell(item, isOnScreen)}</th>
      {others.map(({ label, kind, cell }) => (
        <td key={label} class={kind} data-label={kind === 'action' ? undefined : label}>
          {cell(item, isOnScreen)}
        </td>
      ))}
    </tr>
  );
}
