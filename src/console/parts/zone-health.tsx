/**
 * What is wrong with zones: with those that were made last by looking at each, with all others by what the service itself
 * knows of their secondaries and of their signing.
 */
import {
  type DnssecStatus,
  get,
  type Listed,
  type Secondary,
  type Zone,
  type ZoneStatus,
  zonePath,
} from '../api.ts';
import { counted } from '../counted.ts';
import { type ZoneTrouble, troublesOfSigning, troublesOfStatuses } from '../health.ts';
import { useLoaded } from '../loading.ts';
import { may } from '../permissions.ts';
import { hrefOf } from '../router.ts';
import { Turns } from '../turns.ts';
import { Troubles } from './troubles.tsx';
import { Answered } from './states.tsx';

/** Zones that are looked at: each costs two questions, and asks every secondary. */
const zonesLookedAt = 20;
const atOnce = 4;

/** What the service knows of all zones, by the filters of their list. */
const filters = [
  {
    query: { signing: 'troubled' },
    action: 'dnssec:read',
    tab: 'dnssec',
    label: 'with trouble in their signing',
    text: 'Its signing waits for somebody, or has failed.',
  },
  {
    query: { lagging: 'true' },
    action: 'zone:read',
    tab: 'secondaries',
    label: 'behind on a secondary',
    text: 'A secondary was behind when it was last asked.',
  },
] as const;

type Filter = (typeof filters)[number];
/** A page of the zones that a filter finds. */
type Known = readonly [Filter, Listed<Zone>];

async function known(signal: AbortSignal): Promise<readonly Known[]> {
  const allowed = filters.filter(({ action }) => may(undefined, action));
  return Promise.all(
    allowed.map(async (filter) => {
      const query = { ...filter.query, enabled: 'true', limit: 100 };
      return [filter, await get<Listed<Zone>>('/zones', query, signal)] as const;
    }),
  );
}

interface Found {
  readonly known: readonly Known[];
  readonly troubles: readonly ZoneTrouble[];
  readonly lookedAt: number;
  readonly total: number;
}

async function lookAt(signal: AbortSignal): Promise<Found> {
  const query = { enabled: 'true', sort: 'created_at', order: 'desc', limit: zonesLookedAt };
  const [all, zones, secondaries] = await Promise.all([
    known(signal),
    get<Listed<Zone>>('/zones', query, signal),
    may(undefined, 'secondary:read', 'secondary:manage')
      ? get<Listed<Secondary>>('/secondaries', { limit: 100 }, signal)
      : { items: [] },
  ]);
  const turns = new Turns(atOnce);
  const ask = <Answer,>(zone: string, below: string) =>
    turns.ask(signal, () => get<Answer>(zonePath(zone, below), {}, signal));
  const names = zones.items.map(({ name }) => name);
  const [statuses, signings] = await Promise.all([
    Promise.all(
      names
        .filter((name) => may(name, 'zone:read'))
        .map((name) => ask<ZoneStatus>(name, '/status')),
    ),
    Promise.all(
      names
        .filter((name) => may(name, 'dnssec:read'))
        .map((name) => ask<DnssecStatus>(name, '/dnssec')),
    ),
  ]);
  const troubles = [
    ...troublesOfStatuses(statuses, secondaries.items),
    ...signings.flatMap((each) => troublesOfSigning(each, each.next_steps)),
    ...all.flatMap(([{ text, tab }, { items }]) =>
      items
        .filter(({ name }) => !names.includes(name))
        .map(({ name: zone }) => ({ text, what_to_do: 'Its screen says more.', zone, tab })),
    ),
  ];
  const { total } = zones.pagination;
  return { known: all, troubles, lookedAt: names.length, total };
}

export function ZoneHealth() {
  const loaded = useLoaded(lookAt, []);
  return (
    <section aria-label="Zones">
      <h2>Zones</h2>
      <Answered loaded={loaded}>
        {({ known: all, troubles, lookedAt, total }) => (
          <>
            <p class="muted">
              Looked at {counted(lookedAt, 'zone')} of {total.toLocaleString('en')}, those made last
              first: what secondaries serve of them, and how they are signed.
              {all.length > 0 && ' Of all zones the service knows:'}
            </p>
            <ul>
              {all.map(([{ label, query }, { pagination }]) => (
                <li key={label}>
                  <a href={hrefOf(['zones'], { ...query, at: undefined })}>
                    {counted(pagination.total, 'zone')} {label}
                  </a>
                </li>
              ))}
            </ul>
            <Troubles
              label="What is wrong with zones"
              troubles={troubles}
              none="Nothing is wrong with these."
            />
          </>
        )}
      </Answered>
    </section>
  );
}
