/** Two moments of a zone beside each other. */
import { get, type VersionDiff, type Zone, zonePath } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { absolute } from '../moment.ts';
import { CompareFile } from '../parts/compare-file.tsx';
import { DiffTable } from '../parts/diff.tsx';
import { mayWhole } from '../permissions.ts';
import { Answered } from '../parts/states.tsx';
import { go, hrefWith, parameter } from '../router.ts';

const digits = /^\d+$/;

/** A side of the comparison, a serial or a time, as the interface asks for it. */
function sideQuery(text: string, serialName: string, timeName: string) {
  if (text === '') return {};
  return { [digits.test(text) ? serialName : timeName]: text };
}

function sideText(text: string): string {
  if (text === '') return 'now';
  return digits.test(text) ? `serial ${text}` : absolute(text);
}

export function Compare({ zone }: { readonly zone: Zone }) {
  const from = parameter('from') || parameter('at');
  const to = parameter('to');
  return (
    <section aria-label="Compare">
      <Sides from={from} to={to} />
      {from === '' ? (
        <p class="muted">Give a serial or a time to compare with.</p>
      ) : (
        <Difference zone={zone} from={from} to={to} />
      )}
      {mayWhole(zone.name, 'record:read') && <CompareFile zone={zone} />}
    </section>
  );
}

function Sides({ from, to }: { readonly from: string; readonly to: string }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const side = (name: string) => String(given.get(name) ?? '').trim();
    go(hrefWith({ from: side('from'), to: side('to'), at: undefined }));
  };
  return (
    <form class="filters" onSubmit={submit} key={`${from} ${to}`}>
      <label class="filter">
        <span>From serial or time</span>
        <input name="from" defaultValue={from} placeholder="2026-11-20T14:00:00Z" required />
      </label>
      <label class="filter">
        <span>To (now when empty)</span>
        <input name="to" defaultValue={to} />
      </label>
      <button type="submit">Compare</button>
    </form>
  );
}

interface DifferenceProps {
  readonly zone: Zone;
  readonly from: string;
  readonly to: string;
}

function Difference({ zone, from, to }: DifferenceProps) {
  const query = { ...sideQuery(from, 'from', 'at'), ...sideQuery(to, 'to', 'to_at') };
  const loaded = useLoaded(
    (signal) => get<VersionDiff>(zonePath(zone.name, '/versions/diff'), query, signal),
    [zone.name, zone.serial, from, to],
  );
  return (
    <Answered loaded={loaded}>
      {({ diff, from_serial: first, to_serial: last }) => (
        <>
          <p role="status">
            From {sideText(from)} (serial {first}) to {sideText(to)} (serial {last}):{' '}
            {diff.summary.added} added, {diff.summary.changed} changed, {diff.summary.removed}{' '}
            removed.
          </p>
          <DiffTable diff={diff} limit={1000} />
        </>
      )}
    </Answered>
  );
}
