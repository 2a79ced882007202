import { expect, it } from 'vitest';
import { fakeStatus } from '../../../spec/support/fake-dnssec.ts';
import { fakePolicy, fakeZone } from '../../../spec/support/fake-services.ts';
import { Problem, serviceStops, tooManyWait } from '../../base/problem.ts';
import { type SchedulerServices, SigningScheduler } from './scheduler.ts';

const { at, signatures, ...status } = fakeStatus(fakeZone, fakePolicy);
/** No parent is asked. */
const signing = { ...status.signing, parentNsAddrs: [] };

/** What a run says, and what it leaves, where a signing is refused. */
async function runRefused(problem: Problem) {
  const said: unknown[] = [];
  const scheduler = new SigningScheduler({
    clock: () => at,
    lastEventAt: () => at,
    signing: { of: () => signing, signedZones: () => [{ zoneId: fakeZone.id, signing }] },
    zones: { byId: () => fakeZone },
    policies: { byId: () => fakePolicy },
    signingService: { noteSecondaries: async () => {}, noteBlocks: () => {} },
    reader: { signatures: async () => ({ ...signatures, expiring: ['www'] }) },
    writer: { submit: () => Promise.reject(problem) },
    askSecondaries: async () => [],
    log: { error: (name: string) => void said.push(name) },
    intervalSecs: 0,
    ran: (result: string) => void said.push(result),
  } as unknown as SchedulerServices);
  await scheduler.runOnce();
  return [...said, ...scheduler.failed()];
}

it.each(['ZONE_NOT_FOUND', 'DNSSEC_NOT_ENABLED'] as const)(
  'passes over a zone that is gone when it comes to it (%s)',
  async (code) => expect(await runRefused(new Problem(code, 'refused'))).toEqual(['ok']),
);

it('passes over a zone that the stop of the service cut short', async () => {
  expect(await runRefused(serviceStops())).toEqual(['ok']);
});

it.each([new Problem('STORAGE_UNAVAILABLE', 'refused'), tooManyWait()])(
  'counts a zone as failed that can not be written ($code)',
  async (problem) => {
    const said = ['dnssec.zone-failed', 'failed', fakeZone.id];
    expect(await runRefused(problem)).toEqual(said);
  },
);
