/** `dnssec key import`: signs a zone with keys that BIND made, or publishes one as the next key. */
import { readFileSync } from 'node:fs';
import { defineCommand } from '../../../command.ts';
import { CliFailure, exitCode } from '../../../exit-code.ts';
import { list, required, text } from '../../../field.ts';
import { domainName, serverAddress } from '../../../name-field.ts';
import { addressesOf } from '../shared.ts';

export const dnssecKeyImport = defineCommand({
  usage: 'import <zone>',
  summary: 'Take keys from files in the form of BIND; the service must be stopped',
  notes:
    'A zone that is not signed is signed with them at once, so it can move here with its DS as it is: give\n' +
    'a KSK and a ZSK, or one key for both. A signed zone publishes the key as the replacement of its role.',
  examples: [
    [
      'zonebook dnssec key import example.com --file Kexample.com.+013+12345 --parent-ns 192.0.2.1',
      'the zone keeps the DS that its parent serves',
    ],
  ],
  positionals: { zone: domainName(required('name of the zone')) },
  options: {
    file: list('name of a pair of files, with or without .key or .private; may be repeated'),
    'parent-ns': serverAddress(
      list('servers of the parent zone, host[:port]; needed for a zone not signed yet'),
    ),
    policy: text('policy that fits the keys; the built-in one when left out'),
  },
  where: 'host',
  async run({ zone, file: named, 'parent-ns': parents, policy }, context) {
    const { findDatabase, openStopped } = await import('../../journal/shared.ts');
    const { importKeys } = await import('../../../../background/dnssec/key-import.ts');
    const { openKeystore, refusing } = await import('./host-keys.ts');
    if (named.length === 0) {
      throw new CliFailure(exitCode.usage, 'name at least one pair of files with --file');
    }
    const pairs = named.map(readPair);
    const { dataDir } = await findDatabase(context);
    await using stack = new AsyncDisposableStack();
    const database = await openStopped(dataDir);
    stack.defer(() => database.close());
    const keystore = await openKeystore(context, database.connection);
    const { serial, keyTags } = await refusing(() =>
      importKeys(
        { ...database, keystore },
        { zoneName: zone, files: pairs, parentNsAddrs: addressesOf(parents), policyName: policy },
      ),
    );
    const answer = { zone, serial, key_tags: keyTags };
    await context.output.show(
      answer,
      () =>
        `zone ${zone} is at serial ${serial} with ${keyTags.map((tag) => `key ${tag}`).join(' and ')}`,
    );
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
