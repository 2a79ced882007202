import { describe, expect, it } from 'vitest';
import { fakeSecret, fakeServices, fakeToken } from '../../spec/support/fake-services.ts';
import { expectProblem, send } from '../../spec/support/http-door.ts';
import type { Action } from '../base/action.ts';
import { parseNamePattern } from '../domain/access/pattern.ts';
import { Rights } from '../domain/access/rights.ts';
import { createApp } from './app.ts';

describe('notify', () => {
  it('bumps first when asked to, then waits for the secondaries', async () => {
    const services = fakeServices();
    const app = createApp(services);
    const plain = await send(app, 'POST', '/zones/EXAMPLE.com./notify');
    expect(await plain.json()).toEqual({ message: "NOTIFY sent for zone 'example.com'" });
    expect(services.submitted).toEqual([]);
    await send(app, 'POST', '/zones/example.com/notify?bump_serial=true');
    expect(services.submitted[0]!.command).toEqual({
      kind: 'bump-serial',
      zoneName: 'example.com',
      seenSerial: undefined,
    });
    expect(services.notified).toEqual(['example.com', 'example.com']);
  });

  it('bumps every enabled zone when all are meant', async () => {
    const services = fakeServices();
    const app = createApp(services);
    expect((await send(app, 'POST', '/notify?bump_serial=true')).status).toBe(200);
    expect(
      services.submitted.map(({ command }) => (command as { zoneName: string }).zoneName),
    ).toEqual(['example.com', '0/25.2.0.192.in-addr.arpa']);
    expect(services.notified).toEqual([undefined]);
  });

  it('serves the earlier path with force and zone_name', async () => {
    const services = fakeServices();
    const app = createApp(services);
    await send(app, 'POST', '/notify/zones', { force: true, zone_name: 'example.com' });
    expect(services.submitted).toHaveLength(1);
    await send(app, 'POST', '/notify/zones', { force: false, zone_name: null });
    expect(services.submitted).toHaveLength(1);
    expect(services.notified).toEqual(['example.com', undefined]);
  });

  it('names the secondaries that were not told', async () => {
    const services = fakeServices();
    services.failures.push({ secondary: 'ns2', error: 'no answer' });
    const response = await send(createApp(services), 'POST', '/zones/example.com/notify');
    await expectProblem(response, 502, 'NOTIFY_FAILED', "'ns2' (no answer)");
  });

  it.each([
    [['zone:update'], 'NOTIFY failed for 1 secondary'],
    [['zone:update', 'zone:read'], "NOTIFY failed for secondary 'ns2' (no answer)"],
    [['zone:update', 'secondary:read'], "NOTIFY failed for secondary 'ns2' (no answer)"],
  ] as const)('names them to who may see them: with %j', async (actions, says) => {
    const { pattern: names } = parseNamePattern('*');
    const rights = new Rights([
      { zoneId: null, actions: new Set<Action>(actions), names, types: undefined },
    ]);
    const services = fakeServices({ authenticationRequired: true });
    services.failures.push({ secondary: 'ns2', error: 'no answer' });
    const held = { ofRole: () => rights, token: () => fakeToken };
    const app = createApp({ ...services, rights: held });
    for (const path of ['/zones/example.com/notify', '/notify', '/zones/catalog.invalid/notify']) {
      const authorization = { authorization: `Bearer ${fakeSecret}` };
      const response = await send(app, 'POST', path, undefined, authorization);
      expect([response.status, await response.json()]).toEqual([
        502,
        { code: 'NOTIFY_FAILED', error: says },
      ]);
    }
  });

  it('refuses disabled and unknown zones, and takes the catalog', async () => {
    const services = fakeServices();
    const app = createApp(services);
    const off = await send(app, 'POST', '/zones/off.example/notify?bump_serial=true');
    await expectProblem(off, 409, 'ZONE_CONFLICT', 'disabled');
    expect(services.submitted).toEqual([]);
    const unknown = await send(app, 'POST', '/zones/nowhere.example/notify');
    await expectProblem(unknown, 404, 'ZONE_NOT_FOUND');
    expect((await send(app, 'POST', '/zones/catalog.invalid/notify')).status).toBe(200);
    expect(services.notified).toEqual(['catalog.invalid']);
  });
});
