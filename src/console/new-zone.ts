/** A new zone from a zone file or from another server: the write that creates it, and its check before. */
import { get, Problem, type Zone, zonePath } from './api.ts';
import { type Checked, checkedBy } from './parts/checked.tsx';
import { hrefOf } from './router.ts';
import { dryRun, type Write } from './write.ts';

export interface NewZone {
  readonly name: string;
  readonly text: string;
  /** host[:port], instead of a text. */
  readonly server: string;
}

/** What the service says of one. */
export interface CheckedZone extends Checked {
  /** A zone of that name that is there already. */
  readonly existing?: string;
}

export function creationOf({ name, text, server }: NewZone): Write {
  const from = server === '' ? { content: text } : { from_server: server };
  return {
    title: `Create zone ${name} from ${server === '' ? 'the zone file' : server}`,
    button: 'Create zone',
    method: 'POST',
    path: zonePath(name, '/import'),
    body: { ...from, mode: 'append', create: true },
    // What is there already would only be added to.
    facts: async () => {
      if ((await existingOf(name)) === undefined) return [];
      throw new Problem(409, 'ZONE_CONFLICT', `zone '${name}' is there already`);
    },
    leadsTo: hrefOf(['zones', name, 'records']),
  };
}

function existingOf(name: string): Promise<{ readonly zone: Zone } | undefined> {
  return get<{ zone: Zone }>(zonePath(name)).catch(() => undefined);
}

export async function checkNewZone(given: NewZone): Promise<CheckedZone> {
  const existing = await existingOf(given.name);
  if (existing !== undefined) return { existing: existing.zone.name };
  return checkedBy(dryRun(creationOf(given)));
}
