/** The inverse of one event: what comes back, what stays, what is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely.
type Json = any;

let service: InProcessService;
let made = 0;
let zone: string;
beforeAll(() => {
  service = new InProcessService({ authenticationRequired: true });
});
afterAll(() => service.close());

const call = (method: string, path: string, body?: object) =>
  service.call(method, path, body, undefined, 'local');
const lastSeq = async (): Promise<number> =>
  (await call('GET', '/events?order=desc&limit=1')).items[0].seq;

/** Does something, and returns the number of its event. */
async function done(method: string, path: string, body?: object): Promise<number> {
  await call(method, path, body);
  return lastSeq();
}

async function fresh(): Promise<string> {
  zone = `v${++made}.example`;
  await service.createZone(zone);
  return zone;
}

const add = (name: string, value: string, more: object = {}) =>
  done('POST', '/records', { zone_name: zone, name, type: 'A', value, ttl: 300, ...more });

async function values(): Promise<string[]> {
  const { items } = await call('GET', `/records?zone_name=${zone}&limit=1000`);
  return items
    .filter(({ type }: Json) => type !== 'NS')
    .map(({ id, name, type, value }: Json) => `${id} ${name.split('.')[0]} ${type} ${value}`)
    .sort();
}

const plain = async () => (await values()).map((line) => line.replace(/^\d+ /, '')).sort();

const revert = (seq: number, body?: object) => call('POST', `/events/${seq}/revert`, body);
const refused = (seq: number, code: string, says = '', body?: object) =>
  service.refused('POST', `/events/${seq}/revert`, body, code, says, 'local');

