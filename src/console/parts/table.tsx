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

interface TableProps<Item> {
  readonly caption?: string;
  /** The first one names the row. */
  readonly columns: readonly TableColumn<Item>[];
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string | number;
  /** Whether an item begins as the one before it does, so that its name need not be read again. */
  readonly isRepeated?: (item: Item, before: Item) => boolean;
}

export function Table<Item>({ caption, columns, items, keyOf, isRepeated }: TableProps<Item>) {
  return (
    <table class="rows">
      {caption !== undefined && <caption class="unseen">{caption}</caption>}
      <thead>
        <tr>
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
}

function Row<Item>({ item, columns: [first, ...others], isRepeated }: RowProps<Item>) {
  const row = useRef<HTMLTableRowElement>(null);
  // What is about to come into sight is asked for too.
  const isOnScreen = useOnScreen(row, '300px');
  return (
    <tr ref={row} data-row class={isRepeated ? 'repeated' : undefined}>
      <th scope="row">{first?.cell(item, isOnScreen)}</th>
      {others.map(({ label, kind, cell }) => (
        <td key={label} class={kind} data-label={kind === 'action' ? undefined : label}>
          {cell(item, isOnScreen)}
        </td>
      ))}
    </tr>
  );
}
