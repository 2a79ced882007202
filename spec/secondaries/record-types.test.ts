/**
 * A zone with a record of nearly every type that can be stored: BIND, Knot and NSD take it by transfer and
 * serve the same bytes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { needsPeers } from '../support/peers.ts';
import { type SecondaryKind, startSecondary } from '../support/secondaries.ts';
import { startService } from '../support/service.ts';

const zone = 'rare.example';
const file = join(import.meta.dirname, '../../fixtures/zones/rare.example.zone');

for (const kind of ['named', 'knotd', 'nsd'] as const satisfies SecondaryKind[]) {
  needsPeers(kind, 'dig')(`${kind} as secondary`, () => {
    it('takes rare types by transfer', async () => {
      await using service = await startService();
      const content = readFileSync(file, 'utf8');
      const body = { content, create: true, mode: 'replace' };
      await service.must('POST', `/zones/${zone}/import`, body);
      // Somebody may transfer before it asks: a named that is refused asks again only after most of a minute.
      await service.must('POST', '/secondaries', { name: 'early', address: '127.0.0.1:9' });
      await using secondary = await startSecondary(kind, zone, service.dnsPort);
      const address = `127.0.0.1:${secondary.port}`;
      await service.must('POST', '/secondaries', { name: 'peer', address });
      await secondary.waitForSerial(1);
      const items: { name: string; type: string }[] = (
        await service.must('GET', `/records?zone_name=${zone}&limit=1000`)
      ).items;
      const served = secondary.dig('+unknownformat', '+noidnout', zone, 'AXFR');
      // The SOA comes twice.
      expect(served).toHaveLength(items.length + 2);
      const ours = secondary.dig('-p', String(service.dnsPort), '+unknownformat', zone, 'AXFR');
      const inOneForm = (lines: string[]) =>
        lines.map((line) => line.toLowerCase().replaceAll(/\s+/g, ' ')).sort();
      expect(inOneForm(served)).toEqual(inOneForm(ours));
      expect(new Set(items.map(({ type }) => type)).size).toBeGreaterThan(42);
    });
  });
}
