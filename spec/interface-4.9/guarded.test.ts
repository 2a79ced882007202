/** Guards of zones and the adapter: what they hold back is left out, and the rest of a sync is done. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdapterDesk } from '../support/adapter-desk.ts';
import { Controller, type WebhookEndpoint } from '../support/external-dns-controller.ts';

const desk = new AdapterDesk();
let made = 0;

beforeAll(async () => {
  await desk.open();
  desk.service.writer.configure({
    guardDefaults: { maxDeletePercent: 30, maxDeletes: 1000, minRecords: 20 },
  });
});
afterAll(() => desk.close());

const local = (method: string, path: string, body?: object) =>
  desk.service.call(method, path, body, undefined, 'local');

/** As many zones, and an adapter that may manage them. */
async function tenant(count: number) {
  const zones = Array.from({ length: count }, () => `k${++made}.example`);
  for (const zone of zones) await desk.service.createZone(zone);
  const actions = ['record:read', 'record:create', 'record:delete'];
  const grants = zones.map((zone) => ({ actions, zone_name: zone }));
  const { webhook, probes } = await desk.adapter({
    token: await desk.service.tokenOf(`k${made}`, grants),
  });
  const problems = async () => {
    const answer = await fetch(`${probes}/problems`);
    return ((await answer.json()) as { problems: Record<string, string>[] }).problems;
  };
  return { zones, controller: new Controller(webhook), problems };
}

const guard = (zone: string, set: object) => local('PUT', `/zones/${zone}`, { guard: set });

function endpoint(dnsName: string, target: string): WebhookEndpoint {
  return { dnsName, recordType: 'A', targets: [target] };
}

/** Hosts of a zone, each with the same address. */
function hosts(zone: string, count: number): WebhookEndpoint[] {
  return Array.from({ length: count }, (_, index) => endpoint(`h${index}.${zone}`, '192.0.2.1'));
}

async function hostsIn(zone: string): Promise<number> {
  return (await local('GET', `/records?zone_name=${zone}&type=A&limit=1`)).pagination.total;
}

describe('what a guard holds back is left out', () => {
  it('of protected RRsets and locked zones, and the rest is done', async () => {
    const { zones, controller, problems } = await tenant(3);
    const [kept = '', locked = '', free = ''] = zones;
    const [old, owned] = [endpoint(`n1.${kept}`, '192.0.2.1'), endpoint(`n2.${kept}`, '192.0.2.1')];
    await controller.apply({ create: [old, owned] });
    await guard(kept, { protect: [{ name: 'n1', type: 'A' }] });
    await guard(locked, { locked_until: '2099-01-01T00:00:00Z', lock_reason: 'freeze' });
    await controller.apply({
      create: [kept, locked, free].map((zone) => endpoint(`new.${zone}`, '192.0.2.1')),
      updateOld: [old, owned],
      updateNew: [endpoint(`n1.${kept}`, '192.0.2.9'), endpoint(`n2.${kept}`, '192.0.2.9')],
    });
    expect(await Promise.all(zones.map(hostsIn))).toEqual([3, 0, 1]);
    const { items } = await local('GET', `/records?zone_name=${kept}&value=192.0.2.9`);
    expect(items.map(({ name }: { name: string }) => name)).toEqual([`n2.${kept}.`]);
    expect(
      (await problems()).map(({ list, name, reason, message }) => [list, name, reason, message]),
    ).toEqual([
      [
        'updates',
        `n1.${kept}`,
        'guarded',
        `it changes what zone '${kept}' protects; zonebook zone guard ${kept} ` +
          'with all but this under --protect lets it through',
      ],
      [
        'creates',
        `new.${locked}`,
        'guarded',
        `zone '${locked}' is locked until 2099-01-01T00:00:00Z: freeze; zonebook zone guard ${locked} ` +
          '--unlock unlocks it',
      ],
    ]);
    for (const zone of [kept, locked]) await guard(zone, {});
    await controller.apply({ create: [endpoint(`new.${locked}`, '192.0.2.1')] });
    expect(await problems()).toEqual([]);
  });

  it('of many protected RRsets, all of them at once', async () => {
    const { zones, controller, problems } = await tenant(1);
    const [zone = ''] = zones;
    const all = hosts(zone, 60);
    await controller.apply({ create: all });
    await guard(zone, {
      max_deletes: 60,
      max_delete_percent: 100,
      protect: all.slice(0, 50).map((_, index) => ({ name: `h${index}` })),
    });
    const asked = desk.shown.length;
    await controller.apply({ delete: all });
    // Once with everything, and once without what is protected.
    expect(desk.shown.length - asked).toBe(2);
    expect(await hostsIn(zone)).toBe(50);
    expect(await problems()).toHaveLength(50);
  });

  it('of the zone that would lose too much, all of its part, until its guard allows that', async () => {
    const { zones, controller, problems } = await tenant(2);
    const [much = '', little = ''] = zones;
    await controller.apply({ create: zones.flatMap((zone) => hosts(zone, 40)) });
    const changes = {
      create: zones.map((zone) => endpoint(`new.${zone}`, '192.0.2.1')),
      delete: [...hosts(much, 30), ...hosts(little, 3)],
    };
    await controller.apply(changes);
    expect(await Promise.all(zones.map(hostsIn))).toEqual([40, 38]);
    const left = await problems();
    expect(left).toHaveLength(31);
    expect(new Set(left.map(({ reason }) => reason))).toEqual(new Set(['guarded']));
    expect(left[0]!.message).toBe(
      `it deletes 30 of 41 records of zone '${much}', more than 12; zonebook zone guard ${much} ` +
        '--max-deletes 30 --max-delete-percent 100 lets it through',
    );
    await guard(much, { max_deletes: 30, max_delete_percent: 100 });
    await controller.apply(changes);
    expect(await Promise.all(zones.map(hostsIn))).toEqual([11, 38]);
    expect(await problems()).toEqual([]);
  });
});

