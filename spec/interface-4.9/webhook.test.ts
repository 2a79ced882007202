import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdapterDesk } from '../support/adapter-desk.ts';
import { Controller, type WebhookEndpoint } from '../support/external-dns-controller.ts';

const mediaType = 'application/external.dns.webhook+json;version=1';
const needed = ['record:read', 'record:create', 'record:delete'];

const desk = new AdapterDesk();
let webhook = '';
let token = '';

beforeAll(async () => {
  await desk.open();
  for (const zone of ['example.com', 'deep.example.com', 'example.net', 'other.example']) {
    await desk.service.createZone(zone);
  }
  token = await desk.service.tokenOf('controller', [
    { actions: needed, zone_name: 'example.com' },
    { actions: needed, zone_name: 'example.net', record_name_pattern: '*.apps' },
  ]);
  ({ webhook } = await desk.adapter({ token }));
});
afterAll(() => desk.close());

const serialOf = async (zone: string) =>
  (await desk.service.call('GET', `/zones/${zone}`, undefined, 200, 'local')).zone.serial;
const ask = (path: string, init: RequestInit = {}) => fetch(`${webhook}${path}`, init);
const post = (path: string, body: unknown, type: string | undefined = mediaType) =>
  ask(path, {
    method: 'POST',
    body: typeof body === 'string' ? body : Buffer.from(JSON.stringify(body)),
    headers: type === undefined ? {} : { 'content-type': type },
  });
const a = (dnsName: string, ...targets: string[]): WebhookEndpoint => ({
  dnsName,
  targets,
  recordType: 'A',
});

