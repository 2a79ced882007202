/** `dnssec key`: private keys as pairs of files in the form of BIND, on the host and without the service. */
import { existsSync, readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Problem } from '../../base/problem.ts';
import type { Connection } from '../../journal/database.ts';
import { type Context, defineCommand } from '../command.ts';
import { asFailure, CliFailure, exitCode, usageFailure } from '../failure.ts';
import {
  asciiName,
  commaList,
  domainName,
  flag,
  list,
  required,
  serverAddress,
  text,
  whole,
} from '../field.ts';
import type { Columns } from '../output.ts';
import { writeNewFile } from '../new-file.ts';
import { findDatabase, keyFileOf, openStopped, readDatabase } from './host-database.ts';

export const dnssecKeyExport = defineCommand({
  usage: 'export <zone>',
  summary:
    'Write the keys of a zone with their private keys, as pairs of files in the form of BIND',
  notes: 'Files are made with mode 0600 and never written over. The service may run meanwhile.',
  examples: [['$0 example.com --directory keys', 'Kexample.com.+013+12345.*']],
  positionals: { zone: domainName(required('name of the zone')) },
  options: {
    directory: text('folder for the files; the one you are in when left out'),
    keyTag: whole('only the key with this tag'),
    active: flag(
      'only keys that are active, without those that a rollover brings in or takes away',
    ),
  },
  where: 'host',
  async run({ zone: name, directory = '.', keyTag, active = false }, context) {
    const { exportBindKey } = await import('../../dnssec/bind-key.ts');
    const { openKeyPair } = await import('../../dnssec/key-pair.ts');
    const { nobleVerifier } = await import('../../dnssec/noble.ts');
    const { apexOf } = await import('../../domain/zone.ts');
    const { zone, pairs } = await readDatabase(context, async (connection) => {
      const found = await keysOf(connection, name, keyTag, active);
      const keystore = await openKeystore(context, connection);
      const made = found.keys.map((key) => {
        const privateKey = keystore.signingKey(key.id);
        if (privateKey !== undefined) {
          const pair = openKeyPair(privateKey, key.dnskey, nobleVerifier);
          return exportBindKey(apexOf(found.zone), pair);
        }
        throw new CliFailure(exitCode.failure, `the private key of key ${key.keyTag} is missing`);
      });
      return { zone: found.zone, pairs: made };
    });
    const files = pairs.flatMap((pair) => [
      { path: join(directory, `${pair.baseName}.key`), text: pair.key },
      { path: join(directory, `${pair.baseName}.private`), text: pair.private },
    ]);
    const taken = files.find(({ path }) => existsSync(path));
    if (taken !== undefined) {
      const message = `${taken.path} already exists; nothing was written`;
      throw new CliFailure(exitCode.conflict, message);
    }
    await writeAll(files);
    const answer = { zone: zone.name, files: files.map(({ path }) => path) };
    await context.output.show(answer, () => answer.files.join('\n'));
  },
});

/** All files or none: the next attempt would meet those that are there. */
async function writeAll(files: readonly { readonly path: string; readonly text: string }[]) {
  await using made = new AsyncDisposableStack();
  for (const { path, text } of files) {
    await writeNewFile(path, text);
    made.defer(() => rm(path));
  }
  made.move();
}

/** A zone by its name, with its keys or the one of a tag, or the active ones of these. */
async function keysOf(
  connection: Connection,
  name: string,
  keyTag: number | undefined,
  isActive = false,
) {
  const { normaliseZoneName } = await import('../../domain/zone.ts');
  const { SigningQueries } = await import('../../projection/signing-store.ts');
  const { ZoneQueries } = await import('../../query/zone-queries.ts');
  const zone = new ZoneQueries(connection).byName(normaliseZoneName(name));
  if (zone === undefined) throw new CliFailure(exitCode.notFound, `zone '${name}' does not exist`);
  const all = new SigningQueries(connection).of(zone.id)?.keys ?? [];
  const keys = all
    .filter((key) => keyTag === undefined || key.keyTag === keyTag)
    .filter(({ state }) => !isActive || state === 'active');
  if (keys.length > 0) return { zone, keys };
  const kind = isActive ? 'active key' : 'key';
  const which = keyTag === undefined ? `has no ${kind}s` : `has no ${kind} with tag ${keyTag}`;
  throw new CliFailure(exitCode.notFound, `zone '${zone.name}' ${which}`);
}

