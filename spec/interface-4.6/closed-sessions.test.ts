/** What a browser began, whose session ends before it is committed. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Slots } from '../../src/background/import/slots.ts';
import { InProcessService } from '../support/in-process.ts';
import { jsonOf } from '../support/json.ts';

let service: InProcessService;
let admin: string;
beforeAll(async () => {
  service = new InProcessService({ authenticationRequired: true });
  admin = await service.tokenOf('boss', 'admin');
});
afterAll(() => service.close());

interface Browser {
  readonly id: string;
  send(method: string, path: string, body: object): Promise<{ status: number; code?: string }>;
}

async function browserOf(given: object): Promise<Browser> {
  const opened = await service.fetch('POST', '/session', given);
  const { id } = (await jsonOf(opened)).session;
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!;
  const headers = { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  return {
    id,
    async send(method, path, body) {
      const init = { method, headers, body: JSON.stringify(body) };
      const response = await service.request(path, init);
      return { status: response.status, code: (await jsonOf(response)).code };
    },
  };
}

const ofHost = async () =>
  browserOf({ code: (await service.call('POST', '/session/codes', undefined, 201, 'local')).code });
const ofToken = () => browserOf({ token: admin });

/** Does something once, when the first slice of a large change is written. */
function atFirstSlice(act: () => Promise<unknown>): void {
  const { writer } = service;
  const operate = writer.operate.bind(writer);
  let acting: Promise<unknown> | undefined;
  writer.operate = async (operation) => {
    const result = await operate(operation);
    if (operation.kind === 'put-slice') {
      writer.operate = operate;
      acting ??= act();
      await acting;
    }
    return result;
  };
}

const serialOf = async (zone: string): Promise<number> =>
  (await service.call('GET', `/zones/${zone}`, undefined, 200, admin)).zone.serial;
const close = ({ id }: Browser) => service.call('DELETE', `/sessions/${id}`, undefined, 200, admin);
const records = Array.from({ length: 3001 }, (_, index) => {
  return { name: `h${index}`, type: 'A', value: '192.0.2.1' };
});
const content = records.map(({ name, value }) => `${name} 300 IN A ${value}`).join('\n');

it.each([
  ['of a user of the host', 'one.example', ofHost],
  ['of a token', 'two.example', ofToken],
])('a large change is refused once its session %s was closed', async (_, zone, open) => {
  await service.createZone(zone);
  const before = await serialOf(zone);
  const writes: [string, object][] = [
    [`/zones/${zone}/import`, { content, mode: 'append' }],
    ['/records/bulk', { zone_name: zone, records }],
  ];
  for (const [path, body] of writes) {
    const browser = await open();
    atFirstSlice(() => close(browser));
    expect(await browser.send('POST', path, body)).toEqual({ status: 401, code: 'UNAUTHORIZED' });
  }

  expect(await serialOf(zone)).toBe(before);
  const browser = await open();
  expect((await browser.send('POST', ...writes[0]!)).status).toBe(200);
  const serial = await serialOf(zone);
  atFirstSlice(() => close(browser));
  const back = await browser.send('POST', `/zones/${zone}/rollback`, { serial: before });
  expect(back).toEqual({ status: 401, code: 'UNAUTHORIZED' });
  expect(await serialOf(zone)).toBe(serial);
  expect(await service.verify()).toEqual([]);
});

it('a large change is refused once its session was not used for long', async () => {
  await service.createZone('three.example');
  const browser = await ofHost();
  atFirstSlice(async () => service.pass(12 * 3_600_000));
  const body = { content, mode: 'append' };
  expect(await browser.send('POST', '/zones/three.example/import', body)).toEqual({
    status: 401,
    code: 'UNAUTHORIZED',
  });
});

it('what waits for its turn is refused once its session was closed before it', async () => {
  await service.createZone('four.example');
  const browser = await ofHost();
  const before = service.events();
  // Both stand in one queue: the closing first.
  const closed = close(browser);
  const record = { zone_name: 'four.example', name: 'www', type: 'A', value: '192.0.2.1' };
  const written = browser.send('POST', '/records', record);
  expect([(await closed).message, await written]).toEqual([
    `session '${browser.id}' closed`,
    { status: 401, code: 'UNAUTHORIZED' },
  ]);
  expect(service.events()).toBe(before + 1);
});

it.each([
  ['five.example', 'import', { content, mode: 'append' }],
  ['six.example', 'diff', { content }],
])('what waits to be prepared is refused once its session was closed', async (zone, what, body) => {
  await service.createZone(zone);
  const browser = await ofHost();
  const { during } = Slots.prototype;
  vi.spyOn(Slots.prototype, 'during').mockImplementationOnce(async function (
    this: Slots,
    ...asked
  ) {
    await close(browser);
    return during.apply(this, asked);
  });
  const answer = await browser.send('POST', `/zones/${zone}/${what}`, body);
  expect(answer).toEqual({ status: 401, code: 'UNAUTHORIZED' });
});

it('a session that is closed twice at once has one event', async () => {
  const browser = await ofHost();
  const before = service.events();
  const path = `/sessions/${browser.id}`;
  const twice = [0, 1].map(() => service.fetch('DELETE', path, undefined, admin));
  const statuses = (await Promise.all(twice)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 404]);
  expect(service.events()).toBe(before + 1);
});

it('a session of others is not closed by a token that loses its rights meanwhile', async () => {
  const granted = [{ actions: ['access:manage'] }];
  const manager = await service.tokenOf('manager', granted);
  const [{ id: grant }] = (
    await service.call('GET', '/roles/manager/grants', undefined, 200, admin)
  ).items;
  const browser = await ofHost();
  const taken = service.fetch('DELETE', `/roles/manager/grants/${grant}`, undefined, admin);
  const closing = service.fetch('DELETE', `/sessions/${browser.id}`, undefined, manager);
  expect([(await taken).status, (await closing).status]).toEqual([200, 403]);
});