describe('negotiation', () => {
  it('tells the domains of the token', async () => {
    const response = await ask('/', { headers: { accept: mediaType } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(mediaType);
    expect(await response.json()).toEqual({ include: ['example.com', 'apps.example.net'] });
  });

  it.each([
    [mediaType, 200],
    ['application/external.dns.webhook+json; version="1"', 200],
    ['application/external.dns.webhook+json', 200],
    ['text/html, */*;q=0.1', 200],
    ['application/*', 200],
    ['application/external.dns.webhook+json;version=2', 406],
    ['application/json', 406],
    ['*/*;q=0', 406],
  ])('takes an Accept of %s as %i, on both reads', async (accept, status) => {
    for (const path of ['/', '/records']) {
      expect((await ask(path, { headers: { accept } })).status).toBe(status);
    }
  });

  it.each([
    [mediaType, 200],
    ['application/json; charset=utf-8', 200],
    ['Application/External.DNS.Webhook+JSON; Version=1', 200],
    ['', 200],
    ['application/external.dns.webhook+json;version=2', 415],
    ['text/plain', 415],
  ])('takes a body of type %s as %i', async (type, status) => {
    expect((await post('/adjustendpoints', [], type)).status).toBe(status);
  });

  it('has four calls and no other', async () => {
    expect((await ask('/nothing')).status).toBe(404);
    const wrong = await ask('/adjustendpoints');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    const del = await ask('/records', { method: 'DELETE' });
    expect([del.status, del.headers.get('allow')]).toEqual([405, 'GET, POST']);
  });
});

describe('adjustendpoints', () => {
  it('spells targets as stored, keeps order and labels, leaves out what is provider specific', async () => {
    const endpoints = [
      {
        ...a('WWW.example.com.', '192.0.2.2', '192.0.2.1', '192.0.2.2'),
        recordTTL: 60,
        labels: { resource: 'ingress/x', owner: 'me' },
        providerSpecific: [{ name: 'alias', value: 'true' }],
      },
      { dnsName: 'c.example.com', targets: ['Host.Example.NET.'], recordType: 'CNAME' },
      { dnsName: 't.example.com', targets: ['bare words', '"quoted"'], recordType: 'TXT' },
      { dnsName: 'v6.example.com', targets: ['2001:DB8::0:1'], recordType: 'AAAA' },
    ];
    const response = await post('/adjustendpoints', endpoints);
    expect(response.headers.get('content-type')).toBe(mediaType);
    expect(await response.json()).toEqual([
      {
        dnsName: 'www.example.com',
        targets: ['192.0.2.1', '192.0.2.2'],
        recordType: 'A',
        recordTTL: 60,
        labels: { resource: 'ingress/x', owner: 'me' },
      },
      { dnsName: 'c.example.com', targets: ['host.example.net'], recordType: 'CNAME' },
      { dnsName: 't.example.com', targets: ['"bare words"', '"quoted"'], recordType: 'TXT' },
      { dnsName: 'v6.example.com', targets: ['2001:db8::1'], recordType: 'AAAA' },
    ]);
  });

  it('tells a text that is longer than a segment as it was written', async () => {
    const long = `"${'heritage=external-dns,'.repeat(20)}"`;
    const txt = { dnsName: 'long.example.com', targets: [long], recordType: 'TXT' };
    const own = { ...txt, dnsName: 'own.example.com', targets: ['"two" "segments"'] };
    expect(await (await post('/adjustendpoints', [txt, own])).json()).toEqual([txt, own]);
    expect((await post('/records', { create: [txt, own] })).status).toBe(204);
    const stored = await (await ask('/records')).json();
    expect(stored).toEqual(
      expect.arrayContaining([txt, own].map((one) => ({ ...one, recordTTL: 3600 }))),
    );
    const path = '/records?zone_name=example.com&name=long';
    const { items } = await desk.service.call('GET', path, undefined, 200, 'local');
    expect(items[0].value.map((part: string) => part.length)).toEqual([255, 185]);
    expect((await post('/records', { delete: [txt, own] })).status).toBe(204);
  });

  it('takes the null that Go makes of an empty list', async () => {
    expect(await (await post('/adjustendpoints', null)).json()).toEqual([]);
  });
});

describe('changes', () => {
  it('are 204 with nothing in it, and may be spelled as older controllers do', async () => {
    const before = await serialOf('example.com');
    const first = await post('/records', { create: [a('one.example.com', '192.0.2.1')] });
    expect([first.status, await first.text()]).toEqual([204, '']);
    const update = {
      UpdateOld: [a('one.example.com', '192.0.2.1')],
      UpdateNew: [{ ...a('one.example.com', '192.0.2.2'), recordTTL: 90 }],
      Create: null,
      Delete: [],
    };
    expect((await post('/records', update, 'application/json')).status).toBe(204);
    expect(await serialOf('example.com')).toBe(before + 2);
    const { body } = { body: await (await ask('/records')).json() };
    expect(body).toContainEqual({ ...a('one.example.com', '192.0.2.2'), recordTTL: 90 });
    expect((await post('/records', { delete: update.UpdateNew })).status).toBe(204);
  });

  it.each([
    ['no array', { create: {} }],
    ['updates without pairs', { updateOld: [a('x.example.com', '192.0.2.1')] }],
    ['a list', []],
    ['no JSON', 'create'],
  ])('with %s are 400 and change nothing', async (_, body) => {
    const events = desk.service.events();
    expect((await post('/records', body)).status).toBe(400);
    expect(desk.service.events()).toBe(events);
  });

  it('larger than the limit are 413', async () => {
    const response = await post('/records', `"${'x'.repeat(33 * 1024 * 1024)}"`);
    expect(response.status).toBe(413);
  });
});

describe('a controller', () => {
  it('makes, keeps, replaces and deletes what it owns, with one step of the serial each', async () => {
    const controller = new Controller(webhook);
    expect(await controller.negotiate()).toEqual(['example.com', 'apps.example.net']);
    await desk.service.call(
      'POST',
      '/records',
      { zone_name: 'example.com', name: 'manual', type: 'A', value: '192.0.2.99' },
      201,
      'local',
    );
    const wanted: WebhookEndpoint[] = [
      { ...a('www.example.com', '192.0.2.2', '192.0.2.1'), recordTTL: 60 },
      { dnsName: 'www.example.com', targets: ['2001:DB8::1'], recordType: 'AAAA' },
      { dnsName: 'blog.example.com', targets: ['www.example.com'], recordType: 'CNAME' },
      a('*.example.com', '192.0.2.3'),
      a('x.apps.example.net', '192.0.2.4'),
      // Somebody made it by hand, so it is not the controller's.
      a('manual.example.com', '192.0.2.5'),
      // Outside of the domains.
      a('www.other.example', '192.0.2.6'),
      a('www.example.net', '192.0.2.7'),
    ];
    const serials = async () => [await serialOf('example.com'), await serialOf('example.net')];
    const [com = 0, net = 0] = await serials();
    const made = await controller.sync(wanted);
    expect(made!.create.map(({ recordType, dnsName }) => `${recordType} ${dnsName}`)).toEqual([
      'A www.example.com',
      'TXT a-www.example.com',
      'AAAA www.example.com',
      'TXT aaaa-www.example.com',
      'CNAME blog.example.com',
      'TXT cname-blog.example.com',
      'A *.example.com',
      'TXT a-*.example.com',
      'A x.apps.example.net',
      'TXT a-x.apps.example.net',
    ]);
    expect(await serials()).toEqual([com + 1, net + 1]);
    for (let round = 0; round < 3; round++) expect(await controller.sync(wanted)).toBeUndefined();
    expect(await serials()).toEqual([com + 1, net + 1]);

    const { items } = await desk.service.call(
      'GET',
      '/records?zone_name=example.com&name=cname-blog',
      undefined,
      200,
      'local',
    );
    expect(items[0]).toMatchObject({
      type: 'TXT',
      value: 'heritage=external-dns,external-dns/owner=me,external-dns/resource=test',
    });

    const changed = wanted.map((endpoint) =>
      endpoint.recordType === 'CNAME' ? { ...endpoint, targets: ['host.example.org'] } : endpoint,
    );
    expect((await controller.sync(changed))!.updateNew).toHaveLength(2);
    expect(await serials()).toEqual([com + 2, net + 1]);

    // Another controller owns nothing of it.
    const stranger = new Controller(webhook, 'somebody-else');
    await stranger.negotiate();
    expect(await stranger.sync([])).toBeUndefined();

    expect((await controller.sync([]))!.delete).toHaveLength(10);
    expect(await controller.sync([])).toBeUndefined();
    expect(await serials()).toEqual([com + 3, net + 2]);
    const left = await controller.records();
    expect(left.map(({ dnsName }) => dnsName)).toEqual(['manual.example.com']);

    // It leaves its name in the history.
    const path = '/zones/example.com/history';
    const history = await desk.service.call('GET', path, undefined, 200, 'local');
    expect(history.items[0]).toMatchObject({
      change_source: 'external-dns',
      changed_by: { kind: 'token', name: 'controller' },
    });
  });
});