export const dnssecKeyImport = defineCommand({
  usage: 'import [zone]',
  summary: 'Take keys from files in the form of BIND; the service must be stopped',
  notes:
    'A zone that is not signed is signed with them at once, so it can move here with its DS as it is: give\n' +
    'a KSK and a ZSK, or one key for both. A signed zone publishes the key as the replacement of its role.\n' +
    'With --replace a signed zone has the keys in place of all that it has, which are deleted: for a restored\n' +
    'zone whose parent names keys that the backup has not.\n' +
    'The keys of a zone are taken all or none. With --directory and no zone, each zone that the folder has\n' +
    'keys of is reported: imported, exists (it has these keys already) or refused, with the reason. Leave\n' +
    'only keys that are in use in the folder.',
  examples: [
    [
      '$0 example.com --file Kexample.com.+013+12345 --parent-ns 192.0.2.1',
      'the zone keeps the DS that its parent serves',
    ],
    [
      '$0 example.com --directory former --replace',
      'the keys that the parent names, after a restore',
    ],
    ['$0 --directory keys --parent-ns 192.0.2.1', 'all zones of one parent, by their files'],
  ],
  positionals: { zone: domainName(text('name of the zone; every zone when left out')) },
  options: {
    file: list('name of a pair of files, with or without .key or .private; may be repeated'),
    directory: text('folder of pairs that are named as BIND does, Kexample.com.+013+12345.*'),
    parentNs: serverAddress(
      commaList('servers of the parent zone, host[:port]; needed for a zone not signed yet'),
    ),
    policy: text(
      'policy that fits the keys; the built-in one, or with --replace that of the zone, when left out',
    ),
    replace: flag('put the keys in the place of all keys of a signed zone'),
  },
  where: 'host',
  journals: () => true,
  async run({ zone, file, directory, parentNs = [], policy, replace }, context) {
    if ((file.length === 0) === (directory === undefined)) {
      throw usageFailure('name pairs of files with --file, or their folder with --directory');
    }
    if (zone === undefined && directory === undefined) throw usageFailure('--file needs a zone');
    if (zone === undefined && replace === true) throw usageFailure('--replace needs a zone');
    const { importKeys } = await import('../../background/dnssec/key-import.ts');
    const { normaliseZoneName } = await import('../../domain/zone.ts');
    const author = context.author();
    const found = directory === undefined ? undefined : await pairsIn(directory);
    await using stack = new AsyncDisposableStack();
    const database = await openStopped(await findDatabase(context));
    stack.defer(() => database.close());
    const keystore = await openKeystore(context, database.connection);
    const take = (zoneName: string, names: readonly string[]) =>
      asTyped(
        importKeys(
          { ...database, keystore, author },
          {
            zoneName,
            files: names.map(readPair),
            parentNsAddrs: parentNs,
            policyName: policy,
            replaces: replace,
          },
        ),
      );
    if (zone === undefined) {
      const items: FolderReport[] = [];
      for (const [each, names] of found!) {
        const isThere = await hasKeys(database.connection, each, names);
        items.push(isThere ? existing(each, names) : await reported(each, () => take(each, names)));
      }
      return showReports(items, context);
    }
    const names = found === undefined ? file : found.get(normaliseZoneName(zone));
    if (names === undefined) {
      throw new CliFailure(exitCode.notFound, `${directory} has no keys of zone '${zone}'`);
    }
    const { serial, keyTags } = await take(zone, names);
    const answer = { zone, serial, key_tags: keyTags };
    const keys = keyTags.map((tag) => `key ${tag}`).join(' and ');
    await context.output.show(answer, () => `zone ${zone} is at serial ${serial} with ${keys}`);
    return exitCode.ok;
  },
});

/** What is refused of the servers of the parent names the option: no field of a request was typed. */
async function asTyped<Done>(done: Promise<Done>): Promise<Done> {
  try {
    return await done;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(error.code, error.message.replace(/^parent_ns_addrs(?=:)/, '--parent-ns'));
  }
}

