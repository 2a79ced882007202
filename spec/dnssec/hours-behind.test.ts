/** A clock that is some hours behind the last event, where no time of a zone's keys is ahead of it. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bySystem } from '../../src/writer/submission.ts';
import { InProcessService } from '../support/in-process.ts';
import { SignedZoneDesk, serves } from '../support/signing.ts';

const hourMs = 3_600_000;
const name = 'example.com';

let service: InProcessService;
let desk: SignedZoneDesk;
beforeEach(async () => {
  service = new InProcessService();
  service.stopClock();
  await service.call('POST', '/dnssec-policies', { name: 'ed', algorithm: 'ed25519' }, 201);
  desk = await SignedZoneDesk.signed(service, name);
});
afterEach(async () => {
  expect(await service.verify()).toEqual([]);
  await service.close();
});

const runs = () => service.signing.scheduler.runOnce();
const states = async () =>
  (await desk.status()).keys.map(({ state }: { state: string }) => state).join(' ');
/** Milliseconds until the new key may take over. */
const waitMs = async () => Date.parse((await desk.status()).keys[1].eligible_at) - service.now();
const wholeWaitMs = (3600 + 300) * 1000;

/** The last event of all is of now, and none of keys is. */
const last = async () => {
  service.pass(5 * hourMs);
  await service.createZone('last.example');
};
const behind = async (run: () => Promise<unknown>) => {
  service.pass(-3 * hourMs);
  await run();
  service.pass(3 * hourMs);
};

it.each([
  ['a roll', () => desk.post('/rollover')],
  ['a new algorithm', () => service.call('PUT', desk.path, { policy_name: 'ed' })],
] as const)('ends no wait of %s that began meanwhile', async (_, begin) => {
  await last();
  await behind(begin);
  await desk.refused('POST', '/rollover/promote', { skip_ds_check: true }, 'INVALID_INPUT');
  await runs();
  expect(await waitMs()).toBe(wholeWaitMs);
});

it('ends no wait that began again meanwhile, as the zone was taken back', async () => {
  await desk.post('/rollover');
  await last();
  const recover = { kind: 'recover-zone', zoneName: name, jump: 65_536 } as const;
  await behind(() => service.writer.submit(recover, bySystem));
  await runs();
  expect(await waitMs()).toBe(wholeWaitMs);
});

it('says nothing to the parent of a zone that was signed meanwhile', async () => {
  await last();
  await behind(() => SignedZoneDesk.signed(service, 'late.example'));
  const late = new SignedZoneDesk(service, 'late.example');
  // A change of a record brings CDS in that are due, also before a run.
  const record = { zone_name: late.name, name: 'a', type: 'A', value: '192.0.2.1' };
  await service.call('POST', '/records', record, 201);
  expect(await late.derived('CDS')).toEqual([]);
  await runs();
  expect(await late.derived('CDS')).toEqual([]);
  service.pass(2 * hourMs);
  await runs();
  expect(await late.derived('CDS')).toHaveLength(1);
});

it('removes no algorithm whose DS the parents dropped meanwhile', async () => {
  const { ds_records: old } = await desk.status();
  desk.say(serves(old, 3600));
  await service.call('PUT', desk.path, { policy_name: 'ed' });
  await desk.post('/rollover/promote', { skip_ds_check: true, skip_holddown: true });
  service.pass(72 * hourMs);
  await runs();
  await last();
  desk.say(serves((await desk.status()).ds_records, 3600));
  await behind(() => desk.post('/check-ds'));
  await runs();
  expect(await states()).toBe('retired active');
  service.pass(3 * hourMs);
  await runs();
  expect(await states()).toBe('active');
});
