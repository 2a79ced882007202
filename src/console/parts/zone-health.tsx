/** What is wrong with the zones that were made last: whether secondaries follow them, and how they are signed. */
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
import { type Trouble, troublesOfSigning, troublesOfStatuses } from '../health.ts';
import { useLoaded } from '../loading.ts';
import { may } from '../permissions.ts';
import { Turns } from '../turns.ts';
import { Troubles } from './troubles.tsx';
import { Answered } from './states.tsx';

/** Zones that are looked at: each costs two questions, and asks every secondary. */
const zonesLookedAt = 20;
const atOnce = 4;

interface Found {
  readonly troubles: readonly Trouble[];
  readonly lookedAt: number;
  readonly total: number;
}

async function lookAt(signal: AbortSignal): Promise<Found> {
  const query = { enabled: 'true', sort: 'created_at', order: 'desc', limit: zonesLookedAt };
  const [zones, secondaries] = await Promise.all([
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
  ];
  const { total } = zones.pagination;
  return { troubles, lookedAt: names.length, total };
}

export function ZoneHealth() {
  const loaded = useLoaded(lookAt, []);
  return (
    <section aria-label="Zones">
      <h2>Zones</h2>
      <Answered loaded={loaded}>
        {({ troubles, lookedAt, total }) => (
          <>
            <p class="muted">
              Looked at {counted(lookedAt, 'zone')} of {total.toLocaleString('en')}, those made last
              first: what secondaries serve of them, and how they are signed.
            </p>
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
