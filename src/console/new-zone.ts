/** A new zone from a zone file or from another server: the write that creates it, and its check before. */
import { get, type Zone, zonePath } from './api.ts';
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
    leadsTo: hrefOf(['zones', name, 'records']),
  };
}

export async function checkNewZone(given: NewZone): Promise<CheckedZone> {
  const existing = await get<{ zone: Zone }>(zonePath(given.name)).catch(() => undefined);
  if (existing !== undefined) return { existing: existing.zone.name };
  return checkedBy(dryRun(creationOf(given)));
}
