/**
 * Creates records through the writer for as long as it lives and writes the id of each to standard
 * output once it is acknowledged: the process that kill.test.ts kills.
 *
 * Usage: node spec/durability/writer.ts FOLDER [CALLERS]
 */
import { writeSync } from 'node:fs';
import { openStoredZones, record } from '../support/stored-zones.ts';

const callers = Number(process.argv[3] ?? 4);
const stored = openStoredZones({ folder: process.argv[2]! });
if (stored.zones.byName('killed.example') === undefined) await stored.zone('killed.example');

let next = stored.zones.byName('killed.example')!.serial;

/** One caller that waits for each answer, like a client of the HTTP interface. */
async function work(): Promise<void> {
  while (true) {
    const name = `n${next++}`;
    const { records } = await stored.run({
      kind: 'create-records',
      zoneName: 'killed.example',
      records: [record(name, 'A', '192.0.2.1')],
    });
    writeSync(1, `${records[0]!.id}\n`);
  }
}

await Promise.all(Array.from({ length: callers }, work));