describe('records', () => {
  it('come back under their ids, and later changes stay', async () => {
    await fresh();
    await add('www', '192.0.2.1');
    await add('www', '192.0.2.2');
    const before = await values();
    const seq = await done('DELETE', `/records?zone_name=${zone}&name=www`);
    await add('later', '192.0.2.3');
    const answer = await revert(seq);
    expect(answer).toMatchObject({
      applied: true,
      dry_run: false,
      event: seq,
      zone: { name: zone, deleted: false },
      serial: 6,
      diff: { summary: { added: 1, changed: 0, removed: 0 } },
      settings_changed: [],
    });
    expect(await values()).toEqual(expect.arrayContaining(before));
    expect(await plain()).toContain('later A 192.0.2.3');
    const { event } = await call('GET', `/events/${await lastSeq()}`);
    expect(event).toMatchObject({ kind: 'zone.reverted', reason: `reverts event ${seq}` });
  });

  it('are judged in a dry run, which writes nothing', async () => {
    await fresh();
    const seq = await add('www', '192.0.2.1');
    const events = service.events();
    const answer = await revert(seq, { dry_run: true });
    expect(answer).toMatchObject({ applied: false, dry_run: true, serial: 3 });
    expect(answer.diff.summary).toEqual({ added: 0, changed: 0, removed: 1 });
    expect(service.events()).toBe(events);
  });

  it('of an RRset that changed since are a conflict, with what is there and what would come', async () => {
    await fresh();
    await add('www', '192.0.2.1');
    const seq = await done('POST', `/zones/${zone}/import`, {
      mode: 'replace',
      content: '@ 60 IN NS ns1.example.\nwww 60 IN A 192.0.2.7\nkept 60 IN A 192.0.2.8\n',
    });
    await add('www', '192.0.2.9', { ttl: 60 });
    const before = await values();
    const { body } = await refused(
      seq,
      'REVERT_CONFLICT',
      'again since: www A; force_names (--force-names www) takes',
    );
    expect(body.conflicts).toMatchObject([
      {
        name: `www.${zone}.`,
        type: 'A',
        from: [{ value: '192.0.2.7' }, { value: '192.0.2.9' }],
        to: [{ value: '192.0.2.1', ttl: 300 }],
      },
    ]);
    expect(body.settings).toEqual([]);
    expect(await values()).toEqual(before);
    // The rest of it can go back by itself, and the conflict when it is named.
    await revert(seq, { names: ['kept'] });
    expect(await plain()).toEqual(['www A 192.0.2.7', 'www A 192.0.2.9']);
    await revert(seq, { force_names: ['www'] });
    expect(await plain()).toEqual(['www A 192.0.2.1']);
  });

  it('that are many conflicts are named up to five', async () => {
    await fresh();
    const at = (value: string) => {
      const rrset = { type: 'A', ttl: 60, values: [value] };
      const set = Array.from({ length: 7 }, (_, n) => ({ name: `n${n}`, ...rrset }));
      return done('POST', '/changes', { zones: [{ name: zone, set }] });
    };
    const seq = await at('192.0.2.1');
    await at('192.0.2.2');
    const says = '7 of what the event changed in zone';
    const { body } = await refused(seq, 'REVERT_CONFLICT', says);
    expect(body.error).toContain(
      'n0 A, n1 A, n2 A, n3 A, n4 A and 2 more; force_names (--force-names NAME,...) takes',
    );
    expect(body.conflicts).toHaveLength(7);
  });

  it('can be narrowed by types', async () => {
    await fresh();
    const seq = await done('POST', `/zones/${zone}/records/bulk`, {
      records: [
        { name: 'a', type: 'A', value: '192.0.2.1' },
        { name: 'a', type: 'TXT', value: 'x' },
      ],
    });
    await revert(seq, { types: ['txt'] });
    expect(await plain()).toEqual(['a A 192.0.2.1']);
    await refused(seq, 'INVALID_INPUT', 'types', { types: ['NOPE'] });
    await refused(seq, 'INVALID_RECORD_NAME', '', { names: ['a.elsewhere.'] });
  });

  it('that are again as before leave nothing to do', async () => {
    await fresh();
    const seq = await add('www', '192.0.2.1');
    await revert(seq);
    const events = service.events();
    expect(await revert(seq)).toMatchObject({ applied: true, serial: 3, diff: { entries: [] } });
    expect(service.events()).toBe(events);
  });

  it('get a new id where theirs stands elsewhere by now', async () => {
    await fresh();
    await add('x', '192.0.2.1');
    const [line] = await values();
    const id = line!.split(' ')[0];
    const seq = await done('PUT', `/records/${id}`, { name: 'y' });
    await revert(seq, { names: ['x'] });
    const after = await values();
    expect(after.map((one) => one.split(' ').slice(1).join(' '))).toEqual(
      expect.arrayContaining(['x A 192.0.2.1', 'y A 192.0.2.1']),
    );
    expect(new Set(after.map((one) => one.split(' ')[0])).size).toBe(2);
    expect(after).toContain(`${id} y A 192.0.2.1`);
    expect(await service.verify()).toEqual([]);
  });

  it.each(['undo', 'rollback'])(
    'get a new id where theirs is of another type by now: %s',
    async (way) => {
      await fresh();
      const made = await done('POST', '/records', {
        zone_name: zone,
        name: 'x',
        type: 'TXT',
        value: 't',
      });
      const [id] = (await values())[0]!.split(' ');
      const seq = await done('PUT', `/records/${id}`, { name: 'x', type: 'A', value: '192.0.2.1' });
      expect(seq).toBeGreaterThan(made);
      if (way === 'undo') await revert(seq, { types: ['TXT'] });
      else await call('POST', `/zones/${zone}/rollback`, { serial: 2, types: ['TXT'] });
      const after = await values();
      expect(after).toContain(`${id} x A 192.0.2.1`);
      const other = after.find((line) => / x TXT /.test(line))!.split(' ')[0];
      expect(other).not.toBe(id);
      await call('DELETE', `/records/${other}`);
      expect(await values()).toEqual([`${id} x A 192.0.2.1`]);
      expect(await service.verify()).toEqual([]);
    },
  );

  it('by thousands go back beside the zone, also in a signed one', async () => {
    for (const signed of [false, true]) {
      await fresh();
      await add('www', '192.0.2.1');
      const before = await values();
      const lines = Array.from(
        { length: 4000 },
        (_, at) => `h${at} 60 IN A 10.0.${at >> 8}.${at % 256}`,
      );
      const content = ['@ 60 IN NS ns1.example.', ...lines, ''].join('\n');
      const seq = await done('POST', `/zones/${zone}/import`, { mode: 'replace', content });
      if (signed) await call('POST', `/zones/${zone}/dnssec`, { parent_ns_addrs: ['192.0.2.53'] });
      await add('later', '192.0.2.3');
      const dry = await revert(seq, { dry_run: true });
      expect(dry.diff.summary).toMatchObject({ added: 1, removed: 4000 });
      expect(await revert(seq)).toMatchObject({ applied: true, diff: null });
      expect(await values()).toEqual(expect.arrayContaining(before));
      expect(await plain()).toEqual(['later A 192.0.2.3', 'www A 192.0.2.1']);
      await revert(await lastSeq());
      const { pagination } = await call('GET', `/records?zone_name=${zone}&type=A`);
      expect(pagination.total).toBe(4001);
    }
    expect(await service.verify()).toEqual([]);
  });
});

