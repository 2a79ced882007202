/**
 * A dynamic update is a change like any other: it is told by NOTIFY and travels as an IXFR (RFC 1995,
 * RFC 1996). An update of nothing is not (case 18).
 */
import { expect, it } from 'vitest';
import { needsPeers } from '../support/peers.ts';
import { startSecondary } from '../support/secondaries.ts';
import { startService } from '../support/service.ts';
import { makeUpdateKey, makeZoneOf, sendUpdate } from '../support/updaters.ts';

const zone = 'example.com';

needsPeers(
  'named',
  'dig',
  'nsupdate',
)('an update by nsupdate', () => {
  it('appears at named through NOTIFY and IXFR, with records and SOA', async () => {
    await using service = await startService();
    await makeZoneOf(service, zone, 'www 300 A 192.0.2.1', 'mail 300 MX mx.example.com.');
    const key = await makeUpdateKey(service, 'updater', zone);
    await using named = await startSecondary('named', zone, service.dnsPort);
    await service.must('POST', '/secondaries', { name: 'ns2', address: `127.0.0.1:${named.port}` });
    await named.waitForSerial(2);
    const target = { port: service.dnsPort, zone, key };
    const send = (...commands: string[]) =>
      sendUpdate('nsupdate', target, ...commands.map((line) => `update ${line}`));

    expect(await send(`add new.${zone} 60 A 192.0.2.9`, `delete mail.${zone}`)).toBe('NOERROR');
    await named.waitForSerial(3);
    expect(named.dig(`new.${zone}`, 'A').map((line) => line.split(/\s+/).slice(1))).toEqual([
      ['60', 'IN', 'A', '192.0.2.9'],
    ]);
    expect(named.dig(`mail.${zone}`, 'MX')).toEqual([]);

    const soa = `add ${zone} 60 SOA ns9.example.org. who.example.org. 50 1200 300 604800 600`;
    expect(await send(`add new.${zone} 90 A 192.0.2.10`, soa)).toBe('NOERROR');
    await named.waitForSerial(50);
    expect(named.dig(`new.${zone}`, 'A').map((line) => line.split(/\s+/)[1])).toEqual(['90', '90']);
    expect(named.dig(zone, 'SOA')[0]).toMatch(/ns9\.example\.org\. who\.example\.org\. 50 1200/);

    const lastTransfer = async () =>
      (await service.must('GET', '/secondaries/ns2/transfers')).transfers[0];
    await expect.poll(lastTransfer).toMatchObject({
      zone_name: zone,
      kind: 'ixfr',
      incremental: true,
      serial: 50,
    });
  });

  it('case 18: of nothing sends no NOTIFY', async () => {
    await using service = await startService();
    await makeZoneOf(service, zone, 'www 300 A 192.0.2.1');
    const key = await makeUpdateKey(service, 'updater', zone);
    await using named = await startSecondary('named', zone, service.dnsPort);
    await service.must('POST', '/secondaries', { name: 'ns2', address: `127.0.0.1:${named.port}` });
    await named.waitForSerial(2);
    const sent = async () => {
      const { body } = await service.call('GET', '/metrics');
      return Number(/notify_sent_total{result="ok"} (\d+)/.exec(body)![1]);
    };
    const target = { port: service.dnsPort, zone, key };
    // Nothing is on its way once this has been answered.
    const tell = () => service.must('POST', `/zones/${zone}/notify`);
    await tell();
    const before = await sent();
    const nothing = [`update add www.${zone} 300 A 192.0.2.1`, `update delete gone.${zone}`];
    expect(await sendUpdate('nsupdate', target, ...nothing)).toBe('NOERROR');
    expect(await sendUpdate('nsupdate', target, `update add a.${zone} 60 A 192.0.2.1`)).toBe(
      'NOERROR',
    );
    await named.waitForSerial(3);
    await expect.poll(sent).toBe(before + 1);
    await tell();
    expect(await sent()).toBe(before + 2);
  });
});
