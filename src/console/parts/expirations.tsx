/** On which days how many signatures of a zone expire. */
import type { DnssecStatus } from '../api.ts';
import { Table, type TableColumn } from './table.tsx';

type Day = DnssecStatus['expirations'][number];

export function Expirations({ days }: { readonly days: readonly Day[] }) {
  const most = Math.max(...days.map(({ signatures }) => signatures));
  const columns: readonly TableColumn<Day>[] = [
    { label: 'Day (UTC)', cell: ({ date }) => date },
    {
      label: 'Signatures',
      kind: 'number',
      cell: ({ signatures }) => signatures.toLocaleString('en'),
    },
    {
      label: 'Share of the fullest day',
      cell: ({ signatures }) => (
        <meter aria-label={`${signatures} of ${most}`} min={0} max={most} value={signatures} />
      ),
    },
  ];
  if (days.length === 0) return null;
  return (
    <details>
      <summary>Signatures by the day on which they expire</summary>
      <Table
        caption="Signatures by the day on which they expire"
        columns={columns}
        items={days}
        keyOf={({ date }) => date}
      />
    </details>
  );
}
