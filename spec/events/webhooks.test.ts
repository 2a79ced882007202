/** Webhooks: their receivers get what the list of events has, signed, in order and at least once. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { signatureOf, WebhookReceiver } from '../support/webhook-receiver.ts';

let service: InProcessService;
let receiver: WebhookReceiver;

beforeEach(async () => {
  service = new InProcessService();
  service.webhooks.start();
  receiver = await WebhookReceiver.start();
  await service.createZone('a.example');
});
afterEach(async () => {
  await service.webhooks.stop();
  await service.close();
  await receiver.close();
  // Behind the service, for which the clock never goes back.
  vi.restoreAllMocks();
});

const create = (more: object = {}) =>
  service.call('POST', '/webhooks', { name: 'chat', url: receiver.url, ...more }, 201);
const add = (name: string, type = 'A', value = '192.0.2.1') =>
  service.call('POST', '/records', { zone_name: 'a.example', name, type, value }, 201);
const list = async (query = '') =>
  (await service.call('GET', `/events?limit=1000&order=asc${query}`)).items;
const hook = async () => (await service.call('GET', '/webhooks/chat')).webhook;

it('posts each event from the first one asked for, signed, by one connection', async () => {
  const { secret, webhook } = await create({ from_seq: 1 });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(webhook).toMatchObject({ format: 'zonebook', filter: {}, state: 'active' });
  await add('one');
  const all = await list();
  await receiver.until(() => receiver.received.length >= all.length);
  expect(receiver.received.map(({ body }) => JSON.parse(body))).toEqual(all);
  for (const [index, received] of receiver.received.entries()) {
    const { seq, hash } = all[index];
    expect(received.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': `${seq}-${hash.slice(0, 16)}`,
      'webhook-signature': signatureOf(secret, received),
    });
  }
  expect(receiver.connections.size).toBe(1);
  await receiver.until(async () => (await hook()).behind === 0);
  expect(await hook()).toMatchObject({ deliveries: all.length, failures: 0, error: null });
  // The secret is in no answer and no event.
  expect(JSON.stringify([await hook(), all])).not.toContain(secret.slice(6));
});

it('posts CloudEvents, and those alone that pass the filter', async () => {
  await create({ format: 'cloudevents', filter: { zone: 'a.example', type: 'TXT' } });
  expect((await hook()).filter).toEqual({ zone_id: 1, type: 'TXT' });
  await add('one');
  await add('two', 'TXT', '"told"');
  await receiver.until(() => receiver.received.length === 1);
  const event = (await list()).at(-1);
  const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
  expect(headers['content-type']).toBe('application/cloudevents+json');
  expect(JSON.parse(body)).toEqual({
    specversion: '1.0',
    id: `${event.seq}-${event.hash.slice(0, 16)}`,
    source: '/zonebook/events',
    type: 'zonebook.records.changed',
    subject: 'a.example',
    time: event.at,
    datacontenttype: 'application/json',
    data: event,
  });
  await receiver.until(async () => (await hook()).behind === 0);
});

it('sends what is not accepted again, and nothing of later before', async () => {
  await create();
  receiver.behave = (count) => [500, 'cut' as const, 204][count] ?? 204;
  await add('one');
  await add('two');
  await receiver.until(() => receiver.accepted.length >= 3);
  const seqs = (await list()).map(({ seq }: { seq: number }) => seq).slice(-3);
  expect(receiver.accepted).toEqual(seqs);
  const ids = receiver.received.slice(0, 3).map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(1);
  expect(await hook()).toMatchObject({ failures: 2, failing_since: null, state: 'active' });
});

it('is suspended after 24 hours of failures, and woken by an update, with nothing lost', async () => {
  await create();
  receiver.behave = () => 503;
  await add('one');
  // The receiver has its request before the service has the answer that begins the 24 hours.
  await receiver.until(async () => (await hook()).failing_since !== null);
  expect((await hook()).state).toBe('active');
  const elapsed = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => elapsed() + 24 * 3_600_000);
  await receiver.until(async () => (await hook()).state === 'suspended');
  const event = (await list()).at(-1);
  expect(event).toMatchObject({ kind: 'webhook.suspended', actor: null, source: 'system' });
  expect(event.details.webhook.name).toBe('chat');
  expect(service.webhooks.gauges().webhooksSuspended).toBe(1);
  const tried = receiver.received.length;
  await add('two');
  expect(receiver.received.length).toBe(tried);

  receiver.behave = () => 204;
  await service.call('PUT', '/webhooks/chat', {}, 200);
  const all = (await list()).map(({ seq }: { seq: number }) => seq);
  await receiver.until(() => receiver.accepted.at(-1) === all.at(-1));
  expect(receiver.accepted).toEqual(all.slice(all.indexOf(receiver.accepted[0])));
  expect(receiver.accepted.length).toBe(5);
  expect(await hook()).toMatchObject({ state: 'active', failing_since: null });
});

it('goes on after a restart where it was, and from elsewhere by a replay', async () => {
  await create();
  await add('one');
  await receiver.until(async () => (await hook()).behind === 0);
  const before = receiver.accepted.length;
  await service.webhooks.stop();
  const cursor = service.webhookCursors();
  expect(cursor).toMatchObject([{ seq: (await list()).at(-1).seq, failingSince: null }]);
  expect(before).toBe(2);
});

it('replays, tests and deletes', async () => {
  await create();
  await receiver.until(async () => (await hook()).behind === 0);
  await service.refused('POST', '/webhooks/chat/replay', { from_seq: 99 }, 'EVENT_NOT_FOUND');
  await service.refused('POST', '/webhooks/chat/replay', { from_seq: 0 }, 'EVENT_NOT_FOUND');
  await service.call('POST', '/webhooks/chat/replay', { from_seq: 2 }, 200);
  const all = (await list()).map(({ seq }: { seq: number }) => seq);
  await receiver.until(() => receiver.accepted.at(-1) === all.at(-1));
  expect(receiver.accepted.slice(1)).toEqual(all.slice(1));

  expect(await service.call('POST', '/webhooks/chat/test')).toMatchObject({
    delivered: true,
    status: 204,
    error: null,
  });
  expect(JSON.parse(receiver.received.at(-1)!.body)).toMatchObject({ kind: 'webhook.test' });
  receiver.behave = () => 401;
  const refused = await service.call('POST', '/webhooks/chat/test');
  expect(refused).toMatchObject({ delivered: false, status: 401, error: 'answered 401' });

  await service.call('DELETE', '/webhooks/chat', undefined, 200);
  await service.refused('GET', '/webhooks/chat', undefined, 'WEBHOOK_NOT_FOUND');
  expect(await service.verify()).toEqual([]);
});

it('refuses what is no webhook', async () => {
  for (const [given, says] of [
    [{ url: 'ftp://x.example/' }, 'url:'],
    [{ url: 'http://me:secret@x.example/' }, 'a user or a password'],
    [{ url: 'http://x.example/#a' }, 'fragment'],
    [{ secret: 'hidden' }, 'secret: does not begin with whsec_'],
    [{ secret: 'whsec_AAAA' }, '3 bytes'],
    [{ filter: { zone: 'a.example', zone_id: 1 } }, 'exclude each other'],
  ] as const) {
    const body = { name: 'other', url: receiver.url, ...given };
    await service.refused('POST', '/webhooks', body, 'INVALID_INPUT', says);
  }
  const misspelt = { name: 'other', url: receiver.url, filter: { kind: 'record.changed' } };
  const kinds = "'filter.kind' must be one of zone.created, ";
  await service.refused('POST', '/webhooks', misspelt, 'INVALID_JSON_BODY', kinds);
  const missing = { name: 'other', url: receiver.url, filter: { zone: 'none.example' } };
  await service.refused('POST', '/webhooks', missing, 'ZONE_NOT_FOUND');
  await create();
  await service.refused(
    'POST',
    '/webhooks',
    { name: 'chat', url: receiver.url },
    'WEBHOOK_CONFLICT',
  );
});
