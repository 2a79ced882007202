import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

let service: InProcessService;
beforeAll(async () => {
  service = new InProcessService();
  await service.call('POST', '/roles', { name: 'updater' }, 201);
});
afterAll(() => service.close());

const create = (name: string, more: object = {}) =>
  service.call('POST', '/tsig-keys', { name, role_name: 'updater', ...more }, 201);

it('makes a key with 32 random bytes, and shows the secret again by name', async () => {
  const made = await create('DDNS.Example.com.');
  expect(made).toEqual({
    secret: expect.any(String),
    tsig_key: {
      id: expect.any(Number),
      name: 'ddns.example.com',
      algorithm: 'hmac-sha256',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      role_name: 'updater',
    },
  });
  expect(Buffer.from(made.secret, 'base64')).toHaveLength(32);
  for (const name of ['ddns.example.com', 'DDNS.example.COM.']) {
    expect(await service.call('GET', `/tsig-keys/${name}`)).toEqual(made);
  }
  expect((await create('other')).secret).not.toBe(made.secret);
});

it('imports secrets of 16 to 128 bytes in strict base64, and repeats no bad one', async () => {
  for (const bytes of [16, 17, 128]) {
    const secret = Buffer.alloc(bytes, 0xfb).toString('base64');
    expect((await create(`import${bytes}`, { secret })).secret).toBe(secret);
    expect((await service.call('GET', `/tsig-keys/import${bytes}`)).secret).toBe(secret);
  }
  const good = Buffer.alloc(16, 0xfb).toString('base64');
  for (const secret of [
    '',
    Buffer.alloc(15).toString('base64'),
    Buffer.alloc(129).toString('base64'),
    good.slice(0, -2),
    `${good} `,
    `${good}=`,
    good.replace('w==', 'x=='),
    good.replaceAll('+', '-').replaceAll('/', '_'),
    '!'.repeat(24),
  ]) {
    const body = { name: 'bad', role_name: 'updater', secret };
    const { body: refusal } = await service.refused(
      'POST',
      '/tsig-keys',
      body,
      'INVALID_INPUT',
      'secret: ',
    );
    if (secret !== '') expect(refusal.error).not.toContain(secret);
  }
  await service.refused('GET', '/tsig-keys/bad', undefined, 'TSIG_KEY_NOT_FOUND', "'bad'");
});

it('takes null for what is not given, and the three algorithms', async () => {
  const plain = await create('nulls', { algorithm: null, secret: null });
  expect(plain.tsig_key.algorithm).toBe('hmac-sha256');
  for (const algorithm of ['hmac-sha384', 'HMAC-SHA512']) {
    const { tsig_key } = await create(algorithm, { algorithm });
    expect(tsig_key.algorithm).toBe(algorithm.toLowerCase());
  }
  for (const algorithm of ['', 'hmac-md5', 'hmac-sha1']) {
    const body = { name: 'weak', role_name: 'updater', algorithm };
    await service.refused('POST', '/tsig-keys', body, 'INVALID_INPUT', 'algorithm');
  }
});

it('refuses taken and impossible names and unknown roles', async () => {
  await create('taken');
  const post = (name: string, code: string, role_name = 'updater') =>
    service.refused('POST', '/tsig-keys', { name, role_name }, code);
  await post('TAKEN.', 'TSIG_KEY_CONFLICT');
  for (const name of ['', '.', 'a..b', 'x'.repeat(64)]) await post(name, 'INVALID_INPUT');
  await post('fresh', 'ROLE_NOT_FOUND', 'nobody');
});

it('lists by name without secrets, of one role when asked', async () => {
  await service.call('POST', '/roles', { name: 'second' }, 201);
  await service.call('POST', '/tsig-keys', { name: 'aaa', role_name: 'Second' }, 201);
  await create('aab');
  const listed = await service.call('GET', '/tsig-keys?limit=1000');
  const names = listed.items.map(({ name }: { name: string }) => name);
  expect(names).toEqual([...names].sort());
  expect(names[0]).toBe('aaa');
  expect(listed.pagination.total).toBe(names.length);
  expect(JSON.stringify(listed)).not.toContain('secret');
  const second = await service.call('GET', '/tsig-keys?role_name=SECOND');
  expect(second.items).toHaveLength(1);
  expect(second.pagination).toEqual({ limit: 50, offset: 0, total: 1 });
  expect((await service.call('GET', '/tsig-keys?limit=1&offset=1')).items[0].name).toBe(names[1]);
  await service.refused('GET', '/tsig-keys?role_name=nobody', undefined, 'ROLE_NOT_FOUND');
});

it('deletes a key and its secret, unless it signs a NOTIFY', async () => {
  await create('signer');
  const body = { name: 'ns2', address: '192.0.2.53', notify_key_name: 'Signer.' };
  const { secondary } = await service.call('POST', '/secondaries', body, 201);
  expect(secondary.notify_key_name).toBe('signer');
  const refused = await service.refused(
    'DELETE',
    '/tsig-keys/signer',
    undefined,
    'TSIG_KEY_IN_USE',
    "'ns2'",
  );
  expect(refused.status).toBe(409);
  await service.call('PUT', '/secondaries/ns2', { notify_key_name: '' });
  const gone = await service.call('DELETE', '/tsig-keys/SIGNER.', undefined, 200);
  expect(gone).toEqual({ message: "TSIG key 'signer' deleted" });
  await service.refused('DELETE', '/tsig-keys/signer', undefined, 'TSIG_KEY_NOT_FOUND');
  const again = await create('signer');
  expect((await service.call('GET', '/tsig-keys/signer')).secret).toBe(again.secret);
});
