/** What the holders of a role may do, as a table: where, and which actions. */
import type { RoleGrant } from '../api.ts';
import { actionNames } from '../permissions.ts';
import { Table, type TableColumn } from './table.tsx';
import { visible } from './text.tsx';

/** Grants of one zone, names and types together; null for all zones. */
interface Row {
  readonly scope: readonly [zone: string | null, names: string, types: string];
  readonly actions: Set<string>;
}

/** What actions are about: a column for each action would fit no window. */
const kinds = {
  zone: 'Zone',
  record: 'Records',
  dnssec: 'DNSSEC',
  secondary: 'Secondaries',
  access: 'Access',
} as const;

/** All zones come first. Only actions on records are narrowed. */
function rowsOf(grants: readonly RoleGrant[]): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const {
    zone_name: zone,
    record_name_pattern: names,
    record_types: types,
    actions,
  } of grants) {
    for (const action of actions) {
      const isNarrow = action.startsWith('record:');
      const scope = [zone, isNarrow ? names : '*', isNarrow ? types : '*'] as const;
      const key = scope.join(' ');
      const row = rows.get(key) ?? { scope, actions: new Set() };
      rows.set(key, row);
      row.actions.add(action);
    }
  }
  return [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

/** Whether all that a row is about is in another one. */
const isWithin = ({ scope }: Row, { scope: wide }: Row) =>
  wide.every((each, index) => each === null || each === '*' || each === scope[index]);

const isNarrow = ({ scope: [, names, types] }: Row) => names !== '*' || types !== '*';

function whereText(row: Row): string {
  const [zone, names, types] = row.scope;
  const where = zone ?? 'all zones';
  if (!isNarrow(row)) return where;
  const what = types === '*' ? 'records' : types.replaceAll(',', ', ');
  return `${what}${names === '*' ? '' : ` of ${names}`} in ${where}`;
}

export function GrantTable({ grants }: { readonly grants: readonly RoleGrant[] }) {
  const rows = rowsOf(grants);
  const columns: readonly TableColumn<Row>[] = [
    { label: 'Where', cell: (row) => visible(whereText(row)) },
    ...Object.entries(kinds).map(([kind, label]) => ({
      label,
      cell: (row: Row) => {
        if (isNarrow(row) && kind !== 'record') return '';
        const wide = rows.filter((each) => isWithin(row, each));
        const held = actionNames.filter((action) =>
          wide.find(({ actions }) => actions.has(action)),
        );
        const verbs = held.map((action) => action.split(':')).filter(([of]) => of === kind);
        return verbs.map(([, verb]) => verb).join(', ') || <span class="muted">nothing</span>;
      },
    })),
  ];
  return <Table caption="What is allowed where" columns={columns} items={rows} keyOf={whereText} />;
}
