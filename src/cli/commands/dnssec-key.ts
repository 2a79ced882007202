/** `dnssec key`: private keys as pairs of files in the form of BIND, on the host and without the service. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from '../../journal/database.ts';
import { type Context, defineCommand } from '../command.ts';
import { CliFailure, exitCode, usageFailure } from '../failure.ts';
import { commaList, domainName, list, required, serverAddress, text, whole } from '../field.ts';
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
  },
  where: 'host',
  async run({ zone: name, directory = '.', keyTag }, context) {
    const { exportBindKey } = await import('../../dnssec/bind-key.ts');
    const { openKeyPair } = await import('../../dnssec/key-pair.ts');
    const { nobleOpinion } = await import('../../dnssec/noble.ts');
    const { apexOf } = await import('../../domain/zone.ts');
    const { zone, pairs } = await readDatabase(context, async (connection) => {
      const found = await keysOf(connection, name, keyTag);
      const keystore = await openKeystore(context, connection);
      const made = found.keys.map((key) => {
        const privateKey = keystore.signingKey(key.id);
        if (privateKey !== undefined) {
          const pair = openKeyPair(privateKey, key.dnskey, nobleOpinion);
          return exportBindKey(apexOf(found.zone), pair);
        }
        throw new CliFailure(exitCode.failure, `the private key of key ${key.keyTag} is missing`);
      });
      return { zone: found.zone, pairs: made };
    });
    const files = pairs.flatMap((pair) => [
      { path: join(directory, `${pair.baseName}.key`), content: pair.key },
      { path: join(directory, `${pair.baseName}.private`), content: pair.private },
    ]);
    const taken = files.find(({ path }) => existsSync(path));
    if (taken !== undefined) {
      const message = `${taken.path} already exists; nothing was written`;
      throw new CliFailure(exitCode.conflict, message);
    }
    for (const { path, content } of files) {
      writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
    }
    const answer = { zone: zone.name, files: files.map(({ path }) => path) };
    await context.output.show(answer, () => answer.files.join('\n'));
  },
});

/** A zone by its name, with its keys or the one of a tag. */
async function keysOf(connection: Connection, name: string, keyTag: number | undefined) {
  const { normaliseZoneName } = await import('../../domain/zone.ts');
  const { SigningQueries } = await import('../../projection/signing-store.ts');
  const { ZoneQueries } = await import('../../query/zone-queries.ts');
  const zone = new ZoneQueries(connection).byName(normaliseZoneName(name));
  if (zone === undefined) throw new CliFailure(exitCode.notFound, `zone '${name}' does not exist`);
  const all = new SigningQueries(connection).of(zone.id)?.keys ?? [];
  const keys = all.filter((key) => keyTag === undefined || key.keyTag === keyTag);
  if (keys.length > 0) return { zone, keys };
  const which = keyTag === undefined ? 'has no keys' : `has no key with tag ${keyTag}`;
  throw new CliFailure(exitCode.notFound, `zone '${zone.name}' ${which}`);
}

export const dnssecKeyImport = defineCommand({
  usage: 'import <zone>',
  summary: 'Take keys from files in the form of BIND; the service must be stopped',
  notes:
    'A zone that is not signed is signed with them at once, so it can move here with its DS as it is: give\n' +
    'a KSK and a ZSK, or one key for both. A signed zone publishes the key as the replacement of its role.',
  examples: [
    [
      '$0 example.com --file Kexample.com.+013+12345 --parent-ns 192.0.2.1',
      'the zone keeps the DS that its parent serves',
    ],
  ],
  positionals: { zone: domainName(required('name of the zone')) },
  options: {
    file: list('name of a pair of files, with or without .key or .private; may be repeated'),
    parentNs: serverAddress(
      commaList('servers of the parent zone, host[:port]; needed for a zone not signed yet'),
    ),
    policy: text('policy that fits the keys; the built-in one when left out'),
  },
  where: 'host',
  async run({ zone, file: named, parentNs = [], policy }, context) {
    const { importKeys } = await import('../../background/dnssec/key-import.ts');
    if (named.length === 0) {
      throw usageFailure('name at least one pair of files with --file');
    }
    const pairs = named.map(readPair);
    await using stack = new AsyncDisposableStack();
    const database = await openStopped(await findDatabase(context));
    stack.defer(() => database.close());
    const keystore = await openKeystore(context, database.connection);
    const { serial, keyTags } = await importKeys(
      { ...database, keystore },
      { zoneName: zone, files: pairs, parentNsAddrs: parentNs, policyName: policy },
    );
    const answer = { zone, serial, key_tags: keyTags };
    const keys = keyTags.map((tag) => `key ${tag}`).join(' and ');
    await context.output.show(answer, () => `zone ${zone} is at serial ${serial} with ${keys}`);
  },
});

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
