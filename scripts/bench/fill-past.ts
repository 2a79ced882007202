/**
 * Writes a deep history into a data folder that no service uses, and does not wait for the disk.
 *
 * Usage: node scripts/bench/fill-past.ts FOLDER VERSIONS
 */
import { openStoredZones, record, type StoredZones } from '../../spec/support/stored-zones.ts';

/** The zone with the versions, and its records. */
export const deep = 'deep.example';
const deepRecords = 22_000;
/** Zones that share the other events: four for each version. */
const others = Array.from({ length: 50 }, (_, at) => `other-${at}.example`);
const otherRecords = 100;
const eventsPerVersion = 5;
/** Changes that are handed in at once. */
const atOnce = 256;

async function zoneOf(stored: StoredZones, name: string, count: number): Promise<number[]> {
  await stored.zone(name, { apexNs: true });
  const ids: number[] = [];
  for (let first = 0; first < count; first += 1000) {
    const some = Array.from({ length: Math.min(1000, count - first) }, (_, at) =>
      record(`host-${first + at}.rack-${(first + at) % 97}`, 'A', '10.0.0.1'),
    );
    const { records } = await stored.add(name, ...some);
    ids.push(...records.map(({ id }) => id));
  }
  return ids;
}

async function change(
  stored: StoredZones,
  count: number,
  idOf: (number: number) => number,
): Promise<void> {
  for (let first = 0; first < count; first += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, count - first) }, (_, at) => {
      const number = first + at;
      const value = `10.${number & 255}.${(number >> 8) & 255}.${2 + ((number >> 16) & 127)}`;
      return stored.run({ kind: 'update-record', id: idOf(number), value });
    });
    await Promise.all(some);
  }
}

async function main(folder: string, versions: number): Promise<void> {
  const stored = openStoredZones({ folder, durable: false });
  const ids = await zoneOf(stored, deep, deepRecords);
  // Neighbours in the list are far apart in the zone.
  await change(stored, versions, (number) => ids[(number * 7919) % ids.length]!);
  const all: number[][] = [];
  for (const name of others) all.push(await zoneOf(stored, name, otherRecords));
  await change(stored, versions * (eventsPerVersion - 1), (number) => {
    const zone = all[number % all.length]!;
    return zone[Math.floor(number / all.length) % zone.length]!;
  });
  await stored.close();
  console.log('{}');
}

if (import.meta.main) await main(process.argv[2]!, Number(process.argv[3]));
