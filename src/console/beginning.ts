/** Where the history of a zone begins: who made it, and from when on its versions are retained. */
import {
  type Event,
  type EventPage,
  get,
  type Listed,
  type VersionFacts,
  zonePath,
} from './api.ts';
import { deletedId, eventsOf, scopeOf } from './deleted.ts';
import { may } from './permissions.ts';

export interface Beginning {
  /** Undefined where the caller may not read it. */
  readonly made: Event | undefined;
  /** Undefined where all of its life is there, and where that is not known. */
  readonly retainedFrom: string | undefined;
}

export async function beginningOf(
  zone: { readonly name: string },
  signal: AbortSignal,
): Promise<Beginning> {
  const first = { ...eventsOf(zone), order: 'asc', limit: 1 };
  const [{ items }, oldest] = await Promise.all([
    get<EventPage>('/events', first, signal),
    may(scopeOf(zone.name), 'zone:read') ? oldestVersion(zone.name, signal) : undefined,
  ]);
  const [made] = items;
  const isShort =
    made !== undefined && oldest !== undefined && Date.parse(oldest) > Date.parse(made.at);
  return { made, retainedFrom: isShort ? oldest : undefined };
}

/** When the oldest version that is still there was made. The list has it last. */
async function oldestVersion(zone: string, signal: AbortSignal): Promise<string | undefined> {
  const versions = (offset: number) =>
    get<Listed<VersionFacts>>(
      zonePath(zone, '/versions'),
      { include_signer_serials: 'true', deleted_id: deletedId.value, limit: 1, offset },
      signal,
    );
  const { pagination } = await versions(0);
  return (await versions(Math.max(0, pagination.total - 1))).items[0]?.created_at;
}
