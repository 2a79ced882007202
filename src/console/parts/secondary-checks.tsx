/** Secondaries, each with a check that asks it and sends it a NOTIFY. */
import { useState } from 'preact/hooks';
import { ask, get, type Listed, type Secondary, type SecondaryCheck } from '../api.ts';
import { counted } from '../counted.ts';
import { useLoaded } from '../loading.ts';
import { may } from '../permissions.ts';
import { hrefOf } from '../router.ts';
import { visible } from './text.tsx';

const shownAtOnce = 50;

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
      <table class="rows">
        <caption class="unseen">Secondaries and what they say</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Address</th>
            <th scope="col">What it says</th>
          </tr>
        </thead>
        <tbody>
          {value.items.map((secondary) => (
            <Row key={secondary.id} secondary={secondary} />
          ))}
        </tbody>
      </table>
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

function Row({ secondary: { name, address, enabled } }: { readonly secondary: Secondary }) {
  const [said, setSaid] = useState<readonly Said[]>();
  const [isWaiting, setWaiting] = useState(false);
  const check = async () => {
    setWaiting(true);
    try {
      const path = `/secondaries/${encodeURIComponent(name)}/check`;
      setSaid(saidBy(await ask<SecondaryCheck>('POST', path)));
    } catch (error) {
      setSaid([[false, (error as Error).message]]);
    }
    setWaiting(false);
  };
  return (
    <tr data-row>
      <th scope="row">{visible(name)}</th>
      <td data-label="Address">{address}</td>
      <td data-label="What it says" aria-busy={isWaiting}>
        {!enabled && <p>It is disabled.</p>}
        <ul class="said" aria-live="polite">
          {said?.map(([isGood, text]) => (
            <li key={text} class={isGood ? 'state good' : 'state bad'}>
              {visible(text)}
            </li>
          ))}
        </ul>
        {may(undefined, 'secondary:manage') && (
          <button
            type="button"
            aria-label={`Check ${visible(name)}`}
            disabled={isWaiting}
            onClick={() => void check()}
          >
            Check
          </button>
        )}
      </td>
    </tr>
  );
}
