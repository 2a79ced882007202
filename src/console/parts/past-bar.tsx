/** That the page looks at an earlier moment: which version of the zone that is, and the ways from there. */
import { signal } from '@preact/signals';
import { type Activity, get, zonePath } from '../api.ts';
import { counted } from '../counted.ts';
import { rollbackOf } from '../difference.ts';
import { useLoaded } from '../loading.ts';
import { absolute, at } from '../moment.ts';
import { mayRollBack, mayWhole } from '../permissions.ts';
import { hrefOf, hrefWith } from '../router.ts';
import { pending } from '../write.ts';
import { Ago } from './text.tsx';

/** The serial that a zone had at a moment, as its screen found it. */
export const serialThen = signal<{
  readonly zone: string;
  readonly at: string;
  readonly serial: number | undefined;
}>();

/** How many changes came since. */
async function changesSince(zone: string, signal: AbortSignal) {
  const query = { from: new Date(Date.parse(at.value) + 1).toISOString(), buckets: 1 };
  const activity = await get<Activity>(zonePath(zone, '/activity'), query, signal);
  return activity.items[0]?.changes;
}

export function PastBar({ zone }: { readonly zone: string | undefined }) {
  // What the caller may do comes later than the page.
  const known = zone !== undefined && mayWhole(zone, 'record:read') ? zone : undefined;
  const { value, isWaiting } = useLoaded(
    async (signal) => (known === undefined ? undefined : changesSince(known, signal)),
    [known, at.value],
  );
  const then = serialThen.value;
  const serial = then?.zone === zone && then?.at === at.value ? then.serial : undefined;
  const changes = isWaiting ? undefined : value;
  const restore = () => {
    if (zone === undefined || serial === undefined) return;
    const leadsTo = hrefWith({ at: undefined });
    pending.value = { ...rollbackOf(zone, serial), leadsTo };
  };
  return (
    <p class="bar moment-bar" role="status">
      <span>
        You look at {absolute(at.value)}
        {serial !== undefined && `, serial ${serial}`} (
        {changes !== undefined && `${counted(changes, 'change')} ago, `}
        <Ago time={at.value} />
        ). Nothing can be changed there.
      </span>
      {zone !== undefined && (
        <a href={hrefOf(['zones', zone, 'compare'], { from: at.value, at: undefined })}>
          Compare with now
        </a>
      )}
      {zone !== undefined && serial !== undefined && changes !== 0 && mayRollBack(zone) && (
        <button type="button" class="quiet" onClick={restore}>
          Restore this
        </button>
      )}
      <a href={hrefWith({ at: undefined })}>Back to now</a>
    </p>
  );
}
