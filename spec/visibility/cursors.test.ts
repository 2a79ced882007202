/** Pages that end at what their caller may not read: their cursors go on from there, and tell nothing of it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

const zone = 'hidden.example';
/** More than one page of a search, or of lint, looks at. */
const hosts = 600;
const callers = {
  reader: { actions: ['record:read'], record_name_pattern: 'storefront', record_types: 'A' },
  onlooker: { actions: ['zone:read'] },
};

let service: InProcessService;
const secrets: Record<string, string> = {};
beforeAll(async () => {
  service = new InProcessService({ authenticationRequired: true });
  await service.createZone(zone);
  const records = Array.from({ length: hosts }, (_, index) => [
    { name: `payroll-${index}`, type: 'TXT', value: `salary-${index}` },
    { name: `alias-${index}`, type: 'CNAME', value: `payroll-${index}` },
  ]);
  const shown = { name: 'storefront', type: 'A', value: '192.0.2.1' };
  const body = { zone_name: zone, records: [...records.flat(), shown] };
  await service.call('POST', '/records/bulk', body, 201, 'local');
  for (const [name, grant] of Object.entries(callers)) {
    await service.call('POST', '/roles', { name }, 201, 'local');
    const ofZone = { ...grant, zone_name: zone };
    await service.call('POST', `/roles/${name}/grants`, ofZone, 201, 'local');
    const made = await service.call('POST', '/tokens', { name, role_name: name }, 201, 'local');
    secrets[name] = made.secret;
  }
  // A search answers from what is in its index, which is made in the background.
  await service.searchIndex.run();
});
afterAll(() => service.close());

it.each([
  ['reader', '/search?q=salary'],
  ['reader', `/zones/${zone}/lint?limit=50`],
  ['onlooker', `/zones/${zone}/lint?limit=50`],
])('of %s, %s', async (name, path) => {
  const cursors: string[] = [];
  let place = '';
  do {
    const page = await service.call('GET', `${path}${place}`, undefined, 200, secrets[name]!);
    expect(page.items ?? page.records).toEqual([]);
    if (page.next_cursor === null) break;
    cursors.push(page.next_cursor);
    place = `&cursor=${page.next_cursor}`;
  } while (cursors.length < hosts);
  expect(cursors.length).toBeGreaterThan(0);
  expect(cursors.length).toBeLessThan(10);
  for (const cursor of cursors) {
    const held = Buffer.from(cursor, 'base64url').toString('latin1');
    // Words so long that they do not come up by chance in what is sealed.
    expect(held).not.toMatch(/salary|payroll|alias|storefront/);
  }
});
