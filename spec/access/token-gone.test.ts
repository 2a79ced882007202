/** Rights that go while a request is served: what is done is answered as done, and nothing else is told any more. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

let service: InProcessService;

beforeEach(async () => {
  service = new InProcessService({ authenticationRequired: true });
  await service.call('POST', '/roles', { name: 'helpers' }, 201, 'local');
  await service.createZone('a.example');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await service.close();
});

/** A token that goes with the next commit, whose listeners hear of it before anybody is answered. */
async function leavingToken() {
  const token = await service.tokenOf('leaving', 'admin');
  const submit = service.writer.submit.bind(service.writer);
  vi.spyOn(service.writer, 'submit').mockImplementationOnce(async (command, options) => {
    const outcome = await submit(command, options);
    await submit({ kind: 'delete-token', name: 'leaving', id: undefined }, options);
    return outcome;
  });
  return token;
}

it('a role is changed', async () => {
  const change = { description: 'who helps' };
  const { role } = await service.call('PUT', '/roles/helpers', change, 200, await leavingToken());
  expect(role).toMatchObject({ name: 'helpers', description: 'who helps', token_count: 0 });
});

it('a role is changed that the next command of the same commit deletes', async () => {
  const submit = service.writer.submit.bind(service.writer);
  vi.spyOn(service.writer, 'submit').mockImplementationOnce(async (command, options) => {
    const outcome = await submit(command, options);
    await submit({ kind: 'delete-role', name: 'helpers', id: undefined }, options);
    return outcome;
  });
  const change = { description: 'who helps' };
  const { role } = await service.call('PUT', '/roles/helpers', change, 200, 'local');
  expect(role).toMatchObject({ description: 'who helps', grant_count: 0, tsig_key_count: 0 });
});

it('records of an external DNS controller are there', async () => {
  const creates = [{ name: 'www.a.example', type: 'A', values: ['192.0.2.1'] }];
  const token = await leavingToken();
  const applied = await service.call('POST', '/external-dns/changes', { creates }, 200, token);
  expect(applied).toMatchObject({ added: 1, changed_zones: ['a.example'] });
});

it.each([
  ['/tokens/seeing', 'INVALID_TOKEN'],
  ['/roles/seeing/grants/1', 'FORBIDDEN'],
])('a wait for secondaries tells nothing without %s', async (path, code) => {
  const token = await service.tokenOf('seeing', [
    { zone_name: 'a.example', actions: ['zone:read'] },
  ]);
  Object.defineProperty(service, 'reached', {
    async get() {
      await service.call('DELETE', path, undefined, 200, 'local');
      return [];
    },
  });
  const asked = '/zones/a.example/propagation?wait=300';
  await service.refused('GET', asked, undefined, code, '', token);
});
