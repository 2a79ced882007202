/**
 * Takes keys that BIND made into a zone, on the host: an unsigned zone is signed with them, a signed one
 * publishes the key as the replacement of its role, or has them in place of its own. Private halves never
 * pass the HTTP interface.
 */
import { dirname } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { Problem } from '../../base/problem.ts';
import { policies, requireNamed } from '../../domain/access/visibility.ts';
import { type BindKeyFiles, checkInUse, importBindKey } from '../../dnssec/bind-key.ts';
import { algorithmOf } from '../../dnssec/algorithm.ts';
import { algorithmOfDnskey, isEntryPoint, keyTagOf } from '../../dnssec/dnskey.ts';
import { type KeyPair, serializePrivateKey } from '../../dnssec/key-pair.ts';
import { algorithmNumberOf, defaultPolicyName } from '../../domain/dnssec-policy.ts';
import { isSigned, type KeyRole, type MadeKey, type ZoneSigning } from '../../domain/signing.ts';
import type { Author } from '../../domain/why.ts';
import { apexOf, normaliseZoneName } from '../../domain/zone.ts';
import { byAuthor } from '../../writer/submission.ts';
import { Writer } from '../../writer/writer.ts';
import type { Connection } from '../../journal/database.ts';
import { Journal } from '../../journal/journal.ts';
import type { Keystore } from '../../keystore/keystore.ts';
import { PolicyQueries } from '../../query/named-queries.ts';
import { scanSignatures } from '../../query/signature-scan.ts';
import { SigningQueries } from '../../projection/signing-store.ts';
import { ZoneQueries } from '../../query/zone-queries.ts';
import { openWorkers } from '../workers.ts';
import { WholePasses } from './whole-passes.ts';

export interface KeyImport {
  readonly zoneName: string;
  readonly files: readonly Omit<BindKeyFiles, 'baseName'>[];
  readonly parentNsAddrs: readonly string[];
  /** When undefined that of a zone whose keys are replaced, else the built-in one. */
  readonly policyName: string | undefined;
  /** Whether the keys take the place of those that the zone has. */
  readonly replaces?: boolean | undefined;
}

/** Nothing is created by this: the defaults and the catalog are not asked for. */
const unused = { defaultTtl: 3600, minimumTtl: 3600, refresh: 300, retry: 60, expire: 3_600_000 };

/** The database is open for writing, so the service does not run. */
export async function importKeys(
  host: {
    readonly connection: Connection;
    readonly file: string;
    readonly keystore: Keystore;
    readonly author: Author;
  },
  wanted: KeyImport,
): Promise<{ serial: number; keyTags: number[] }> {
  const { connection, keystore, file } = host;
  const byHand = byAuthor(host.author);
  const zone = new ZoneQueries(connection).byName(normaliseZoneName(wanted.zoneName));
  if (zone === undefined) {
    throw new Problem('ZONE_NOT_FOUND', `zone '${wanted.zoneName}' does not exist`);
  }
  const pairs = wanted.files.map((each) => {
    const pair = importBindKey(apexOf(zone), each);
    checkInUse(pair, each, systemClock());
    return pair;
  });
  const workers = openWorkers(file, dirname(file));
  const writer = new Writer(
    { connection, journal: new Journal(connection), keystore, clock: systemClock },
    { zoneDefaults: unused, catalogZoneName: '' },
  );
  try {
    const wholePasses = new WholePasses({
      writer,
      workers,
      // Nobody is asked.
      renewed: async (command) => command,
      signed: () => {},
    });
    writer.signAhead = (command, options) => wholePasses.run(command, options);
    const signing = new SigningQueries(connection).of(zone.id);
    const dnskeys = pairs.map(({ dnskey }) => dnskey);
    const isRoll = isSigned(signing) && wanted.replaces !== true;
    const isSplit = isRoll ? splitOf(signing, dnskeys) : layoutOf(dnskeys);
    const count = pairs.length;
    const ids = await writer.operate({ kind: 'reserve-ids', counter: 'signing_key', count });
    const keys = pairs.map((pair, index) => madeKey(pair, ids.first + index, isSplit));
    const now = Math.floor(systemClock() / 1000);
    const question = { now, expiringBy: 0, maxOwners: 0, withFormer: true };
    const { largestTtl, largestFormerRefresh } = scanSignatures(connection, zone.id, question);
    const zoneName = zone.name;
    const outcome = isRoll
      ? await writer.submit(
          { kind: 'start-key-roll', zoneName, role: keys[0]!.role, keys, largestTtl },
          byHand,
        )
      : await writer.submit(
          {
            kind: 'enable-signing',
            zoneName,
            ...settingsFor(connection, wanted, keys, signing),
            keys,
            replaces: wanted.replaces,
            largestTtl,
            largestRefresh: largestFormerRefresh,
          },
          byHand,
        );
    return { serial: outcome.zone.serial, keyTags: keys.map(({ dnskey }) => keyTagOf(dnskey)) };
  } finally {
    await writer.close();
    await workers.close();
  }
}

