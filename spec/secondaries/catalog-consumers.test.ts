/**
 * Servers that configure themselves from the catalog, as the pages beside this file set them up: zones
 * appear, change, are renamed, disabled, deleted and made anew without a touch of their configuration
 * (RFC 9432, interface 6, cases 85 and 86).
 */
import { expect, it } from 'vitest';
import {
  catalogName,
  type PageSecondary,
  type PageSecondaryKind,
  startFromPage,
} from '../support/page-secondaries.ts';
import { needsPeers } from '../support/peers.ts';
import { type RunningService, startService } from '../support/service.ts';
import { makeTransferKey } from '../support/tsig-keys.ts';

const kinds = ['named', 'knotd', 'pdns_server'] as const satisfies PageSecondaryKind[];

async function create(service: RunningService, name: string): Promise<void> {
  await service.must('POST', '/zones', { name, mname: 'ns1.test', rname: 'root@test' });
}

async function serialOf(service: RunningService, name: string): Promise<number> {
  return (await service.must('GET', `/zones/${name}`)).zone.serial;
}

async function register(service: RunningService, secondary: PageSecondary): Promise<void> {
  const address = `127.0.0.1:${secondary.port}`;
  await service.must('POST', '/secondaries', { name: secondary.kind, address });
}

/** Every server serves the zone at the serial it has now, or none serves it. */
async function followed(
  service: RunningService,
  servers: readonly PageSecondary[],
  name: string,
  isServed = true,
): Promise<void> {
  const serial = isServed ? await serialOf(service, name) : undefined;
  await Promise.all(servers.map((server) => server.waitFor(name, serial)));
}

needsPeers(...kinds)('case 86: BIND, Knot and PowerDNS as consumers of one catalog', () => {
  it('follow zones as they come, change, are renamed, disabled, deleted and made anew', async () => {
    await using service = await startService();
    await create(service, 'one.example');
    await create(service, 'two.example');
    await using stack = new AsyncDisposableStack();
    const servers: PageSecondary[] = [];
    for (const kind of kinds) {
      const server = stack.use(await startFromPage(kind, service.dnsPort));
      await register(service, server);
      servers.push(server);
    }
    await followed(service, servers, 'one.example');
    await followed(service, servers, 'two.example');

    // Comes, while they run.
    await create(service, 'three.example');
    await followed(service, servers, 'three.example');

    // Changes: the member stays what it was (case 85).
    const record = { zone_name: 'one.example', name: 'www', type: 'A', value: '192.0.2.1' };
    const before = await catalogSerial(service);
    await service.must('POST', '/records', record);
    await followed(service, servers, 'one.example');
    expect(await catalogSerial(service)).toBe(before);

    await service.must('PUT', '/zones/two.example', { name: 'renamed.example' });
    await followed(service, servers, 'renamed.example');
    await followed(service, servers, 'two.example', false);

    await service.must('PUT', '/zones/one.example', { enabled: false });
    await followed(service, servers, 'one.example', false);
    await service.must('PUT', '/zones/one.example', { enabled: true });
    await followed(service, servers, 'one.example');

    await service.must('DELETE', '/zones/three.example');
    await followed(service, servers, 'three.example', false);
    // A new zone of an old name is a new member, and starts above what was served.
    await create(service, 'three.example');
    await followed(service, servers, 'three.example');

    // And what is between two looks of theirs: made anew under the same name.
    await service.must('DELETE', '/zones/three.example');
    await create(service, 'three.example');
    await followed(service, servers, 'three.example');
  });
});

for (const kind of ['named', 'knotd'] as const) {
  needsPeers(kind)(`${kind} as a consumer that signs`, () => {
    it('pulls the catalog and its members by its key alone, told by signed NOTIFY', async () => {
      await using service = await startService();
      await create(service, 'one.example');
      const key = await makeTransferKey(service, 'mover', [null]);
      // No secondary is registered yet: nothing but the key opens the gate.
      await using server = await startFromPage(kind, service.dnsPort, { key });
      await followed(service, [server], 'one.example');
      const address = `127.0.0.1:${server.port}`;
      const body = { name: 'peer', address, notify_key_name: 'mover' };
      await service.must('POST', '/secondaries', body);
      await create(service, 'two.example');
      await followed(service, [server], 'two.example');
      const transfers = async () =>
        (await service.must('GET', '/secondaries/peer/transfers')).summary;
      await expect.poll(transfers).toMatchObject({ zones: 3, refused: 0, failed: 0 });
      const check = await service.must('POST', '/secondaries/peer/check');
      expect(check.catalog).toMatchObject({ status: 'in_sync', visible_serial: 3 });
      expect(check.notifies).toEqual([{ address: '127.0.0.1', error: null }]);
      expect(check.listener_error).toBeNull();
      expect(check.transfers).toMatchObject({ zones: 3, refused: 0, failed: 0 });
    });
  });
}

async function catalogSerial(service: RunningService): Promise<number> {
  const [{ name }] = (await service.must('GET', '/secondaries')).items;
  const check = await service.must('POST', `/secondaries/${name}/check`);
  expect(check.catalog_zone_name).toBe(catalogName);
  return check.catalog_serial;
}
