/**
 * Names that leave no room for a wildcard before them are kept out of zones with NSEC3. A dry run refuses them as the
 * change does, however they would come into the chain.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

let service: InProcessService;
beforeAll(async () => {
  service = new InProcessService();
  for (const denial of ['nsec', 'nsec3']) {
    await service.call('POST', '/dnssec-policies', { name: denial, denial }, 201);
  }
});
afterAll(() => service.close());

/** A name with 254 bytes, with a zone of eight. */
const long = [...Array.from({ length: 3 }, () => 'o'.repeat(63)), 'l'.repeat(53)].join('.');
const cut = 'l'.repeat(53);
const address = { type: 'A', value: '192.0.2.1' };
const addressLine = (name: string) => `${name} 60 IN A 192.0.2.1\n`;
const many = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`);

const add = (zone: string, name: string, more: object = address) =>
  service.call('POST', '/records', { zone_name: zone, name, ...more }, 201);
const signing = (policy: string) => ({ policy_name: policy, parent_ns_addrs: ['192.0.2.1'] });
const sign = (zone: string, policy: string) =>
  service.call('POST', `/zones/${zone}/dnssec`, signing(policy), 201);

/** The change is refused, and its dry run in the same words. */
async function refusedAlike(method: string, path: string, body?: object): Promise<void> {
  const dryPath = body === undefined ? `${path}&dry_run=true` : path;
  const dryBody = body && { ...body, dry_run: true };
  const refusal = (to: string, given?: object) =>
    service.refused(method, to, given, 'RECORD_CONFLICT', `${long}.`);
  const { body: would } = await refusal(dryPath, dryBody);
  const { body: refused } = await refusal(path, body);
  expect(would.error).toBe(refused.error);
}

it('of a zone that is to be signed, or comes to a policy with NSEC3', async () => {
  const zone = 'a.test';
  await service.createZone(zone);
  await add(zone, long);
  await refusedAlike('POST', `/zones/${zone}/dnssec`, signing('nsec3'));
  const path = `/zones/${zone}/dnssec`;
  await service.call('POST', path, { ...signing('nsec'), dry_run: true });
  await sign(zone, 'nsec');
  await refusedAlike('PUT', path, { policy_name: 'nsec3' });
});

it('that a delegation hid, and which its deletion uncovers, with new records or without', async () => {
  const zone = 'b.test';
  await service.createZone(zone);
  await add(zone, cut, { type: 'NS', value: `${long}.${zone}.` });
  await add(zone, long);
  // Below a delegation no name is hashed.
  await service.call('POST', `/zones/${zone}/dnssec`, { ...signing('nsec3'), dry_run: true });
  await sign(zone, 'nsec3');
  await refusedAlike('DELETE', `/records?zone_name=${zone}&name=${cut}&type=NS`);
  const content = `${addressLine(long)}${long} 60 IN TXT x\n@ 60 IN NS ns1\n${addressLine('ns1')}`;
  const path = `/zones/${zone}/import`;
  await refusedAlike('POST', path, { content, mode: 'replace' });
  const below = { content: `${long} 60 IN TXT x\n`, mode: 'append', dry_run: true };
  await service.call('POST', path, below);
});

it('of an import, an insert or a rollback that is staged', async () => {
  const zone = 'c.test';
  await service.createZone(zone);
  const path = `/zones/${zone}/import`;
  const lines = many(600).map(addressLine).join('');
  const content = `@ 60 IN NS ns1\n${lines}${addressLine(long)}`;
  await service.call('POST', path, { content, mode: 'replace' });
  const { serial } = (await service.call('GET', `/zones/${zone}`)).zone;
  await service.call('POST', path, { content: '@ 60 IN NS ns1\n', mode: 'replace' });
  await sign(zone, 'nsec3');
  await refusedAlike('POST', `/zones/${zone}/versions/${serial}/rollback`, {});
  await refusedAlike('POST', path, { content, mode: 'replace' });
  await refusedAlike('POST', path, { content, mode: 'append' });
  const records = [...many(3500), long].map((name) => ({ name, ...address }));
  await refusedAlike('POST', '/records/bulk', { zone_name: zone, records });
  // Where the same file hides the name, there is nothing to refuse.
  const hidden = `${content}${cut} 60 IN NS ns1\n`;
  await service.call('POST', path, { content: hidden, mode: 'replace', dry_run: true });
  await service.call('POST', path, { content: hidden, mode: 'replace' });
  // Nor where a stored delegation hides more of them, far from what else comes.
  const more = [...many(4000).slice(600), `x.${cut}`, `y${long.slice(1)}`];
  const bulk = { zone_name: zone, records: more.map((name) => ({ name, ...address })) };
  await service.call('POST', '/records/bulk', { ...bulk, dry_run: true });
  await service.call('POST', '/records/bulk', bulk);
  // The file that leaves the delegation out uncovers it.
  await refusedAlike('POST', path, { content, mode: 'replace' });
});