describe('settings', () => {
  it('go back where nobody set them since', async () => {
    await fresh();
    const seq = await done('PUT', `/zones/${zone}`, { refresh: 777, description: 'x' });
    await call('PUT', `/zones/${zone}`, { retry: 555 });
    expect(await revert(seq)).toMatchObject({ settings_changed: ['refresh', 'description'] });
    const { zone: now } = await call('GET', `/zones/${zone}`);
    expect(now).toMatchObject({ description: null, retry: 555 });
    expect(now.refresh).not.toBe(777);
  });

  it('are a conflict where somebody did; @ takes them', async () => {
    await fresh();
    const seq = await done('PUT', `/zones/${zone}`, { refresh: 777, description: 'x' });
    await call('PUT', `/zones/${zone}`, { refresh: 888 });
    const says = 'again since: the setting refresh; force_names (--force-names @) takes';
    const { body } = await refused(seq, 'REVERT_CONFLICT', says);
    expect(body.settings).toMatchObject([{ setting: 'refresh', from: 888 }]);
    await revert(seq, { force_names: ['@'] });
    expect((await call('GET', `/zones/${zone}`)).zone.refresh).not.toBe(888);
  });

  it('take a rename back', async () => {
    await fresh();
    const former = zone;
    const seq = await done('PUT', `/zones/${zone}`, { name: `new-${zone}` });
    expect((await revert(seq)).zone.name).toBe(former);
    expect((await call('GET', `/zones/${former}`)).zone.serial).toBe(3);
  });
});

describe('zones', () => {
  it('that were created are deleted, and come back by the inverse of that', async () => {
    await fresh();
    const seq = await lastSeq();
    const answer = await revert(seq);
    expect(answer).toMatchObject({ zone: { name: zone, deleted: true }, diff: null });
    await service.refused('GET', `/zones/${zone}`, undefined, 'ZONE_NOT_FOUND', '', 'local');
    await revert(await lastSeq());
    expect((await call('GET', `/zones/${zone}`)).zone.serial).toBe(2);
    await revert(await lastSeq());
    await service.refused('GET', `/zones/${zone}`, undefined, 'ZONE_NOT_FOUND', '', 'local');
  });

  it('that an import made are deleted too, and not when they changed since', async () => {
    zone = `v${++made}.example`;
    const content = `@ 60 IN SOA ns1.${zone}. h.${zone}. 5 60 60 60 60\n@ 60 IN NS ns1.${zone}.\n`;
    const seq = await done('POST', `/zones/${zone}/import`, {
      mode: 'replace',
      create: true,
      content,
    });
    const next = await add('www', '192.0.2.1');
    await refused(seq, 'REVERT_CONFLICT', 'delete it by itself');
    await revert(next);
    await refused(seq, 'REVERT_CONFLICT', 'delete it by itself');
  });

  it('come and go as a whole: names and types are refused, in a dry run too', async () => {
    await fresh();
    const made = await lastSeq();
    const deletion = await done('DELETE', `/zones/${zone}`);
    const events = service.events();
    for (const dry_run of [true, false]) {
      const scope = { types: ['A'], names: null, dry_run };
      await refused(deletion, 'INVALID_INPUT', `types: event ${deletion} deleted the zone`, scope);
    }
    expect(service.events()).toBe(events);
    const back = await done('POST', `/events/${deletion}/revert`, { names: null, types: null });
    const content = `@ 60 IN SOA ns1.i. h.i. 5 60 60 60 60\n@ 60 IN NS ns1.i.\n`;
    const asked = { mode: 'replace', create: true, content };
    const imported = await done('POST', `/zones/imported-${zone}/import`, asked);
    for (const seq of [made, back, imported]) {
      for (const dry_run of [true, false]) {
        const says = `names: event ${seq} made the zone`;
        await refused(seq, 'INVALID_INPUT', says, { names: [], dry_run });
      }
    }
    await call('GET', `/zones/${zone}`);
    await call('GET', `/zones/imported-${zone}`);
  });

  it('that are deleted keep their events, which wait for the zone', async () => {
    await fresh();
    const seq = await add('www', '192.0.2.1');
    const deletion = await done('DELETE', `/zones/${zone}`);
    await refused(seq, 'ZONE_NOT_FOUND');
    await revert(deletion);
    await refused(deletion, 'EVENT_NOT_REVERTIBLE', 'is there again');
    await revert(seq);
    expect(await plain()).toEqual([]);
  });
});

