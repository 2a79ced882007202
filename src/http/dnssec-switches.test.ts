import { describe, expect, it } from 'vitest';
import { fakeServices } from '../../spec/support/fake-services.ts';
import { send } from '../../spec/support/http-door.ts';
import { createApp } from './app.ts';

/** What each request asks of signing: its deed and what is wanted. */
async function asked(method: string, path: string, body?: object) {
  const services = fakeServices();
  const answer = await send(createApp(services), method, `/zones/Example.com.${path}`, body);
  return [answer.status, ...services.deeds.map(({ name, wanted }) => ({ name, ...wanted }))];
}

const parents = ['192.0.2.1', 'a.nic.example:5353'];

describe('requests about the signing of a zone', () => {
  it('enable, with the built-in policy where none is named', async () => {
    expect(await asked('POST', '/dnssec', { parent_ns_addrs: parents })).toEqual([
      201,
      { name: 'enable', parentNsAddrs: parents, policyName: undefined },
    ]);
    const body = { parent_ns_addrs: parents, policy_name: 'split' };
    expect(await asked('POST', '/dnssec', body)).toEqual([
      201,
      { name: 'enable', parentNsAddrs: parents, policyName: 'split' },
    ]);
    expect(await asked('POST', '/dnssec', { policy_name: 'split' })).toEqual([400]);
    expect(await asked('POST', '/dnssec', { parent_ns_addrs: '192.0.2.1' })).toEqual([400]);
    expect(await asked('POST', '/dnssec', { parent_ns_addrs: [1] })).toEqual([400]);
  });

  it('change settings; null is not given', async () => {
    const body = { policy_name: 'small', parent_ns_addrs: null };
    expect(await asked('PUT', '/dnssec', body)).toEqual([
      200,
      { name: 'configure', policyName: 'small', parentNsAddrs: undefined },
    ]);
  });

  it('decisions 2: take switches in the query or the body, or none', async () => {
    const disabled = (skipDsCheck: boolean) => [200, { name: 'disable', skipDsCheck }];
    expect(await asked('DELETE', '/dnssec')).toEqual(disabled(false));
    expect(await asked('DELETE', '/dnssec?skip_ds_check=true')).toEqual(disabled(true));
    expect(await asked('DELETE', '/dnssec', { skip_ds_check: true })).toEqual(disabled(true));
    expect(await asked('DELETE', '/dnssec?skip_ds_check=1')).toEqual([400]);
    expect(await asked('DELETE', '/dnssec?skip_holddown=true')).toEqual([400]);
    const promoted = (skipDsCheck: boolean, skipHolddown: boolean, skipSecondaries = false) => [
      200,
      { name: 'promote', skipDsCheck, skipHolddown, skipSecondaries },
    ];
    for (const path of ['/dnssec/rollover/promote', '/dnssec/rollover/ds-seen']) {
      expect(await asked('POST', path)).toEqual(promoted(false, false));
      expect(await asked('POST', `${path}?skip_holddown=true`)).toEqual(promoted(false, true));
      const mixed = await asked('POST', `${path}?skip_ds_check=true`, { skip_holddown: true });
      expect(mixed).toEqual(promoted(true, true));
      const late = await asked('POST', `${path}?skip_secondaries=true`);
      expect(late).toEqual(promoted(false, false, true));
    }
    const aborted = (role: string | null, skipDsCheck: boolean) => [
      200,
      { name: 'abort', role, skipDsCheck },
    ];
    expect(await asked('POST', '/dnssec/rollover/abort')).toEqual(aborted(null, false));
    const abort = await asked('POST', '/dnssec/rollover/abort?skip_ds_check=true', { role: 'zsk' });
    expect(abort).toEqual(aborted('zsk', true));
    expect(await asked('POST', '/dnssec/rollover/abort?role=zsk')).toEqual([400]);
  });

  it('roll a role, or the only one', async () => {
    expect(await asked('POST', '/dnssec/rollover')).toEqual([200, { name: 'roll', role: null }]);
    const zsk = await asked('POST', '/dnssec/rollover', { role: 'zsk' });
    expect(zsk).toEqual([200, { name: 'roll', role: 'zsk' }]);
    const open = await asked('POST', '/dnssec/rollover', { role: null });
    expect(open).toEqual([200, { name: 'roll', role: null }]);
  });

  it.each([
    ['POST', '/dnssec/check-ds', 'checkDs'],
    ['POST', '/dnssec/sign', 'sign'],
    ['POST', '/dnssec/withdraw', 'withdraw'],
    ['DELETE', '/dnssec/withdraw', 'cancelWithdraw'],
  ])('%s %s', async (method, path, name) => {
    expect(await asked(method, path)).toEqual([200, { name }]);
  });

  it('say who asks', async () => {
    const services = fakeServices();
    await send(createApp(services), 'POST', '/zones/example.com/dnssec/sign');
    expect(services.deeds[0]!.options).toMatchObject({ source: 'api', actor: null, dryRun: false });
  });
});
