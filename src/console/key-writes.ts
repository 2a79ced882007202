/**
 * Writes that change how a zone is signed. The interface has no dry run of them: what happens is said in words, made of
 * the status of the zone and of what the parent serves at the moment of the preview.
 */
import { ask, type DnssecStatus, get, Problem, type Zone, zonePath } from './api.ts';
import { durationText } from './duration.ts';
import {
  bearsAnyDs,
  bearsDs,
  type Key,
  type KeyRole,
  keysText,
  type Successors,
  successorsOf,
} from './key-groups.ts';
import { absolute } from './moment.ts';
import { disableDanger, promotionSkips, relianceSkip } from './key-dangers.ts';
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
  return {
    method: 'POST',
    path: zonePath(zone.name, `/dnssec${below}`),
    body: {},
    zone: zone.name,
    hasDryRun: false,
    advice,
    confirmSkip: zone.name,
    ...given,
  };
}

/** How the zone is signed, with what the parent serves, or why that is not known. */
interface Asked {
  readonly status: DnssecStatus;
  readonly failure: string | undefined;
}

async function askParent(zone: string): Promise<Asked> {
  const path = zonePath(zone, '/dnssec');
  try {
    const status = await ask<DnssecStatus>('POST', `${path}/check-ds`);
    return { status, failure: undefined };
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'DNSSEC_DS_UNVERIFIED') throw error;
    return { status: await get<DnssecStatus>(path), failure: error.message };
  }
}

function parentFacts({ status: { delegation }, failure }: Asked): readonly string[] {
  if (failure !== undefined) return [`The parent was asked just now: ${failure}.`];
  return (delegation?.servers ?? []).map(({ address, ds_key_tags: tags }) => {
    const served = tags === null || tags.length === 0 ? 'no DS' : `the DS of ${tags.join(', ')}`;
    return `Parent server ${address} has ${served}.`;
  });
}

export function rollOf(
  zone: Zone,
  { keys, parent_ns_addrs: parents }: DnssecStatus,
  role: KeyRole,
) {
  const replaced = keys.filter((key) => key.role === role);
  const name = role.toUpperCase();
  const wait = durationText(zone.default_ttl + zone.refresh);
  const hasDs = role !== 'zsk';
  const facts = [
    `A new ${name} is published beside ${keysText(replaced)}, with the next serial. ` +
      (hasDs ? 'It signs the DNSKEY records, and no other data yet.' : 'It signs nothing yet.'),
    `It takes over by itself when caches know it, in ${wait} at the earliest` +
      (hasDs ? `, and every server of the parent (${parents.join(', ')}) has its DS.` : '.'),
    ...(hasDs
      ? ['Its DS stands on this page then. Give it to the parent, unless that reads CDS by itself.']
      : []),
    `After that ${keysText(replaced)} is removed when caches need it no more` +
      (hasDs ? ' and no server of the parent relies on it.' : '.'),
    'The roll can be aborted until the new key has taken over.',
  ];
  return writeOf(zone, '/rollover', {
    title: `Roll the ${name} of ${zone.name}`,
    button: 'Publish a new key',
    body: { role },
    effects: async () => ({ facts }),
  });
}

export function promoteOf(
  zone: Zone,
  { keys: pressed }: Successors,
  /** Secondaries that are known to be late. */
  behindOf: (status: DnssecStatus) => readonly string[],
): Write {
  const what = keysText(pressed);
  const effects = async () => {
    const asked = await askParent(zone.name);
    // The page may be older than what was asked.
    const found = successorsOf(asked.status).find(({ keys }) => keysText(keys) === what);
    // Another group would be promoted under this title.
    if (found === undefined) {
      const text = `${what} waits for no promotion any more: the keys have moved on meanwhile`;
      throw new Problem(409, 'DNSSEC_NO_ROLLOVER_IN_PROGRESS', text);
    }
    const { keys, replaced } = found;
    const behind = behindOf(asked.status);
    const facts = [
      `${what} takes over from ${keysText(replaced)} with the next serial. That can not be undone.`,
      ...timeFacts(keys),
      ...parentFacts(asked),
      ...(behind.length > 0 ? [`An older serial is served by ${behind.join(', ')}.`] : []),
      'The service refuses it while a cache, a server of the parent or a secondary may not be ready.',
    ].map(asSentence);
    return { facts, skips: promotionSkips(zone, found, asked.status) };
  };
  return writeOf(zone, '/rollover/promote', {
    title: `Promote ${what} of ${zone.name}`,
    button: 'Promote',
    effects,
  });
}