it('names what has no inverse', async () => {
  await fresh();
  await refused(1, 'EVENT_NOT_REVERTIBLE', 'has no inverse');
  await refused(1_000_000, 'EVENT_NOT_FOUND');
  const bump = await done('POST', `/zones/${zone}/notify?bump_serial=true`);
  await refused(bump, 'EVENT_NOT_REVERTIBLE', 'zone.serial-bumped has no inverse');
  const signing = await done('POST', `/zones/${zone}/dnssec`, { parent_ns_addrs: ['192.0.2.53'] });
  await refused(signing, 'EVENT_NOT_REVERTIBLE', 'zone.signed has no inverse');
});

describe('rights', () => {
  it('are those of the same change, record by record', async () => {
    await fresh();
    const zone_name = zone;
    const updater = await service.tokenOf(`updater-${made}`, [
      { zone_name, actions: ['record:read', 'record:update'] },
    ]);
    const narrow = await service.tokenOf(`narrow-${made}`, [
      { zone_name, actions: ['zone:read'] },
      {
        zone_name,
        actions: ['record:read', 'record:create', 'record:delete'],
        record_name_pattern: 'a',
      },
    ]);
    const seq = await done('POST', `/zones/${zone}/records/bulk`, {
      records: [
        { name: 'a', type: 'A', value: '192.0.2.1' },
        { name: 'b', type: 'A', value: '192.0.2.2' },
      ],
    });
    const { items } = await call('GET', `/records?zone_name=${zone}&name=b`);
    const update = await done('PUT', `/records/${items[0].id}`, { value: '192.0.2.3' });
    const as = (token: string, asked: number, code: string, says: string, body?: object) =>
      service.refused('POST', `/events/${asked}/revert`, body, code, says, token);
    // What it may not read is not named.
    const hidden = await as(narrow, seq, 'FORBIDDEN', 'may not read');
    expect(JSON.stringify(hidden.body)).not.toContain('192.0.2');
    await as(narrow, update, 'FORBIDDEN', 'may not read');
    await as(updater, seq, 'FORBIDDEN', "'record:delete' is needed on a.", { names: ['a'] });
    await service.call('POST', `/events/${update}/revert`, undefined, 200, updater);
    await service.call('POST', `/events/${seq}/revert`, { names: ['a'] }, 200, narrow);
    expect(await plain()).toEqual(['b A 192.0.2.2']);
    const settings = await done('PUT', `/zones/${zone}`, { refresh: 777 });
    await as(narrow, settings, 'FORBIDDEN', 'zone:update');
  });
});

