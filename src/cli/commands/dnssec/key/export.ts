/** `dnssec key export`: writes the keys of a zone as pairs of files in BIND's form. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineCommand } from '../../../command.ts';
import { CliFailure, exitCode } from '../../../exit-code.ts';
import { required, text, whole } from '../../../field.ts';
import { domainName } from '../../../name-field.ts';

export const dnssecKeyExport = defineCommand({
  usage: 'export <zone>',
  summary: 'Write the keys of a zone, private halves too, as pairs of files in the form of BIND',
  notes: 'Files are made with mode 0600 and never written over. The service may run meanwhile.',
  examples: [
    ['zonebook dnssec key export example.com --directory keys', 'Kexample.com.+013+12345.*'],
  ],
  positionals: { zone: domainName(required('name of the zone')) },
  options: {
    directory: text('folder for the files; the one you are in when left out'),
    'key-tag': whole('only the key with this tag'),
  },
  where: 'host',
  async run({ zone: name, directory = '.', 'key-tag': keyTag }, context) {
    const { findDatabase } = await import('../../journal/shared.ts');
    const { openReader } = await import('../../../../journal/database.ts');
    const { exportBindKey } = await import('../../../../dnssec/bind-key.ts');
    const { openKeyPair } = await import('../../../../dnssec/key-pair.ts');
    const { nobleOpinion } = await import('../../../../dnssec/noble.ts');
    const { apexOf, normaliseZoneName } = await import('../../../../domain/zone.ts');
    const { SigningQueries } = await import('../../../../projection/signing-store.ts');
    const { ZoneQueries } = await import('../../../../projection/zone-queries.ts');
    const { openKeystore } = await import('./host-keys.ts');
    const { file } = await findDatabase(context);
    const connection = openReader(file);
    try {
      const zone = new ZoneQueries(connection).byName(normaliseZoneName(name));
      if (zone === undefined) {
        throw new CliFailure(exitCode.notFound, `zone '${name}' does not exist`);
      }
      const signing = new SigningQueries(connection).of(zone.id);
      const keys = (signing?.keys ?? []).filter(
        (key) => keyTag === undefined || key.keyTag === keyTag,
      );
      if (keys.length === 0) {
        const which = keyTag === undefined ? 'has no keys' : `has no key with tag ${keyTag}`;
        throw new CliFailure(exitCode.notFound, `zone '${zone.name}' ${which}`);
      }
      const keystore = await openKeystore(context, connection);
      const pairs = keys.map((key) => {
        const privateKey = keystore.signingKey(key.id);
        if (privateKey === undefined) {
          throw new CliFailure(
            exitCode.failure,
            `the private half of key ${key.keyTag} is missing`,
          );
        }
        return exportBindKey(apexOf(zone), openKeyPair(privateKey, key.dnskey, nobleOpinion));
      });
      const files = pairs.flatMap((pair) => [
        { path: join(directory, `${pair.baseName}.key`), content: pair.key },
        { path: join(directory, `${pair.baseName}.private`), content: pair.private },
      ]);
      const taken = files.find(({ path }) => existsSync(path));
      if (taken !== undefined) {
        throw new CliFailure(
          exitCode.conflict,
          `${taken.path} is there already; nothing was written`,
        );
      }
      for (const { path, content } of files) {
        writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
      }
      const answer = { zone: zone.name, files: files.map(({ path }) => path) };
      await context.output.show(answer, () => answer.files.join('\n'));
    } finally {
      connection.close();
    }
  },
});
