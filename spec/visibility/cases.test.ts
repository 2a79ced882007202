/** Ways in which hidden things were, or could be, told of. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { freePort } from '../support/ports.ts';

let service: InProcessService;
let secretId = 0;

beforeAll(async () => {
  service = new InProcessService({ authenticationRequired: true });
  await service.createZone('own.example');
  secretId = (await service.createZone('secret.example')).id;
  for (const zone_name of ['own.example', 'secret.example']) {
    const record = { zone_name, name: 'www', type: 'A', value: '192.0.2.1' };
    await service.call('POST', '/records', record, 201, 'local');
  }
});
afterAll(() => service.close());

let made = 0;
const tokenOf = (...grants: object[]) => service.tokenOf(`t${++made}`, grants);

describe('case 109', () => {
  it.each([
    ['', []],
    ['all of another zone', [{ zone_name: 'own.example', actions: ['record:read'] }]],
    ['to see the zone', [{ zone_name: 'secret.example', actions: ['zone:update'] }]],
  ])('case 109: a role with the right %s finds no record by its name', async (_, grants) => {
    const token = await tokenOf(...grants);
    for (const filter of [
      'name=www.secret.example.',
      'name=www.secret.example.&type=A',
      'name=www.secret.example.&sort=ttl&value=192',
    ]) {
      const list = await service.call('GET', `/records?${filter}`, undefined, 200, token);
      expect([filter, list.items, list.pagination.total]).toEqual([filter, [], 0]);
    }
  });

  it('case 109: narrowed grants list their names backwards too', async () => {
    const grant = { zone_name: 'own.example', actions: ['record:read'] };
    const token = await tokenOf(
      { ...grant, record_name_pattern: '@' },
      { ...grant, record_name_pattern: 'www' },
    );
    const list = await service.call('GET', '/records?order=desc', undefined, 200, token);
    expect(list.items.map(({ name }: { name: string }) => name)).toEqual([
      'www.own.example.',
      'own.example.',
    ]);
  });
});

describe('the history of a record', () => {
  it('case 110: leaves out what the record was where the grant does not reach', async () => {
    const zone_name = 'own.example';
    const first = { zone_name, name: 'private', type: 'TXT', value: 'a secret' };
    const { id } = (await service.call('POST', '/records', first, 201, 'local')).record;
    const put = (body: object) => service.call('PUT', `/records/${id}`, body, 200, 'local');
    await put({ type: 'A', value: '192.0.2.7' });
    await put({ name: 'host.dyn' });
    await put({ value: '192.0.2.8' });
    const actions = ['record:read'];
    const grant = { zone_name, actions, record_name_pattern: '*.dyn', record_types: 'A' };
    const token = await tokenOf(grant);
    const { items, pagination } = await service.call(
      'GET',
      `/records/${id}/history`,
      undefined,
      200,
      token,
    );
    expect(JSON.stringify(items)).not.toMatch(/private|secret|TXT/);
    expect(pagination.total).toBe(2);
    expect(items[0].diff.summary).toEqual({ added: 0, changed: 1, removed: 0 });
    expect(items[1]).toMatchObject({
      diff: { entries: [{ change: 'added', name: 'host.dyn.own.example.', from: [] }] },
      records_added: 1,
      records_removed: 0,
    });
    const all = await service.call('GET', `/records/${id}/history`, undefined, 200, 'local');
    expect(all.pagination.total).toBe(4);
    // It has left what the grant reaches: it is not there, like GET of it.
    await put({ name: 'private' });
    const { status } = await service.fetch('GET', `/records/${id}/history`, undefined, token);
    expect(status).toBe(404);
  });
});

describe('If-Match', () => {
  it('case 111: tells nothing of the serials of zones that the caller does not see', async () => {
    const token = await tokenOf({
      zone_name: 'own.example',
      actions: ['zone:update', 'zone:read', 'record:create'],
    });
    const { zone } = await service.call('GET', '/zones/own.example', undefined, 200, token);
    const secret = await service.call('GET', '/zones/secret.example', undefined, 200, 'local');
    const put = async (path: string, tags: string) => {
      const response = await service.request(path, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${token}`,
          'if-match': tags,
          'content-type': 'application/json',
        },
        body: '{"dry_run":true}',
      });
      return `${response.status} ${await response.text()}`;
    };
    const own = `"${zone.id}-${zone.serial}"`;
    const answers = new Set<string>();
    for (let serial = 0; serial <= secret.zone.serial + 1; serial++) {
      const guess = `"${secretId}-${serial}"`;
      answers.add(await put('/zones/own.example', `${own}, ${guess}`));
      answers.add(await put('/zones/own.example', `${guess}, ${own}`));
      expect(await put('/zones/own.example', guess)).toContain('PRECONDITION_FAILED');
      expect(await put('/zones/secret.example', guess)).toBe(
        (await put('/zones/absent.example', guess)).replace('absent', 'secret'),
      );
    }
    expect(answers.size).toBe(1);
    expect([...answers][0]).toMatch(/^200 /);
  });
});

describe('an import that signs its transfer', () => {
  it('case 113: does not use a key of a role that allows more than the caller holds', async () => {
    const strong = { actions: ['zone:transfer', 'record:read'] };
    const weak = { zone_name: 'own.example', actions: ['record:create'] };
    await service.tokenOf('strong', [strong]);
    await service.tokenOf('weak', [weak]);
    for (const role_name of ['strong', 'weak']) {
      const key = { name: `${role_name}.key`, role_name };
      await service.call('POST', '/tsig-keys', key, 201, 'local');
    }
    const port = await freePort();
    const answerOf = async (token: string, tsig_key_name: string) => {
      const body = { from_server: `127.0.0.1:${port}`, tsig_key_name };
      const response = await service.fetch('POST', '/zones/own.example/import', body, token);
      return `${response.status} ${await response.text()}`;
    };
    const same = await tokenOf(weak);
    const manager = await tokenOf(weak, { actions: ['access:manage'] });
    const both = await tokenOf(weak, strong);
    const absent = await answerOf(same, 'absent.key');
    expect(absent).toMatch(/^404 .*TSIG key 'absent.key' does not exist/);
    expect(await answerOf(same, 'strong.key')).toBe(absent.replace('absent', 'strong'));
    // Less is less in every way: by zone, names and types.
    const less = await tokenOf(
      weak,
      { zone_name: 'own.example', actions: ['record:delete'], record_name_pattern: 'www' },
      { zone_name: 'own.example', actions: ['record:update'], record_types: 'A' },
    );
    for (const [name, wider] of [
      ['zone', { zone_name: 'secret.example', actions: ['record:create'] }],
      ['names', { zone_name: 'own.example', actions: ['record:delete'] }],
      ['types', { zone_name: 'own.example', actions: ['record:update'], record_types: 'A,TXT' }],
    ] as const) {
      await service.tokenOf(name, [wider]);
      const key = { name: `${name}.key`, role_name: name };
      await service.call('POST', '/tsig-keys', key, 201, 'local');
      expect(await answerOf(less, key.name)).toBe(absent.replace('absent', name));
    }
    for (const [token, key] of [
      [same, 'weak.key'],
      [manager, 'strong.key'],
      [both, 'STRONG.key.'],
    ] as const) {
      expect(await answerOf(token, key)).not.toContain('TSIG_KEY_NOT_FOUND');
    }
  });
});

describe('letting history go', () => {
  it('needs zone:delete, of the zone or in all zones', async () => {
    const before = new Date(service.now()).toISOString();
    const forget = (token: string) =>
      service.fetch('POST', '/zones/own.example/forget-history', { before, dry_run: true }, token);
    const creator = await tokenOf({ actions: ['zone:create'] });
    expect((await forget(creator)).status).toBe(403);
    const remover = await tokenOf({ zone_name: 'own.example', actions: ['zone:delete'] });
    expect((await forget(remover)).status).toBe(200);
    await service.createZone('over.example');
    await service.call('DELETE', '/zones/over.example', undefined, 200, 'local');
    const purge = (token: string) =>
      service.fetch('POST', '/zones/over.example/purge', undefined, token);
    for (const token of [creator, remover]) expect((await purge(token)).status).toBe(403);
    expect((await purge(await tokenOf({ actions: ['zone:delete'] }))).status).toBe(200);
  });
});

describe('the bin', () => {
  it('names the roles that lost grants with a zone to who manages access alone', async () => {
    const name = 'lost.example';
    await service.createZone(name);
    await tokenOf({ zone_name: name, actions: ['zone:read'] });
    const role = `t${made}`;
    await service.call('DELETE', `/zones/${name}`, undefined, 200, 'local');
    const creating = { actions: ['zone:create'] };
    for (const [token, lost] of [
      [await tokenOf(creating), null],
      [await tokenOf(creating, { actions: ['access:manage'] }), [role]],
    ] as const) {
      const { items } = await service.call('GET', '/zones?deleted=true', undefined, 200, token);
      const found = items.find((zone: { name: string }) => zone.name === name);
      expect(found.roles_lost).toEqual(lost);
    }
  });
});

describe('lint of a zone', () => {
  const found = async (zone: string, token: string): Promise<string[]> => {
    const { items } = await service.call('GET', `/zones/${zone}/lint`, undefined, 200, token);
    return items.map(({ name, code }: { name: string; code: string }) => `${name} ${code}`);
  };

  it('tells nothing of records that the caller may not read, here or in another zone', async () => {
    const mail = { name: 'mail', type: 'MX', priority: 10, value: 'none.secret.example.' };
    const record = { zone_name: 'own.example', ...mail };
    const { id } = (await service.call('POST', '/records', record, 201, 'local')).record;
    const target = 'mail.own.example. TARGET_NO_ADDRESS';
    expect(await found('own.example', 'local')).toContain(target);
    const reads = { zone_name: 'own.example', actions: ['zone:read', 'record:read'] };
    const narrow = await tokenOf({ ...reads, record_name_pattern: 'www' });
    expect(await found('own.example', narrow)).toEqual([]);
    expect(await found('own.example', await tokenOf(reads))).not.toContain(target);
    await service.call('DELETE', `/records/${id}`, undefined, 200, 'local');
  });

  it('tells nothing of what needs no look elsewhere', async () => {
    const mail = { name: 'mail', type: 'MX', priority: 10, value: 'single.' };
    const record = { zone_name: 'own.example', ...mail };
    const { id } = (await service.call('POST', '/records', record, 201, 'local')).record;
    const target = 'mail.own.example. TARGET_SINGLE_LABEL';
    expect(await found('own.example', 'local')).toContain(target);
    const grant = { zone_name: 'own.example', actions: ['zone:read', 'record:read'] };
    const narrow = await tokenOf({ ...grant, record_name_pattern: 'www' });
    expect(await found('own.example', narrow)).toEqual([]);
    const typed = await tokenOf({ ...grant, record_types: 'A' });
    expect(await found('own.example', typed)).toEqual([]);
    await service.call('DELETE', `/records/${id}`, undefined, 200, 'local');
  });

  it('is the same whether or not there is a zone below that the caller does not see', async () => {
    const mail = { name: 'mail', type: 'MX', priority: 10, value: 'x.child.own.example.' };
    const record = { zone_name: 'own.example', ...mail };
    const { id } = (await service.call('POST', '/records', record, 201, 'local')).record;
    const token = await tokenOf({
      zone_name: 'own.example',
      actions: ['zone:read', 'record:read'],
    });
    const before = await found('own.example', token);
    expect(before).toContain('mail.own.example. TARGET_NO_ADDRESS');
    await service.createZone('child.own.example');
    expect(await found('own.example', token)).toEqual(before);
    await service.call('DELETE', '/zones/child.own.example', undefined, 200, 'local');
    await service.call('DELETE', `/records/${id}`, undefined, 200, 'local');
  });

  it('tells nothing of a delegation that the caller may not read', async () => {
    const child = 'sub.secret.example';
    await service.createZone(child);
    const missing = `${child}. DELEGATION_MISSING`;
    const reads = { zone_name: child, actions: ['record:read'] };
    const sees = { zone_name: 'secret.example', actions: ['zone:update'] };
    expect(await found(child, await tokenOf(reads, sees))).not.toContain(missing);
    const both = await tokenOf(reads, { ...sees, actions: ['record:read'] });
    expect(await found(child, both)).toContain(missing);
    await service.call('DELETE', `/zones/${child}`, undefined, 200, 'local');
  });
});

describe('a DNAME', () => {
  const zone_name = 'dname.example';
  const actions = ['record:read', 'record:create', 'record:update', 'record:delete'];
  const lines = Array.from(
    { length: 3500 },
    (_, at) => `m${at} 60 IN A 10.0.${at >> 8}.${at % 256}`,
  );
  const add = (name: string, type: string, value: string) =>
    service.call('POST', '/records', { zone_name, name, type, value }, 201, 'local');
  beforeAll(async () => {
    await service.createZone(zone_name);
    await add('topsecret.b', 'A', '192.0.2.1');
    await add('hidden', 'DNAME', 'x.example.');
  });

  /** Every way in of one record, and those of many beside it; with the status of what is refused. */
  const ways = (name: string, type: string, value: string) => {
    const line = `${name} 3600 IN ${type} ${value}\n`;
    const many = `${lines.join('\n')}\n${line}`;
    const dry_run = true;
    const record = { name, type, value };
    const [set, desired] = [[{ name, type, values: [value] }], '/zones/dname.example/desired'];
    const bulk = lines.map((text) => {
      const [host, , , , address] = text.split(' ');
      return { name: host, type: 'A', value: address, ttl: 60 };
    });
    return {
      create: ['/records', { zone_name, ...record, dry_run }],
      changes: ['/changes', { zones: [{ name: zone_name, set }], dry_run }],
      desired: [`${desired}?owner=team`, { content: line, dry_run }],
      append: [`/zones/${zone_name}/import`, { content: line, mode: 'append', dry_run }],
      upsert: [`/zones/${zone_name}/import`, { content: many, mode: 'upsert', dry_run }],
      bulk: ['/records/bulk', { zone_name, records: [record], dry_run }],
      large: ['/records/bulk', { zone_name, records: [...bulk, record], dry_run }],
    } as const;
  };
  const refusal = async (path: string, body: object, token: string) => {
    const answer = await service.fetch('POST', path, body, token);
    const text = await answer.text();
    expect([path, answer.status, text]).toEqual([path, expect.any(Number), expect.any(String)]);
    expect([409, 422], text).toContain(answer.status);
    return text;
  };

  it('is refused without the names that the caller may not read, on every way in', async () => {
    const limited = await tokenOf(
      { zone_name, actions, record_name_pattern: 'b' },
      { zone_name, actions, record_name_pattern: '*.host.hidden' },
    );
    const writer = await tokenOf({ zone_name, actions: ['record:create', 'record:delete'] });
    const reader = await tokenOf({ zone_name, actions });
    const below = {
      written: ways('b', 'DNAME', 'y.example.'),
      told: 'a name with records is below the DNAME at b.dname.example.',
      hidden: 'topsecret',
      toldToReaders: 'topsecret.b.dname.example. is below',
    };
    const above = {
      written: ways('a.host.hidden', 'A', '192.0.2.9'),
      told: 'a.host.hidden.dname.example. is below a DNAME',
      hidden: 'at hidden',
      toldToReaders: 'below the DNAME at hidden.dname',
    };
    for (const { written, told, hidden, toldToReaders } of [below, above]) {
      for (const [way, [path, body]] of Object.entries(written)) {
        const isSingle = ['create', 'changes', 'desired'].includes(way);
        const text = await refusal(path, body, isSingle ? limited : writer);
        expect([way, text]).toEqual([way, expect.stringContaining(told)]);
        expect(text).not.toContain(hidden);
        expect(await refusal(path, body, reader)).toContain(toldToReaders);
      }
    }
  });
});