describe('records that a caller may not read', () => {
  const actions = ['record:read', 'record:create', 'record:update', 'record:delete'];
  const change = (body: object) => done('POST', '/changes', { zones: [{ name: zone, ...body }] });

  it('of a change make one refusal, whatever stands there and whatever is asked', async () => {
    await fresh();
    const alias = { zone_name: zone, name: 'hid', type: 'CNAME', value: 'x.example.' };
    await call('POST', '/records', alias);
    const grants = [{ zone_name: zone, actions, record_name_pattern: 'b' }];
    const tenant = await service.tokenOf(`tenant-${made}`, grants);
    const set = [{ name: 'b', type: 'TXT', values: ['"x"'] }];
    const seq = await change({ set, delete: [{ name: 'hid' }] });
    await add('hid', '192.0.2.1');
    const asked = [
      {},
      { names: ['hid'] },
      { names: ['never'] },
      { names: ['b', 'hid'], types: ['CNAME'] },
      { names: ['hid'], types: ['TXT'], force_names: ['hid'] },
      { types: ['CNAME'] },
      { types: ['MX'] },
    ];
    const refusals = async () => {
      const texts = new Set<string>();
      for (const body of asked) {
        for (const dry_run of [true, false]) {
          const path = `/events/${seq}/revert`;
          const with_ = { ...body, dry_run };
          const answer = await service.refused('POST', path, with_, 'FORBIDDEN', '', tenant);
          texts.add(JSON.stringify(answer.body));
        }
      }
      return [...texts];
    };
    const withAddress = await refusals();
    expect(withAddress).toHaveLength(1);
    expect(withAddress[0]).not.toContain('hid');
    await call('DELETE', `/records?zone_name=${zone}&name=hid`);
    expect(await refusals()).toEqual(withAddress);
    const own = { names: ['b'], dry_run: true };
    const answer = await service.call('POST', `/events/${seq}/revert`, own, 200, tenant);
    expect(answer.diff.entries).toMatchObject([{ name: `b.${zone}.` }]);
    // Of a change without any, names that it does not have leave nothing to do.
    const plainly = await change({ add: [{ name: 'b', type: 'A', values: ['192.0.2.1'] }] });
    const other = { names: ['hid'], dry_run: true };
    await service.call('POST', `/events/${plainly}/revert`, other, 200, tenant);
  });

  it('are in no refusal to who may not write what the undo would write', async () => {
    await fresh();
    const seq = await change({ set: [{ name: 'c', type: 'TXT', values: ['"x"'] }] });
    const gone = await change({ delete: [{ name: 'c' }] });
    const grants = [{ zone_name: zone, actions: ['record:read'], record_types: 'TXT' }];
    const reader = await service.tokenOf(`reader-${made}`, grants);
    await call('POST', '/records', { zone_name: zone, name: 'c', type: 'CNAME', value: 'x.' });
    const lacking = `action 'record:create' is needed on c.${zone}. TXT`;
    const refuse = (path: string, body: object) =>
      service.refused('POST', path, body, 'FORBIDDEN', lacking, reader);
    expect(gone).toBeGreaterThan(seq);
    await refuse(`/events/${gone}/revert`, { dry_run: true });
    const set = [{ name: 'c', type: 'TXT', values: ['"x"'] }];
    await refuse('/changes', { zones: [{ name: zone, set }], dry_run: true });
  });

  it('do not come before the right to the settings that the change set', async () => {
    await fresh();
    const soa = `@ 60 IN SOA ns1.${zone}. h.${zone}. 9 777 60 60 60\n`;
    const bulk = {
      content: `${soa}@ 60 IN NS ns1.${zone}.\nb 60 IN A 192.0.2.1\n`,
      mode: 'replace',
    };
    await call('POST', `/zones/${zone}/import`, bulk);
    await call('PUT', `/zones/${zone}`, { refresh: 777 });
    await add('b', '192.0.2.2', { ttl: 60 });
    await call('POST', `/zones/${zone}/versions/2/rollback`);
    const rolled = await lastSeq();
    await call('PUT', `/zones/${zone}`, { refresh: 888 });
    const tenant = await service.tokenOf(`whole-${made}`, [{ zone_name: zone, actions }]);
    const path = `/events/${rolled}/revert`;
    await service.refused('POST', path, {}, 'FORBIDDEN', "'zone:update' is needed", tenant);
  });
});
