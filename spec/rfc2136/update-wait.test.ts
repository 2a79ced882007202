/** With `dns.update_wait_secs` an UPDATE is answered when every secondary serves what it did, or that time is over. */
import { expect, it } from 'vitest';
import { needsPeers } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';
import { startSecondary } from '../support/secondaries.ts';
import { startService } from '../support/service.ts';
import { makeUpdateKey, makeZoneOf, recordsOf, sendUpdate, updaters } from '../support/updaters.ts';

const zone = 'example.com';

needsPeers(
  ...updaters,
  'knotd',
  'dig',
)('the answer to an UPDATE', () => {
  it('comes when the secondary serves it', async () => {
    await using service = await startService({ ZONEBOOK_DNS_UPDATE_WAIT_SECS: '30' });
    await makeZoneOf(service, zone);
    const key = await makeUpdateKey(service, 'waits.key', zone);
    await using secondary = await startSecondary('knotd', zone, service.dnsPort);
    const address = `127.0.0.1:${secondary.port}`;
    await service.must('POST', '/secondaries', { name: 'knotd', address });
    await secondary.waitForSerial(1);
    for (let at = 0; at < 6; at++) {
      const target = { port: service.dnsPort, zone, key, tcp: at % 3 === 0 };
      const change = `update add n${at}.${zone}. 300 A 192.0.2.${at}`;
      expect(await sendUpdate(updaters[at % 2]!, target, change)).toBe('NOERROR');
      const { serial } = (await service.must('GET', `/zones/${zone}`)).zone;
      expect([at, secondary.serial()]).toEqual([at, serial]);
    }
  });

  it('comes when the time is over, and the update is done', async () => {
    await using service = await startService({ ZONEBOOK_DNS_UPDATE_WAIT_SECS: '1' });
    await makeZoneOf(service, zone);
    const key = await makeUpdateKey(service, 'waits.key', zone);
    const address = `127.0.0.1:${await freePort()}`;
    await service.must('POST', '/secondaries', { name: 'gone', address });
    const target = { port: service.dnsPort, zone, key };
    const change = `update add www.${zone}. 300 A 192.0.2.1`;
    expect(await sendUpdate('nsupdate', target, change)).toBe('NOERROR');
    expect(await recordsOf(service, zone)).toContain('www 300 A 192.0.2.1');
  });
});