function timeFacts(keys: readonly Key[]): readonly string[] {
  const eligible = Math.max(...keys.map(({ eligible_at: at }) => Date.parse(at ?? '') || 0));
  const time = absolute(new Date(eligible).toISOString());
  return eligible > Date.now()
    ? [`Caches may not know ${keysText(keys)} before ${time}.`]
    : [`Caches know ${keysText(keys)} since ${time}.`];
}

const asSentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export function abortOf(zone: Zone, { keys, replaced }: Successors): Write {
  const what = keysText(keys);
  const hasDs = bearsAnyDs(keys);
  const isMove = keys[0]?.algorithm !== replaced[0]?.algorithm;
  const effects = async () => {
    const facts = [
      `${what} leaves with its signatures, CDS and CDNSKEY, with the next serial.`,
      `${keysText(replaced)} stays active.`,
      ...(isMove ? ['The zone is back under the policy that it was moved from.'] : []),
      ...(hasDs ? parentFacts(await askParent(zone.name)) : []),
      ...(hasDs ? [`The service refuses it while the parent relies on ${what} alone.`] : []),
    ].map(asSentence);
    return { facts, ...(hasDs && { skips: [relianceSkip({ keys, replaced })] }) };
  };
  return writeOf(zone, '/rollover/abort', {
    title: `Abort the roll of ${what} of ${zone.name}`,
    button: 'Abort the roll',
    body: { role: keys.find(bearsDs)?.role ?? 'zsk' },
    effects,
  });
}

export function withdrawOf(zone: Zone): Write {
  return writeOf(zone, '/withdraw', {
    title: `Ask the parent of ${zone.name} to remove the DS`,
    button: 'Ask for the removal',
    effects: async () => ({
      facts: [
        'CDS and CDNSKEY ask the parent to remove the DS (RFC 8078 4). Other parents hear it from you.',
        'The zone stays signed. Once no server of the parent has the DS, and its TTL is over, signing can end.',
        'Until the parent has acted, it can be taken back.',
      ],
    }),
  });
}

export function keepDsOf(zone: Zone): Write {
  return writeOf(zone, '/withdraw', {
    title: `Keep the DS of ${zone.name}`,
    button: 'Keep the DS',
    method: 'DELETE',
    effects: async () => ({ facts: ['CDS and CDNSKEY name the keys of the zone again.'] }),
  });
}

export function signAgainOf(zone: Zone): Write {
  return writeOf(zone, '/sign', {
    title: `Make all signatures of ${zone.name} again`,
    button: 'Sign again',
    effects: async () => ({
      facts: [
        'Every RRset gets a new signature, with one new serial. Keys and DS stay as they are.',
      ],
    }),
  });
}

export function disableOf(zone: Zone): Write {
  const effects = async () => {
    const asked = await askParent(zone.name);
    const facts = [
      'All keys, signatures and other DNSSEC records go, with the next serial.',
      'The keys can not be brought back: to sign again makes new ones, with another DS.',
      ...parentFacts(asked),
      ...asked.status.warnings.map((warning) => asSentence(`${warning}.`)),
      'The service refuses it while a server of the parent has a DS, or can not be asked.',
    ];
    return { facts, skips: [disableDanger(asked.status)] };
  };
  return writeOf(zone, '', {
    title: `Stop signing ${zone.name}`,
    button: 'Stop signing',
    method: 'DELETE',
    confirm: zone.name,
    effects,
  });
}
