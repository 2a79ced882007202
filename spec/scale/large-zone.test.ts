/**
 * A large zone through the whole house: in over the bulk endpoint in chunks, out to named by AXFR, then
 * one change by IXFR whose size does not depend on the zone's. `npm run test:long` takes a million records.
 */
import { expect, it } from 'vitest';
import { isLong } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import { startSecondary } from '../support/secondaries.ts';
import { startService } from '../support/service.ts';

const records = isLong ? 1_000_000 : 50_000;
const perChunk = 10_000;
const zone = 'large.example';

needsPeers('named', 'dig')('a large zone', () => {
  it(
    `takes ${records} records in bulk, transfers to named, and follows one change by IXFR`,
    async () => {
      await using service = await startService({ ZONEBOOK_LOGGING_LEVEL: 'warn' });
      const body = { name: zone, mname: `ns1.${zone}`, rname: `hostmaster@${zone}` };
      await service.must('POST', '/zones', body);
      for (let start = 0; start < records; start += perChunk) {
        const chunk = Array.from({ length: perChunk }, (_, offset) => recordOf(start + offset));
        const answer = await service.must('POST', '/records/bulk', {
          zone_name: zone,
          records: chunk,
        });
        expect(answer.added).toBe(perChunk);
      }
      const chunks = records / perChunk;
      const { zone: loaded } = await service.must('GET', `/zones/${zone}`);
      expect(loaded.serial).toBe(1 + chunks);

      // A named that is refused at first asks again only after most of a minute.
      await service.must('POST', '/secondaries', { name: 'early', address: '127.0.0.1:9' });
      await using named = await startSecondary('named', zone, service.dnsPort);
      await service.must('POST', '/secondaries', {
        name: 'peer',
        address: `127.0.0.1:${named.port}`,
      });
      await named.waitForSerial(loaded.serial, 300_000);
      for (const index of [0, 1, 4711, records - 1]) {
        const { name, value } = recordOf(index);
        expect(named.dig(`${name}.${zone}`, 'A')).toEqual([
          expect.stringMatching(
            new RegExp(`^${name}\\.${zone}\\.\\s+3600\\s+IN\\s+A\\s+${value}$`),
          ),
        ]);
      }

      await service.must('POST', '/records', {
        zone_name: zone,
        name: 'one-more',
        type: 'A',
        value: '192.0.2.1',
      });
      await named.waitForSerial(loaded.serial + 1);
      expect(named.dig(`one-more.${zone}`, 'A')).toHaveLength(1);
      // A NOTIFY on the way may have it come for the first version twice.
      const [transfer] = await named.waitForLog(
        new RegExp(
          `Transfer completed: .*?(\\d+) records, (\\d+) bytes.*\\(serial ${loaded.serial + 1}\\)`,
          'g',
        ),
        1,
      );
      expect(Number(transfer?.[1])).toBeLessThan(10);
      expect(Number(transfer?.[2])).toBeLessThan(1000);
    },
    20 * 60_000,
  );
});

function recordOf(index: number): { name: string; type: string; value: string } {
  const value = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  return { name: `host-${index}`, type: 'A', value };
}
