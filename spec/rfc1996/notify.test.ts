/**
 * NOTIFY of the running service (RFC 1996, interface 6, case 56): one per request and secondary,
 * never holding up the HTTP answer; and the notify operation, which waits.
 */
import { expect, it } from 'vitest';
import { decodeMessage } from '../../src/dns/wire/decode.ts';
import { answered, NotifiedSecondary } from '../support/notified.ts';
import { type RunningService, startService } from '../support/service.ts';

const zone = 'example.com';
const catalog = 'catalog.invalid';

/** Seconds that nobody reaches who answers. */
const longPatience = 60;

/** A service with a secondary that has been told of its zone, with the seconds an answer may take. */
async function prepared(patience = longPatience) {
  const service = await startService({
    ZONEBOOK_DNS_NOTIFY_RETRIES: '1',
    ZONEBOOK_DNS_NOTIFY_TIMEOUT_SECS: String(patience),
  });
  const secondary = await NotifiedSecondary.listen();
  await service.must('POST', '/secondaries', { name: 'ns2', address: secondary.address });
  const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
  await service.must('POST', '/zones', { name: zone, ...soa });
  await secondary.until(zone, 1);
  return {
    service,
    secondary,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await secondary[Symbol.asyncDispose]();
    },
  };
}

const change = (service: RunningService, refresh: number) =>
  service.must('PUT', `/zones/${zone}`, { refresh });

it('tells the serial of every change, once for many records', async () => {
  await using run = await prepared();
  const { service, secondary } = run;
  const records = Array.from({ length: 50 }, (_, at) => ({
    name: `h${at}`,
    type: 'A',
    value: '192.0.2.1',
  }));
  await service.must('POST', '/records/bulk', { zone_name: zone, records });
  await secondary.until(zone, 2);
  await change(service, 777);
  await secondary.until(zone, 3);
  expect(secondary.serials(zone)).toEqual([1, 2, 3]);
  // A minute after the start it is asked for its serials, which is the only other message.
  const notify = { opcode: 4, authoritative: true, type: 6 };
  const question = { opcode: 0, authoritative: false, type: 6 };
  for (const { bytes } of secondary.received) {
    const { opcode, authoritative, questions } = decodeMessage(bytes);
    const message = { opcode, authoritative, type: questions[0]!.type };
    expect([notify, question]).toContainEqual(message);
  }
});

it('tells nobody of a dry run, and nothing to a disabled secondary', async () => {
  await using run = await prepared();
  const { service, secondary } = run;
  // It is told in the same turn as the others, so what it has heard has been sent to all.
  await using witness = await NotifiedSecondary.listen();
  await service.must('POST', '/secondaries', { name: 'ns3', address: witness.address });
  const dry = { zone_name: zone, name: 'dry', type: 'A', value: '192.0.2.1', dry_run: true };
  await service.must('POST', '/records', dry);
  await service.must('PUT', '/secondaries/ns2', { enabled: false });
  await change(service, 778);
  await witness.until(zone, 2);
  await service.must('PUT', '/secondaries/ns2', { enabled: true });
  await change(service, 779);
  await secondary.until(zone, 3);
  expect(secondary.serials(zone)).toEqual([1, 3]);
  await witness.until(zone, 3);
  expect(witness.serials(zone).filter((serial) => serial > 1)).toEqual([2, 3]);
});

it('does not hold up the answer to a change when nobody answers', async () => {
  await using run = await prepared();
  const { service, secondary } = run;
  secondary.answer = () => undefined;
  const started = performance.now();
  // One that waited for the secondary would take two minutes.
  for (let round = 0; round < 50; round++) await change(service, 1000 + round);
  // The newest serial is told in the end; between, a new one replaces another ten times a second.
  await secondary.until(zone, 51);
  const turns = (performance.now() - started) / 100;
  expect(secondary.serials(zone).length).toBeLessThan(5 + turns);
});

it('waits in the notify operation, and names the secondary that refused', async () => {
  await using run = await prepared();
  const { service, secondary } = run;
  expect(secondary.serials(catalog)).toEqual([2]);
  expect((await service.call('POST', `/zones/${catalog}/notify`)).status).toBe(200);
  expect(secondary.serials(catalog)).toEqual([2, 2]);
  const bump = await service.call('POST', `/zones/${catalog}/notify?bump_serial=true`);
  expect(bump).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } });
  expect((await service.call('POST', `/zones/${zone}/notify`)).status).toBe(200);
  expect(secondary.serials(zone)).toEqual([1, 1]);
  const bumped = await service.call('POST', `/zones/${zone}/notify?bump_serial=true`);
  expect(bumped.status).toBe(200);
  expect(secondary.serials(zone)).toContain(2);
  const all = await service.must('POST', '/notify');
  expect(all.message).toBe('NOTIFY sent for the catalog and all zones');
  expect(secondary.serials(catalog)).toEqual([2, 2, 2]);
  secondary.answer = (request) => answered(request, 5);
  const refused = await service.call('POST', '/notify');
  expect(refused.status).toBe(502);
  expect(refused.body.error).toContain('ns2');
  expect(refused.body.error).toContain('REFUSED');
});

it('gives up in the notify operation when nobody answers', async () => {
  await using run = await prepared(1);
  const { service, secondary } = run;
  secondary.answer = () => undefined;
  const silent = await service.call('POST', `/zones/${zone}/notify`);
  expect(silent.status).toBe(502);
  expect(silent.body.error).toContain('ns2');
  expect(silent.body.error).toContain('did not answer');
});