function madeKey({ dnskey, privateKey }: KeyPair, id: number, isSplit: boolean): MadeKey {
  return {
    id,
    algorithm: algorithmOfDnskey(dnskey),
    role: roleOf(dnskey, isSplit),
    dnskey,
    privateKey: serializePrivateKey(privateKey),
  };
}

function roleOf(dnskey: Buffer, isSplit: boolean): KeyRole {
  if (!isSplit) return 'csk';
  return isEntryPoint(dnskey) ? 'ksk' : 'zsk';
}

/** How many keys of which flags and algorithm there are. */
function foundText(dnskeys: readonly Buffer[]): string {
  const kinds = dnskeys.map((dnskey) => {
    const role = isEntryPoint(dnskey) ? 'KSK or CSK (flags 257)' : 'ZSK (flags 256)';
    return `${role} of ${algorithmOf(algorithmOfDnskey(dnskey)).name}`;
  });
  const counts = Map.groupBy(kinds, (kind) => kind);
  return [...counts].map(([kind, { length }]) => `${length} ${kind}`).join(', ');
}

/** Whether the keys of a zone about to be signed are a KSK and a ZSK; refused when they are neither that nor a CSK. */
function layoutOf(dnskeys: readonly Buffer[]): boolean {
  const entryPoints = dnskeys.filter(isEntryPoint).length;
  const algorithms = new Set(dnskeys.map(algorithmOfDnskey)).size;
  const isSplit = dnskeys.length === 2;
  if (entryPoints === 1 && algorithms === 1 && (isSplit || dnskeys.length === 1)) return isSplit;
  throw new Problem(
    'INVALID_INPUT',
    `the keys are ${foundText(dnskeys)}; a zone is signed with one CSK (flags 257), or with one KSK and one ZSK of ` +
      'one algorithm: take the one that the DS at the parent names, and a ZSK beside a KSK, and leave out others, ' +
      'such as those of a rollover',
  );
}

/** Whether a signed zone has a KSK and a ZSK; refused when it can not take the keys as a replacement of one. */
function splitOf({ keys }: ZoneSigning, dnskeys: readonly Buffer[]): boolean {
  const isSplit = keys.some(({ role }) => role !== 'csk');
  const algorithms = [...new Set(keys.map(({ algorithm }) => algorithm))];
  const [dnskey, ...more] = dnskeys;
  if (dnskey !== undefined && more.length === 0 && (isSplit || isEntryPoint(dnskey))) {
    if (algorithms.includes(algorithmOfDnskey(dnskey))) return isSplit;
  }
  const takes = isSplit ? 'KSK or ZSK' : 'CSK (flags 257), for it has a CSK,';
  const names = algorithms.map((each) => algorithmOf(each).name).join(' and ');
  throw new Problem(
    'INVALID_INPUT',
    `the keys are ${foundText(dnskeys)}; this zone is signed and takes one ${takes} of ${names} at a time; ` +
      '--replace puts keys in the place of all that it has',
  );
}

/** How a zone is signed with the keys, otherwise as it was signed before. */
function settingsFor(
  connection: Connection,
  { policyName, parentNsAddrs }: KeyImport,
  keys: readonly MadeKey[],
  before: ZoneSigning | undefined,
) {
  const known = new PolicyQueries(connection).byId(before?.policyId ?? 0)?.name;
  return {
    policyName: policyFor(connection, policyName ?? known, keys),
    parentNsAddrs: parentNsAddrs.length > 0 ? parentNsAddrs : (before?.parentNsAddrs ?? []),
  };
}

/** The policy, which has to be one of the algorithm and layout of the keys. */
function policyFor(
  connection: Connection,
  named: string | undefined,
  keys: readonly MadeKey[],
): string {
  const stored = new PolicyQueries(connection);
  const policy = requireNamed(policies, named ?? defaultPolicyName, (name) => stored.byName(name));
  const roles = policy.splitKeys ? 'ksk zsk' : 'csk';
  const given = keys
    .map(({ role }) => role)
    .sort()
    .join(' ');
  const fits = keys.every(({ algorithm }) => algorithm === algorithmNumberOf(policy));
  if (fits && given === roles) return policy.name;
  throw new Problem(
    'INVALID_INPUT',
    `policy '${policy.name}' signs by ${policy.algorithm} with ${policy.splitKeys ? 'a KSK and a ZSK' : 'one CSK'}, and the keys are others: name a policy that fits with --policy`,
  );
}