/** What became of the keys of a zone. */
interface FolderReport {
  readonly zone: string;
  readonly outcome: 'imported' | 'exists' | 'refused';
  readonly serial: number | null;
  readonly key_tags: readonly number[];
  readonly error: string | null;
}

const reportColumns: Columns<FolderReport> = [
  'zone',
  'outcome',
  'serial',
  ['keys', ({ key_tags: tags }) => tags.join(', ')],
  'error',
];

/** As BIND names them: the zone, the number of the algorithm, the key tag. */
const keyFile = /^K(.+)\.\+\d{3}\+(\d{5})\.(?:key|private)$/;

/** The pairs of a folder by the zones that they are named for, in the order of their names. */
async function pairsIn(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const { normaliseZoneName } = await import('../../domain/zone.ts');
  const names = (await readdir(folder)).filter((name) => keyFile.test(name));
  const bases = [...new Set(names.map((name) => name.replace(/\.\w+$/, '')))].sort();
  if (bases.length === 0) {
    const hint = 'they are named like Kexample.com.+013+12345.key';
    throw new CliFailure(exitCode.notFound, `${folder} has no pairs of key files`, hint);
  }
  const zoneOf = (base: string) => {
    const zone = keyFile.exec(`${base}.key`)![1]!;
    return normaliseZoneName(asciiName(zone.replaceAll(/%2f/gi, '/')));
  };
  const byZone = Map.groupBy(bases, zoneOf);
  return new Map([...byZone].map(([zone, all]) => [zone, all.map((base) => join(folder, base))]));
}

function tagsOf(names: readonly string[]): number[] {
  return names.map((name) => Number(keyFile.exec(`${basename(name)}.key`)![2]));
}

/** Whether a zone has the keys of these files already, by their tags. */
async function hasKeys(connection: Connection, zone: string, names: readonly string[]) {
  try {
    const { keys } = await keysOf(connection, zone, undefined);
    const tags = new Set(keys.map(({ keyTag }) => keyTag));
    return tagsOf(names).every((tag) => tags.has(tag));
  } catch (error) {
    if (error instanceof CliFailure) return false;
    throw error;
  }
}

function existing(zone: string, names: readonly string[]): FolderReport {
  return { zone, outcome: 'exists', serial: null, key_tags: tagsOf(names), error: null };
}

/** A refusal is about one zone: the others go on. */
async function reported(
  zone: string,
  take: () => Promise<{ serial: number; keyTags: number[] }>,
): Promise<FolderReport> {
  try {
    const { serial, keyTags } = await take();
    return { zone, outcome: 'imported', serial, key_tags: keyTags, error: null };
  } catch (error) {
    const failure = asFailure(error);
    if (failure === undefined) throw error;
    return { zone, outcome: 'refused', serial: null, key_tags: [], error: failure.message };
  }
}

async function showReports(items: readonly FolderReport[], { output }: Context) {
  const count = (wanted: FolderReport['outcome']) =>
    items.filter(({ outcome }) => outcome === wanted).length;
  const sums = (['imported', 'exists', 'refused'] as const).map((each) => [each, count(each)]);
  const summary: Record<string, number> = Object.fromEntries(sums);
  await output.show({ items, summary }, () => {
    const line = `${summary.imported} imported; ${summary.refused} refused; ${summary.exists} existed already`;
    return `${output.rows(reportColumns, items)}\n${line}`;
  });
  return summary.refused === 0 ? exitCode.ok : exitCode.failure;
}

function readPair(name: string): { key: string; private: string } {
  const base = name.replace(/\.(?:key|private)$/, '');
  const read = (path: string) => {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      throw new CliFailure(
        exitCode.notFound,
        `${path} can not be read: ${(error as Error).message}`,
      );
    }
  };
  return { key: read(`${base}.key`), private: read(`${base}.private`) };
}

/** With the key file of the database. */
async function openKeystore(context: Context, connection: Connection) {
  const { Keystore } = await import('../../keystore/keystore.ts');
  return new Keystore(connection, keyFileOf(await context.config()));
}
