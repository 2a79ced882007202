/** What is known of secondaries: one that follows, one that does not answer. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needsPeers } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';
import { type RunningSecondary, startSecondary } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';

const zone = 'example.com';
const soa = { mname: 'ns1.example.net', rname: 'h@example.net' };

needsPeers('knotd', 'dig')('secondaries of which one is silent', () => {
  let service: RunningService;
  let knot: RunningSecondary;
  let nobody: string;

  beforeAll(async () => {
    service = await startService();
    await service.must('POST', '/zones', { name: zone, ...soa });
    knot = await startSecondary('knotd', zone, service.dnsPort);
    nobody = `127.0.0.1:${await freePort()}`;
    await service.must('POST', '/secondaries', { name: 'ns2', address: `127.0.0.1:${knot.port}` });
    await service.must('POST', '/secondaries', { name: 'ns3', address: nobody });
    await knot.waitForSerial(1);
  });
  afterAll(async () => {
    knot?.resume();
    await knot?.[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  const states = () => service.must('GET', '/secondary-states');
  /** What was never asked, or served nothing when it was, is asked when somebody looks. */
  const asked = () => expect.poll(async () => (await states()).items[0].in_sync).toBe(1);
  const add = (name: string) =>
    service.must('POST', '/records', { zone_name: zone, name, type: 'A', value: '192.0.2.1' });

  it('are known by what each serves', async () => {
    await asked();
    const { items, pagination, catalog_zone_name, primary } = await states();
    expect(pagination).toMatchObject({ total: 2, offset: 0 });
    expect(catalog_zone_name).toBe('catalog.invalid');
    expect(primary).toEqual({ address: '127.0.0.1', port: service.dnsPort });
    expect(items[0]).toMatchObject({ name: 'ns2', in_sync: 1, behind: 0, silence: null });
    expect(items[1]).toMatchObject({ name: 'ns3', in_sync: 0, behind: 0 });
    expect(items[1].silence.error).toContain(nobody);
  });

  it('say how much they transferred last, and what they said to NOTIFY', async () => {
    await asked();
    await add('www');
    const { serial } = (await service.must('GET', `/zones/${zone}`)).zone;
    await knot.waitForSerial(serial);
    const last = { zone_name: zone, kind: 'ixfr', incremental: true, serial };
    await expect.poll(async () => (await states()).items[0].last_transfer).toMatchObject(last);
    const { last_transfer, last_notify } = (await states()).items[0];
    expect(last_transfer.bytes).toBeGreaterThan(100);
    expect(last_transfer.took_ms).toBeGreaterThanOrEqual(0);
    expect(last_notify).toMatchObject({ zone_name: zone, error: null });
    expect(Date.parse(last_notify.at)).not.toBeNaN();
  });

  it('say which zones they are behind with, and since when', async () => {
    await asked();
    const { serial } = (await service.must('GET', `/zones/${zone}`)).zone;
    await knot.suspend();
    await add('late');
    // A stopped one does not answer; that it is behind is seen once it does.
    const waiting = await service.must('GET', `/zones/${zone}/propagation`);
    expect(waiting.reached).toBe(false);
    for (const { since, error } of waiting.secondaries) {
      expect(Date.parse(since)).not.toBeNaN();
      expect(error).not.toBeNull();
    }
    expect((await states()).items[0].silence.since).toBe(waiting.secondaries[0].since);
    knot.resume();
    await knot.waitForSerial(serial + 1);
    // It may serve the serial before the service has heard that all of the transfer was taken.
    const reached = async () =>
      (await service.must('GET', `/zones/${zone}/propagation`)).secondaries[0];
    await expect.poll(reached).toMatchObject({ reached: true, since: null, how: 'transfer' });
    await expect.poll(async () => (await states()).items[0].silence).toBeNull();
  });
});