describe('the parts of a sync are judged as one', () => {
  it('and none of what deletes too much is done, in any of them', async () => {
    const { zones, controller, problems } = await tenant(2);
    const [much = '', little = ''] = zones;
    await controller.apply({ create: hosts(much, 2000) });
    await controller.apply({ create: hosts(little, 2000) });
    for (const zone of zones) await guard(zone, { max_deletes: 300, max_delete_percent: 100 });
    const events = desk.service.events();
    await controller.apply({
      create: [endpoint(`zz.${much}`, '192.0.2.1'), endpoint(`zz.${little}`, '192.0.2.1')],
      delete: [...hosts(much, 1000), ...hosts(little, 300)],
    });
    expect(await Promise.all(zones.map(hostsIn))).toEqual([2000, 1701]);
    const left = await problems();
    expect(left).toHaveLength(1001);
    expect(left[0]).toMatchObject({
      reason: 'guarded',
      message: expect.stringMatching(
        /^it deletes 1000 of 2001 records of zone '\S+', more than 300;/,
      ),
    });
    // All of what may go has gone, whatever parts it came in.
    expect(desk.service.events() - events).toBeLessThanOrEqual(3);
    await guard(much, { max_deletes: 1000, max_delete_percent: 100 });
    await controller.apply({ delete: hosts(much, 1000) });
    expect(await hostsIn(much)).toBe(1000);
    expect(await problems()).toEqual([]);
  });

  it('against the zone as it was before the first, by its percentage', async () => {
    const { zones, controller, problems } = await tenant(1);
    const [zone = ''] = zones;
    await controller.apply({ create: hosts(zone, 1999) });
    await controller.apply({ delete: hosts(zone, 601) });
    expect(await hostsIn(zone)).toBe(1999);
    expect(await problems()).toHaveLength(601);
    await controller.apply({ delete: hosts(zone, 600) });
    expect(await hostsIn(zone)).toBe(1399);
    expect(await problems()).toEqual([]);
  });

  it('also where one call is divided to find what the service refuses', async () => {
    const { zones, controller, problems } = await tenant(1);
    const [zone = ''] = zones;
    await controller.apply({ create: hosts(zone, 40) });
    const body = '{"error":"no","code":"INVALID_JSON_BODY"}';
    desk.fault = { kind: 'refuses', words: `"h7.${zone}"`, body };
    try {
      await controller.apply({ delete: hosts(zone, 30) });
    } finally {
      desk.fault = undefined;
    }
    expect(await hostsIn(zone)).toBe(40);
    const reasons = (await problems()).map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason === 'guarded')).toHaveLength(29);
    expect(reasons).toHaveLength(30);
  });

  it('in as many calls as the service has the strength for, each of which goes on with the last', async () => {
    const { zones, controller } = await tenant(1);
    const [zone = ''] = zones;
    const all = hosts(zone, 1000).flatMap((host) => [host, { ...host, recordType: 'TXT' }]);
    await controller.apply({ create: all });
    const target = '192.0.2.2';
    const moved = all.map((one) => ({ ...one, targets: [target] }));
    const standing = async (value: string): Promise<number> => {
      const { pagination } = await local(
        'GET',
        `/records?zone_name=${zone}&value=${value}&limit=1`,
      );
      return pagination.total;
    };
    // Eight dry runs and eight parts: without what the calls before have counted, none would come to a part.
    const inTwo = (from: readonly WebhookEndpoint[], to: readonly WebhookEndpoint[]) => ({
      updateOld: from.slice(0, 1000),
      updateNew: to.slice(0, 1000),
      delete: from.slice(1000),
    });
    await guard(zone, { max_deletes: 1000, max_delete_percent: 100 });
    const asked = desk.shown.length;
    try {
      desk.fault = { kind: 'tires', answers: 5 };
      await expect(controller.apply(inTwo(all, moved))).rejects.toMatchObject({ status: 502 });
      expect([await standing('192.0.2.1'), await standing(target)]).toEqual([2000, 0]);
      desk.fault = { kind: 'tires', answers: 5 };
      // The controller sends what it wants in no order at all.
      const backwards = inTwo(all, moved);
      for (const list of Object.values(backwards)) list.reverse();
      await expect(controller.apply(backwards)).rejects.toMatchObject({ status: 502 });
      expect(await standing('192.0.2.1')).toBe(1500);
      // What is done is asked for no more, and nothing of the rest is counted again.
      const sorted = [...all].sort((a, b) => (a.dnsName < b.dnsName ? -1 : 1));
      const left = new Set(sorted.slice(500).map(({ dnsName }) => dnsName));
      const { updateOld, updateNew, delete: deleted } = inTwo(all, moved);
      desk.fault = { kind: 'tires', answers: 6 };
      await controller.apply({
        updateOld: updateOld.filter(({ dnsName }) => left.has(dnsName)),
        updateNew: updateNew.filter(({ dnsName }) => left.has(dnsName)),
        delete: deleted.filter(({ dnsName }) => left.has(dnsName)),
      });
    } finally {
      desk.fault = undefined;
    }
    expect(desk.shown.length - asked).toBe(6 + 6 + 6);
    expect([await standing('192.0.2.1'), await standing(target)]).toEqual([0, 1000]);
  });

  it('also in several calls: what they have counted together is too much', async () => {
    const { zones, controller, problems } = await tenant(1);
    const [zone = ''] = zones;
    await controller.apply({ create: hosts(zone, 2000) });
    await guard(zone, { max_deletes: 900, max_delete_percent: 100 });
    const changes = { delete: hosts(zone, 1000) };
    try {
      desk.fault = { kind: 'tires', answers: 3 };
      await expect(controller.apply(changes)).rejects.toMatchObject({ status: 502 });
      // One more that is counted, and four that are held back.
      desk.fault = { kind: 'tires', answers: 5 };
      await controller.apply(changes);
    } finally {
      desk.fault = undefined;
    }
    expect(await hostsIn(zone)).toBe(2000);
    expect(await problems()).toHaveLength(1000);
    // A call that went well leaves nothing: all is counted anew.
    const asked = desk.shown.length;
    await guard(zone, { max_deletes: 1000, max_delete_percent: 100 });
    await controller.apply(changes);
    expect(desk.shown.length - asked).toBe(8);
    expect(await hostsIn(zone)).toBe(1000);
  });

  it('while creations of any number ask nothing more', async () => {
    const { zones, controller } = await tenant(1);
    const asked = desk.shown.length;
    await controller.apply({ create: hosts(zones[0]!, 600) });
    expect(desk.shown.length - asked).toBe(3);
  });
});
