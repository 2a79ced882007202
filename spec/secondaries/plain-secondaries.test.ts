/**
 * Servers that are told each zone by hand, as the pages beside this file set them up: they follow by
 * NOTIFY, and the service sees how far they are (interface 4.2 status, 4.4 transfers).
 */
import { expect, it } from 'vitest';
import { startFromPage } from '../support/page-secondaries.ts';
import { needsPeers } from '../support/peers.ts';
import { startService } from '../support/service.ts';
import { makeTransferKey } from '../support/tsig-keys.ts';

const zone = 'example.com';

for (const kind of ['nsd', 'pdns_server'] as const) {
  needsPeers(kind)(`${kind} as a plain secondary`, () => {
    it('pulls the zone, is told of changes and shows as in sync', async () => {
      await using service = await startService();
      await service.must('POST', '/zones', { name: zone, mname: 'ns1.test', rname: 'root@test' });
      await service.must('POST', '/secondaries', { name: 'early', address: '127.0.0.1:9' });
      await using secondary = await startFromPage(kind, service.dnsPort, { fromCatalog: false });
      await service.must('DELETE', '/secondaries/early');
      const address = `127.0.0.1:${secondary.port}`;
      await service.must('POST', '/secondaries', { name: 'peer', address });
      await secondary.waitFor(zone, 1);
      for (let serial = 2; serial <= 5; serial++) {
        const record = { zone_name: zone, name: `h${serial}`, type: 'A', value: '192.0.2.9' };
        await service.must('POST', '/records', record);
        await secondary.waitFor(zone, serial);
      }
      const status = () => service.must('GET', `/zones/${zone}/status`);
      await expect.poll(status).toEqual({
        zone_name: zone,
        serial: 5,
        warnings: [],
        secondaries: [
          {
            address,
            status: 'in_sync',
            content: 'unknown',
            visible_serial: 5,
            error: null,
            last_transfer: expect.objectContaining({ zone_name: zone, result: 'ok', serial: 5 }),
          },
        ],
      });
      const { summary, transfers } = await service.must('GET', '/secondaries/peer/transfers');
      const isDelta = transfers[0].incremental;
      expect(transfers).toHaveLength(1);
      expect(summary).toEqual({
        zones: 1,
        axfr: isDelta ? 0 : 1,
        ixfr_full: 0,
        ixfr_delta: isDelta ? 1 : 0,
        refused: 0,
        failed: 0,
      });
      // PowerDNS asks for AXFR unless told otherwise; nsd follows by IXFR.
      expect(isDelta).toBe(kind === 'nsd');
      // It knows no catalog, and says so.
      const check = await service.must('POST', '/secondaries/peer/check');
      expect(check.catalog).toMatchObject({ status: 'reachable', visible_serial: null });
      expect(check.notifies).toEqual([
        {
          address: '127.0.0.1',
          error: expect.stringMatching(/answered (NOTAUTH|NXDOMAIN|REFUSED)/),
        },
      ]);
    });
  });
}

needsPeers('nsd')('nsd with a TSIG key, as its page says', () => {
  it('pulls the zone by the key, and takes only NOTIFY that is signed with it', async () => {
    await using service = await startService();
    await service.must('POST', '/zones', { name: zone, mname: 'ns1.test', rname: 'root@test' });
    const key = await makeTransferKey(service, 'mover', [zone]);
    await using secondary = await startFromPage('nsd', service.dnsPort, {
      fromCatalog: false,
      key,
    });
    // Nobody is registered, so that nothing but the key lets it in.
    await secondary.waitFor(zone, 1);
    const address = `127.0.0.1:${secondary.port}`;
    await service.must('POST', '/secondaries', { name: 'plain', address });
    const refused = await service.call('POST', `/zones/${zone}/notify`);
    expect([refused.status, refused.body.error]).toEqual([502, expect.stringMatching(/plain/)]);
    await service.must('DELETE', '/secondaries/plain');
    await service.must('POST', '/secondaries', { name: 'ns2', address, notify_key_name: 'mover' });
    for (let serial = 2; serial <= 4; serial++) {
      const record = { zone_name: zone, name: `h${serial}`, type: 'A', value: '192.0.2.9' };
      await service.must('POST', '/records', record);
      await secondary.waitFor(zone, serial);
    }
  });
});
