/** The columns of the list of zones, of which a person hides some; the browser keeps which. */
import { signal } from '@preact/signals';
import type { Zone } from '../api.ts';
import { deletionOf } from '../deletion.ts';
import { isEarlier } from '../moment.ts';
import { may } from '../permissions.ts';
import { hrefOf } from '../router.ts';
import { pending } from '../write.ts';
import type { TableColumn } from './table.tsx';
import { Unicode, visible } from './text.tsx';
import { ChangeCell, DnssecCell, RecordsCell, SecondariesCell } from './zone-cells.tsx';

const columns: readonly TableColumn<Zone>[] = [
  {
    label: 'Name',
    cell: ({ name }) => (
      <>
        <a href={hrefOf(['zones', name, 'records'])}>{visible(name)}</a>
        <Unicode text={name} />
      </>
    ),
  },
  { label: 'Serial', kind: 'number', cell: ({ serial }) => serial },
  {
    label: 'Records',
    kind: 'number',
    cell: (zone, isOnScreen) => <RecordsCell zone={zone} isOnScreen={isOnScreen} />,
  },
  { label: 'State', cell: ({ enabled }) => (enabled ? 'served' : 'disabled') },
  {
    label: 'DNSSEC',
    cell: (zone, isOnScreen) => <DnssecCell zone={zone} isOnScreen={isOnScreen} />,
  },
  {
    label: 'Secondaries',
    cell: (zone, isOnScreen) => <SecondariesCell zone={zone} isOnScreen={isOnScreen} />,
  },
  {
    label: 'Last change',
    cell: (zone, isOnScreen) => <ChangeCell zone={zone} isOnScreen={isOnScreen} />,
  },
  { label: 'Description', kind: 'muted', cell: ({ description }) => visible(description ?? '') },
  { label: 'Actions', kind: 'action', cell: (zone) => <RowActions zone={zone} /> },
];

/** Where keys of the row lead too; each is there only for who may. */
function RowActions({ zone }: { readonly zone: Zone }) {
  const { name } = zone;
  return (
    <>
      <a href={hrefOf(['zones', name, 'timeline'])} aria-label="History">
        History
      </a>{' '}
      {may(name, 'dnssec:read') && (
        <a href={hrefOf(['zones', name, 'dnssec'])} aria-label="DNSSEC">
          DNSSEC
        </a>
      )}{' '}
      {!isEarlier.value && may(name, 'zone:delete') && (
        <button
          type="button"
          class="quiet"
          aria-label={`Delete ${visible(name)}`}
          onClick={() => {
            pending.value = deletionOf(zone);
          }}
        >
          Delete
        </button>
      )}
    </>
  );
}

/** What is known of an earlier moment. */
const earlier = new Set(['Name', 'Last change', 'Actions']);

const storedKey = 'zonebook-hidden-columns';
const hidden = signal<ReadonlySet<string>>(
  new Set((localStorage.getItem(storedKey) ?? '').split(',')),
);

/** Those that are shown: what a hidden one has is not asked for. */
export function zoneColumns(): readonly TableColumn<Zone>[] {
  return columns.filter(({ label }, index) => {
    if (isEarlier.value) return earlier.has(label);
    return index === 0 || !hidden.value.has(label);
  });
}

function show(label: string, isShown: boolean): void {
  const others = [...hidden.value].filter((each) => each !== label);
  hidden.value = new Set(isShown ? others : [...others, label]);
  localStorage.setItem(storedKey, [...hidden.value].join(','));
}

export function ColumnChoice() {
  return (
    <details class="files">
      <summary>Columns</summary>
      <div class="filters">
        {columns.slice(1, -1).map(({ label }) => (
          <label key={label}>
            <input
              type="checkbox"
              checked={!hidden.value.has(label)}
              onChange={({ currentTarget: { checked } }) => show(label, checked)}
            />{' '}
            {label}
          </label>
        ))}
      </div>
    </details>
  );
}
