/**
 * Changes a zone and lets go of its history again and again for as long as it lives: the process that
 * retention.test.ts kills. Writes a letter to standard output with each round.
 *
 * Usage: node spec/durability/forgetter.ts FOLDER
 */
import { writeSync } from 'node:fs';
import { createClearing } from '../../src/background/import/clearing.ts';
import { Retention } from '../../src/background/retention/retention.ts';
import { apiOptions, openStoredZones, record } from '../support/stored-zones.ts';

const stored = openStoredZones({ folder: process.argv[2]! });
const { writer, connection, file } = stored;
const log = { info: () => {}, error: () => {} };
const clock = () => Date.now();
const retention = new Retention(
  { writer, file, connection, clock, log, smallParts: 0 },
  { days: 0, signerDays: 0, intervalSecs: 0 },
);
createClearing(writer).start();
if (stored.zones.byName('killed.example') === undefined) await stored.zone('killed.example');
const zone = stored.zones.byName('killed.example')!;

let round = stored.journal.head().seq;
while (true) {
  const zoneName = 'killed.example';
  const names = Array.from({ length: 300 }, (_, index) => `n${round}-${index}`);
  await stored.add(zoneName, ...names.map((name) => record(name, 'TXT', 'x'.repeat(2000))));
  writeSync(1, '.');
  await Promise.all([
    retention.forget(zone, clock(), apiOptions),
    ...names.map((name) => stored.run({ kind: 'delete-records', zoneName, name })),
  ]);
  const gone = `gone${round}.example`;
  await stored.zone(gone);
  await stored.add(gone, ...names.map((name) => record(name, 'A', '192.0.2.1')));
  await stored.run({ kind: 'delete-zone', zoneName: gone });
  await stored.run({ kind: 'purge-zone', name: gone });
  round++;
}
