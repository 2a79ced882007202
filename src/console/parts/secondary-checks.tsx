/** Secondaries, each with a check that asks it and sends it a NOTIFY. */
import { useState } from 'preact/hooks';
import { ask, get, type Listed, type Secondary, type SecondaryCheck } from '../api.ts';
import { counted } from '../counted.ts';
import { useLoaded } from '../loading.ts';
import { may } from '../permissions.ts';
import { hrefOf } from '../router.ts';
import { Table, type TableColumn } from './table.tsx';
import { visible } from './text.tsx';

const shownAtOnce = 50;

const columns: readonly TableColumn<Secondary>[] = [
  { label: 'Name', cell: ({ name }) => visible(name) },
  { label: 'Address', cell: ({ address }) => address },
  {
    label: 'What it says',
    cell: ({ name, enabled }) => (
      <>
        {!enabled && <p>It is disabled.</p>}
        <Check name={name} />
      </>
    ),
  },
];

export function SecondaryChecks() {
  return may(undefined, 'secondary:read', 'secondary:manage') ? <Checks /> : null;
}

function Checks() {
  const { value } = useLoaded(
    (signal) => get<Listed<Secondary>>('/secondaries', { limit: shownAtOnce }, signal),
    [],
  );
  if (value === undefined || value.items.length === 0) return null;
  return (
    <section aria-label="Secondaries">
      <h2>Secondaries</h2>
      <Table
        caption="Secondaries and what they say"
        columns={columns}
        items={value.items}
        keyOf={({ id }) => id}
      />
      {value.pagination.total > shownAtOnce && (
        <p>
          <a href={hrefOf(['secondaries'])}>
            All {counted(value.pagination.total, 'secondary', 'secondaries')}
          </a>
        </p>
      )}
    </section>
  );
}

type Said = readonly [isGood: boolean, text: string];

function saidBy({
  resolve_error: unresolved,
  catalog,
  catalog_serial: ours,
  notifies,
  transfers,
  content_differs: differing,
  listener_error: listener,
}: SecondaryCheck): Said[] {
  if (unresolved !== null) return [[false, unresolved]];
  const said: Said[] = [];
  if (listener !== null) said.push([false, `The listener of this service: ${listener}`]);
  if (catalog.status === 'unreachable') said.push([false, catalog.error ?? 'does not answer']);
  else if (catalog.visible_serial === null) said.push([true, 'Answers; it has no catalog zone.']);
  else said.push([true, `Has the catalog at serial ${catalog.visible_serial} of ${ours}.`]);
  for (const { address, error } of notifies) {
    const text = error === null ? `${address} takes NOTIFY.` : `NOTIFY to ${address}: ${error}`;
    said.push([error === null, text]);
  }
  const { zones, refused, failed } = transfers;
  if (zones > 0) {
    const text = `Transferred ${counted(zones, 'zone')}, ${refused} refused, ${failed} failed.`;
    said.push([failed + refused === 0, text]);
  }
  if (differing.length > 0) said.push([false, `Other records: ${differing.join(', ')}`]);
  return said;
}

interface CheckProps {
  /** Of the secondary. */
  readonly name: string;
  readonly onChecked?: () => void;
}

/** A button that checks a secondary now, and what came of it. */
export function Check({ name, onChecked }: CheckProps) {
  const [said, setSaid] = useState<readonly Said[]>();
  const [isWaiting, setWaiting] = useState(false);
  const check = async () => {
    setWaiting(true);
    setSaid(undefined);
    try {
      const path = `/secondaries/${encodeURIComponent(name)}/check`;
      setSaid(saidBy(await ask<SecondaryCheck>('POST', path)));
    } catch (error) {
      setSaid([[false, (error as Error).message]]);
    }
    setWaiting(false);
    onChecked?.();
  };
  return (
    <div aria-busy={isWaiting}>
      <ul class="said" aria-live="polite">
        {isWaiting && <li>Asking it…</li>}
        {said?.map(([isGood, text]) => (
          <li key={text} class={isGood ? 'state good' : 'state bad'}>
            {visible(text)}
          </li>
        ))}
      </ul>
      {may(undefined, 'secondary:manage') && (
        <button type="button" disabled={isWaiting} onClick={() => void check()}>
          Check <span class="unseen">{visible(name)} </span>now
        </button>
      )}
    </div>
  );
}
