/** For one zone: when each secondary had its latest serial, or why not, live. */
import { useEffect, useState } from 'preact/hooks';
import type { Propagation, Zone, ZoneStatus } from '../api.ts';
import { delayText } from '../duration.ts';
import { absolute } from '../moment.ts';
import { followSerial } from './propagation.tsx';
import { TransferText } from './secondary-states.tsx';
import { Table, type TableColumn } from './table.tsx';
import { visible } from './text.tsx';

type Reach = Propagation['secondaries'][number];

/** What was seen first stays; of one that had it before it was looked at, nobody knows when it got it. */
function merged(before: Propagation | undefined, now: Propagation): Propagation {
  const isFirst = before === undefined || before.serial !== now.serial;
  const secondaries = now.secondaries.map((each) => {
    if (isFirst) return each.how === 'probe' ? { ...each, delay_ms: null } : each;
    const known = before.secondaries.find(({ name }) => name === each.name);
    return known?.reached && each.reached ? known : each;
  });
  return { ...now, secondaries };
}

interface Row extends Reach {
  readonly status: ZoneStatus['secondaries'][number] | undefined;
}

function ReachText({ row }: { readonly row: Row }) {
  const { reached, delay_ms: delayMs, since, error, visible_serial: serial } = row;
  if (reached && delayMs === null) return 'has it';
  if (reached) return <span class="state good">+{delayText(delayMs!)}</span>;
  const reason = error ?? (serial === null ? 'it does not serve the zone' : `it serves ${serial}`);
  return (
    <span class="state bad">
      not yet: {visible(reason)}
      {since !== null && `, since ${absolute(since)}`}
    </span>
  );
}

function columnsOf(serial: number): readonly TableColumn<Row>[] {
  return [
    {
      label: 'Secondary',
      cell: ({ name, address }) => (
        <>
          {visible(name)} <span class="muted">{address}</span>
        </>
      ),
    },
    { label: `Serial ${serial}`, cell: (row) => <ReachText row={row} /> },
    {
      label: 'Serves',
      cell: ({ visible_serial: served, status }) => (
        <>
          {served ?? '–'}
          {status?.content === 'differs' && <div class="state bad">with other records</div>}
        </>
      ),
    },
    {
      label: 'Last transfer',
      cell: ({ status }) => <TransferText last={status?.last_transfer} />,
    },
  ];
}

interface SecondaryReachProps {
  readonly zone: Zone;
  readonly status: ZoneStatus;
  /** Asks for the status anew. */
  readonly again: () => void;
}

export function SecondaryReach({ zone: { name }, status, again }: SecondaryReachProps) {
  const [answer, setAnswer] = useState<Propagation>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    const aborting = new AbortController();
    const { signal } = aborting;
    let isMissing = false;
    const heard = (next: Propagation) => {
      // What was transferred meanwhile is in the status.
      if (isMissing && next.reached) again();
      isMissing = !next.reached;
      setAnswer((before) => merged(before, next));
    };
    void followSerial({ zone: name, serial: status.serial, signal, heard });
    return () => aborting.abort();
  }, [name, status.serial, round]);
  const askAgain = () => {
    setRound((count) => count + 1);
    again();
  };
  const of = (address: string) => status.secondaries.find((each) => each.address === address);
  return (
    <>
      <p role="status" aria-busy={!answer}>
        Serial {answer?.serial ?? status.serial}
        {answer?.changed_at && ` was made ${absolute(answer.changed_at)}`}.{' '}
        {answer?.safe_after &&
          ` Caches have dropped what was replaced by ${absolute(answer.safe_after)}. `}
        <button type="button" onClick={askAgain}>
          Ask again
        </button>
      </p>
      {answer && (
        <Table
          caption={`Secondaries of ${name}`}
          columns={columnsOf(answer.serial)}
          items={answer.secondaries.map((each) => ({ ...each, status: of(each.address) }))}
          keyOf={(row) => row.name}
        />
      )}
    </>
  );
}
