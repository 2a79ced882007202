/** That the page looks at an earlier moment: which version of the zone that is, and the ways from there. */
import { type Activity, get, type Listed, type VersionFacts, zonePath } from '../api.ts';
import { counted } from '../counted.ts';
import { rollbackOf } from '../difference.ts';
import { useLoaded } from '../loading.ts';
import { absolute, at } from '../moment.ts';
import { may, mayRollBack, mayWhole } from '../permissions.ts';
import { hrefOf, hrefWith } from '../router.ts';
import { pending } from '../write.ts';
import { Ago } from './text.tsx';

/** The version of then, and how many changes came since; each undefined where the caller may not know it. */
async function standing(zone: string, signal: AbortSignal) {
  const nothing = () => undefined;
  const later = new Date(Date.parse(at.value) + 1).toISOString();
  const [versions, activity] = await Promise.all([
    may(zone, 'zone:read')
      ? get<Listed<VersionFacts>>(
          zonePath(zone, '/versions'),
          { at: at.value, limit: 1, include_signer_serials: 'true' },
          signal,
        ).catch(nothing)
      : undefined,
    mayWhole(zone, 'record:read')
      ? get<Activity>(zonePath(zone, '/activity'), { from: later, buckets: 1 }, signal).catch(
          nothing,
        )
      : undefined,
  ]);
  return { serial: versions?.items[0]?.serial, changes: activity?.items[0]?.changes };
}

export function PastBar({ zone }: { readonly zone: string | undefined }) {
  const { value, isWaiting } = useLoaded(
    async (signal) => (zone === undefined ? undefined : standing(zone, signal)),
    [zone, at.value],
  );
  const { serial, changes } = (isWaiting ? undefined : value) ?? {};
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
