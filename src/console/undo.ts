/** The inverse of one event as a write: which events have one, and who is offered it. */
import { kindsWithInverse } from '../base/event-kind.ts';
import {
  ask,
  type DeletedZone,
  type DiffEntry,
  type Event,
  get,
  type Problem,
  type ZoneSettingConflict,
} from './api.ts';
import { readDeletedZone } from './deleted.ts';
import { counted } from './counted.ts';
import { sideOf } from './difference.ts';
import { type Action, may } from './permissions.ts';
import { restoreFacts, whatTheParentSays } from './restore.ts';
import { hrefOf } from './router.ts';
import { eventTitle } from './words.ts';
import { type Outcome, pending, say, type Write } from './write.ts';

/** What the inverse needs, any of it. */
const needed: Readonly<Record<string, readonly Action[]>> = {
  'zone.created': ['zone:delete'],
  'zone.restored': ['zone:delete'],
  'zone.deleted': ['zone:create'],
  'zone.updated': ['zone:update'],
  'zone.guard-set': ['zone:update'],
  'zone.renamed': ['zone:update'],
};
const ofRecords = ['record:create', 'record:update', 'record:delete'] as const;

export function isUndoable({ kind, zone, diff, diff_truncated: isLong }: Event): boolean {
  if (zone === null || !kindsWithInverse.has(kind)) return false;
  if (zone.deleted !== (kind === 'zone.deleted')) return false;
  // Retention has deleted what it did.
  if (diff === null && !isLong && kind !== 'zone.deleted') return false;
  return may(zone.deleted ? undefined : zone.name, ...(needed[kind] ?? ofRecords));
}

export function undoOf(event: Event): Write {
  const { seq, kind, zone } = event;
  const isWholeZone = kind === 'zone.created' || kind === 'zone.restored';
  return {
    title: `Undo: ${eventTitle(event)}${zone === null ? '' : ` (${zone.name})`}`,
    button: 'Undo it',
    method: 'POST',
    path: `/events/${seq}/revert`,
    body: {},
    ...(zone?.deleted === false && { zone: zone.id }),
    ...(isWholeZone && { leadsTo: hrefOf(['bin']) }),
    ...(zone?.deleted === true && {
      facts: () => ofDeleted(zone, [], restoreFacts),
      asked: async () => ofDeleted(zone, '', whatTheParentSays),
    }),
  };
}

/** Previews the inverse of one event, or of all events of one change, which is one change too. */
export async function startUndo(events: readonly Event[]): Promise<void> {
  const [only, ...others] = events;
  if (only === undefined) return;
  try {
    pending.value = others.length === 0 ? undoOf(only) : await undoOfAll(events);
  } catch (error) {
    const why = `This can not be undone as one change: ${(error as Error).message}.`;
    say(`${why} Each zone has it on its timeline, where it can be undone alone.`);
  }
}

/** What each event alone would take back, zone by zone. Throws where one conflicts with a later change. */
async function undoOfAll(events: readonly Event[]): Promise<Write> {
  const zones = await Promise.all(
    events.map(async ({ seq, zone }) => {
      const path = `/events/${seq}/revert`;
      const { diff, zone: now } = await ask<Outcome>('POST', path, { body: { dry_run: true } });
      // That of the event is the name that the zone had then.
      const { name } = now ?? zone!;
      return sideOf('to', name, name, diff!.entries);
    }),
  );
  const names = zones.map(({ name }) => name);
  const where = names.length > 2 ? counted(names.length, 'zone') : names.join(' and ');
  return {
    title: `Undo the change of ${where}`,
    button: 'Undo it',
    method: 'POST',
    path: '/changes',
    body: { zones },
  };
}

/** What is said of a zone of the bin; nothing where retention has purged it. */
async function ofDeleted<Said>(
  { id, name }: { readonly id: number; readonly name: string },
  nothing: Said,
  say: (zone: DeletedZone) => Promise<Said>,
): Promise<Said> {
  const zone = await readDeletedZone(name, id);
  return zone === undefined ? nothing : say(zone);
}

/** Previews the inverse of the last change that the caller made itself. */
export async function undoLastOwn(): Promise<void> {
  try {
    const { items } = await get<{ items: Event[] }>('/events', { mine: 'true', limit: 20 });
    const last = items.find(isUndoable);
    if (last === undefined) say('Nothing that you did lately can be undone.');
    else await startUndo(changeOf(last, items));
  } catch (error) {
    say((error as Error).message);
  }
}

/** All events of the change that one is of; it alone where others of them can not be undone. */
function changeOf(event: Event, events: readonly Event[]): readonly Event[] {
  const isOfIt = ({ request_id: id, at }: Event) => id === event.request_id && at === event.at;
  const all = event.request_id === null ? [] : events.filter(isOfIt);
  return all.length > 1 && all.every(isUndoable) ? all : [event];
}

/** What changed since the event that is to be undone. */
export interface Conflicts {
  readonly records: readonly DiffEntry[];
  readonly settings: readonly ZoneSettingConflict[];
}

/** Undefined for a refusal of another kind. */
export function conflictsOf({ code, answer }: Problem): Conflicts | undefined {
  if (code !== 'REVERT_CONFLICT') return undefined;
  const { conflicts = [], settings = [] } = answer as {
    conflicts?: readonly DiffEntry[];
    settings?: readonly ZoneSettingConflict[];
  };
  return conflicts.length + settings.length === 0 ? undefined : { records: conflicts, settings };
}

/** The same write, which takes back what conflicts too. */
export function forced(write: Write, { records, settings }: Conflicts): Write {
  const names = new Set(records.map(({ name }) => name));
  if (settings.length > 0) names.add('@');
  return { ...write, body: { ...write.body, force_names: [...names] } };
}
