/** A token that goes while what it asked for is being committed: what is done is answered as done. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

let service: InProcessService;
let token: string;

beforeEach(async () => {
  service = new InProcessService({ authenticationRequired: true });
  await service.call('POST', '/roles', { name: 'helpers' }, 201, 'local');
  await service.createZone('a.example');
  token = await service.tokenOf('leaving', 'admin');
  // Another request of the same commit, whose listeners hear of it before anybody is answered.
  const submit = service.writer.submit.bind(service.writer);
  vi.spyOn(service.writer, 'submit').mockImplementationOnce(async (command, options) => {
    const outcome = await submit(command, options);
    await submit({ kind: 'delete-token', name: 'leaving', id: undefined }, options);
    return outcome;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await service.close();
});

it('a role is changed', async () => {
  const change = { description: 'who helps' };
  const { role } = await service.call('PUT', '/roles/helpers', change, 200, token);
  expect(role).toMatchObject({ name: 'helpers', description: 'who helps', token_count: 0 });
});

it('records of an external DNS controller are there', async () => {
  const creates = [{ name: 'www.a.example', type: 'A', values: ['192.0.2.1'] }];
  const applied = await service.call('POST', '/external-dns/changes', { creates }, 200, token);
  expect(applied).toMatchObject({ added: 1, changed_zones: ['a.example'] });
});
