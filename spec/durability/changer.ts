/**
 * Changes fifty zones at once for as long as it lives and writes the number of each change to standard output once
 * it is acknowledged: a process that kill.test.ts kills.
 *
 * Usage: node spec/durability/changer.ts FOLDER
 */
import { writeSync } from 'node:fs';
import { openStoredZones } from '../support/stored-zones.ts';

const names = Array.from({ length: 50 }, (_, index) => `killed${index}.example`);
const stored = openStoredZones({ folder: process.argv[2]! });
for (const name of names) {
  if (stored.zones.byName(name) === undefined) await stored.zone(name);
}

for (let change = stored.zones.byName(names[0]!)!.serial; ; change++) {
  const set = [{ name: 'n', type: 'TXT', values: [String(change)] }];
  const zones = names.map((zoneName) => ({ zoneName, set, add: [], delete: [] }));
  await stored.run({ kind: 'change-zones', zones });
  writeSync(1, `${change}\n`);
}
