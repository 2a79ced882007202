import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

let service: InProcessService;
beforeAll(() => {
  service = new InProcessService();
});
afterAll(() => service.close());

const register = (name: string, address: string) =>
  service.call('POST', '/secondaries', { name, address }, 201);

it('registers with normalised name and address, enabled', async () => {
  const { secondary } = await register(' NS1 ', 'NS1.Example.NET');
  expect(secondary).toEqual({
    id: expect.any(Number),
    name: 'ns1',
    address: 'ns1.example.net:53',
    enabled: true,
    notify_key_name: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  });
  expect(await service.call('GET', '/secondaries/Ns1')).toEqual({ secondary });
});

it('stores addresses with their port', async () => {
  for (const [address, stored] of [
    ['192.0.2.1', '192.0.2.1:53'],
    ['192.0.2.1:5300', '192.0.2.1:5300'],
    ['2001:DB8:0::1', '[2001:db8::1]:53'],
    ['[2001:db8::2]:54', '[2001:db8::2]:54'],
    ['::FFFF:192.0.2.3', '192.0.2.3:53'],
    ['[::ffff:c000:204]:54', '192.0.2.4:54'],
    ['::192.0.2.5', '[::c000:205]:53'],
  ] as const) {
    const { secondary } = await register(`at-${stored.replaceAll(/[^0-9]/g, '-')}`, address);
    expect(secondary.address).toBe(stored);
  }
});

it('refuses the same name or address twice, and what is no name or address', async () => {
  await register('twice', '198.51.100.1');
  const refused = (name: string, address: string, code: string) =>
    service.refused('POST', '/secondaries', { name, address }, code);
  await refused('TWICE', '198.51.100.2', 'SECONDARY_CONFLICT');
  await refused('other', '198.51.100.1:53', 'SECONDARY_CONFLICT');
  await refused('mapped', '[::ffff:198.51.100.1]', 'SECONDARY_CONFLICT');
  for (const name of ['', 'a b', 'a/b', 'x'.repeat(65)]) {
    await refused(name, '198.51.100.3', 'INVALID_INPUT');
  }
  for (const address of ['', '198.51.100.4:0', '198.51.100.4:65536', 'host:', 'a b', '300.1.1.1']) {
    await refused('fresh', address, 'INVALID_INPUT');
  }
});

it('refuses an unknown NOTIFY key', async () => {
  const body = { name: 'keyed', address: '198.51.100.9', notify_key_name: 'nokey' };
  await service.refused('POST', '/secondaries', body, 'TSIG_KEY_NOT_FOUND', "'nokey'");
  await service.refused('GET', '/secondaries/keyed', undefined, 'SECONDARY_NOT_FOUND');
});

it('updates given fields only', async () => {
  const { secondary } = await register('moving', '203.0.113.1');
  const off = await service.call('PUT', '/secondaries/moving', { enabled: false });
  expect(off.secondary).toEqual({ ...secondary, enabled: false });
  const moved = await service.call('PUT', '/secondaries/moving', { address: 'new.example.net:54' });
  expect(moved.secondary).toEqual({ ...secondary, enabled: false, address: 'new.example.net:54' });
  const unsigned = await service.call('PUT', '/secondaries/moving', { notify_key_name: '' });
  expect(unsigned.secondary.notify_key_name).toBeNull();
});

it('needs something to change', async () => {
  await register('still', '203.0.113.9');
  for (const body of [{}, { address: null, enabled: null }]) {
    await service.refused('PUT', '/secondaries/still', body, 'INVALID_INPUT', 'nothing to change');
  }
  await service.refused('PUT', '/secondaries/nobody', {}, 'SECONDARY_NOT_FOUND', "'nobody'");
  await service.refused('PUT', '/secondaries/still', { name: 'x' }, 'INVALID_JSON_BODY', "'name'");
});

it('lists disabled ones too, by pages, and forgets', async () => {
  await register('zz-last', '203.0.113.77');
  await service.call('PUT', '/secondaries/zz-last', { enabled: false });
  const all = await service.call('GET', '/secondaries?limit=1000');
  expect(all.items.at(-1)).toMatchObject({ name: 'zz-last', enabled: false });
  expect(all.pagination.total).toBe(all.items.length);
  const gone = await service.call('DELETE', '/secondaries/ZZ-last', undefined, 200);
  expect(gone).toEqual({ message: "secondary 'zz-last' deleted" });
  await service.refused('DELETE', '/secondaries/zz-last', undefined, 'SECONDARY_NOT_FOUND');
  const rest = await service.call('GET', '/secondaries?limit=1');
  expect(rest.pagination).toEqual({ limit: 1, offset: 0, total: all.items.length - 1 });
});
