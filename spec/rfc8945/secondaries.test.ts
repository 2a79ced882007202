/**
 * Real secondaries that sign with TSIG: they pull AXFR and IXFR by their key, and take NOTIFY that
 * the service signed (RFC 8945, interface 6).
 */
import { expect, it } from 'vitest';
import { recordsListed, recordsServed } from '../support/compare.ts';
import { needsPeers } from '../support/peers.ts';
import { type SecondaryKind, startSecondary } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';
import { makeTransferKey } from '../support/tsig-keys.ts';

const zone = 'example.com';

/** The secondary's own word for a NOTIFY that it took as signed. */
const acknowledged: Record<SecondaryKind, RegExp> = {
  named: /received notify for zone 'example\.com': TSIG 'mover'/g,
  knotd: /ACL, allowed, action notify, remote 127\.0\.0\.1@\d+, key 'mover\.'/g,
  nsd: /notify for example\.com\. from 127\.0\.0\.1 serial \d+/g,
};

async function okCount(service: RunningService): Promise<number> {
  const text: string = await service.must('GET', '/metrics');
  return Number(/^zonebook_notify_sent_total\{result="ok"\} (\d+)/m.exec(text)?.[1] ?? 0);
}

for (const [kind, algorithm] of [
  ['named', 'hmac-sha256'],
  ['knotd', 'hmac-sha384'],
  ['nsd', 'hmac-sha512'],
] as const) {
  needsPeers(kind, 'dig')(`${kind} with ${algorithm}`, () => {
    it('pulls AXFR and IXFR by its key alone, told by signed NOTIFY', async () => {
      await using service = await startService();
      await service.must('POST', '/zones', { name: zone, mname: 'ns1.test', rname: 'root@test' });
      const records = Array.from({ length: 3000 }, (_, at) => ({
        name: `host-${at}`,
        type: 'TXT',
        value: `record number ${at} ${'x'.repeat(at % 60)}`,
      }));
      await service.must('POST', '/records/bulk', { zone_name: zone, records });
      const key = await makeTransferKey(service, 'mover', [zone], algorithm);
      await using secondary = await startSecondary(kind, zone, service.dnsPort, key);
      await secondary.waitForSerial(2);
      expect(recordsServed(secondary)).toEqual(await recordsListed(service, zone));
      await service.must('POST', '/secondaries', {
        name: 'peer',
        address: `127.0.0.1:${secondary.port}`,
        notify_key_name: 'mover',
      });
      for (let serial = 3; serial <= 6; serial++) {
        const name = `new-${serial}`;
        const record = { zone_name: zone, name, type: 'A', value: '192.0.2.9' };
        await service.must('POST', '/records', record);
        // It would find out by itself in the end, but not say this.
        await secondary.waitForLog(acknowledged[kind], serial - 2);
        await secondary.waitForSerial(serial);
      }
      expect(recordsServed(secondary)).toEqual(await recordsListed(service, zone));
      // Each was answered with a signature that held.
      await expect.poll(() => okCount(service)).toBeGreaterThanOrEqual(4);
      expect(service.output).not.toContain('notify.failed');
      const metrics: string = await service.must('GET', '/metrics');
      expect(metrics).toMatch(/^zonebook_xfr_total\{type="ixfr",result="ok",.* [1-9]/m);
      expect(metrics).not.toMatch(/^zonebook_xfr_total\{type="\w+",result="refused",.* [1-9]/m);
    });
  });
}
