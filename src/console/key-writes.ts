/** Writes that change how a zone is signed. */
import { type DnssecStatus, get, Problem, type Zone, zonePath } from './api.ts';
import { bearsDs, type KeyRole, keysText, type Successors, successorsOf } from './key-groups.ts';
import type { Write } from './write.ts';

/** What to do about a refusal. */
const advice: Readonly<Record<string, string>> = {
  DNSSEC_DS_PUBLISHED: 'Have the DS removed at the parent, and wait until its TTL is over.',
  DNSSEC_DS_NOT_PUBLISHED:
    'Give the DS of the new key to the parent, and try it again when every server of it has the DS.',
  DNSSEC_DS_UNVERIFIED:
    'See that the server named above answers, or name other servers of the parent.',
  DNSSEC_SECONDARY_BEHIND: 'See to the secondary named above, or disable it.',
  DNSSEC_ROLLOVER_IN_PROGRESS: 'Wait until the roll has ended, or abort it.',
  DNSSEC_NO_ROLLOVER_IN_PROGRESS: 'Nothing is left to do: the keys have moved on meanwhile.',
};

type Given = Pick<Write, 'title' | 'button'> & Partial<Write>;

function writeOf(zone: Zone, below: string, given: Given): Write {
  const path = zonePath(zone.name, `/dnssec${below}`);
  return { method: 'POST', path, zone: zone.name, advice, ...given };
}

export function rollOf(zone: Zone, role: KeyRole): Write {
  return writeOf(zone, '/rollover', {
    title: `Roll the ${role.toUpperCase()} of ${zone.name}`,
    button: 'Publish a new key',
    body: { role },
  });
}

export function promoteOf(zone: Zone, { keys }: Successors): Write {
  const what = keysText(keys);
  return writeOf(zone, '/rollover/promote', {
    title: `Promote ${what} of ${zone.name}`,
    button: 'Promote',
    body: {},
    // Another group would be promoted under this title.
    facts: async () => {
      const status = await get<DnssecStatus>(zonePath(zone.name, '/dnssec'));
      const found = successorsOf(status).find((group) => keysText(group.keys) === what);
      if (found !== undefined) return [];
      const text = `${what} waits for no promotion any more: the keys have moved on meanwhile`;
      throw new Problem(409, 'DNSSEC_NO_ROLLOVER_IN_PROGRESS', text);
    },
  });
}

export function abortOf(zone: Zone, { keys }: Successors): Write {
  return writeOf(zone, '/rollover/abort', {
    title: `Abort the roll of ${keysText(keys)} of ${zone.name}`,
    button: 'Abort the roll',
    body: { role: keys.find(bearsDs)?.role ?? 'zsk' },
  });
}

export function withdrawOf(zone: Zone): Write {
  const title = `Ask the parent of ${zone.name} to remove the DS`;
  return writeOf(zone, '/withdraw', { title, button: 'Ask for the removal' });
}

export function keepDsOf(zone: Zone): Write {
  const title = `Keep the DS of ${zone.name}`;
  return writeOf(zone, '/withdraw', { title, button: 'Keep the DS', method: 'DELETE' });
}

export function signAgainOf(zone: Zone): Write {
  const title = `Make all signatures of ${zone.name} again`;
  return writeOf(zone, '/sign', { title, button: 'Sign again' });
}

export function disableOf(zone: Zone): Write {
  return writeOf(zone, '', {
    title: `Stop signing ${zone.name}`,
    button: 'Stop signing',
    method: 'DELETE',
    body: {},
    confirm: zone.name,
  });
}
