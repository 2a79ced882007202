/**
 * Check of a secondary and status of a zone (interface 4.2 and 4.4, decisions 16): what is asked of
 * the secondary is asked for real, here of a small one that answers as the test says.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { opcode } from '../../src/dns/wire/header.ts';
import { NotifiedSecondary } from '../support/notified.ts';
import { type RunningService, startService } from '../support/service.ts';
import { soaAnswer } from '../support/soa-answer.ts';

let service: RunningService;
let secondary: NotifiedSecondary;
let address: string;
/** Serials it serves, by zone; it refuses to answer for others. */
let serials: Map<string, number>;

/** Seconds that an answer to NOTIFY may take: no answer takes so long, unless it is to be missing. */
const longPatience = 60;
const shortPatience = 1;

beforeEach(async () => {
  serials = new Map();
  secondary = await NotifiedSecondary.listen();
  secondary.answer = (request) => soaAnswer(request, serials.get(secondary.received.at(-1)!.zone));
  ({ address } = secondary);
});

afterEach(async () => {
  await service[Symbol.asyncDispose]();
  await secondary[Symbol.asyncDispose]();
});

async function start(patience = longPatience): Promise<void> {
  service = await startService({
    ZONEBOOK_DNS_NOTIFY_RETRIES: '0',
    ZONEBOOK_DNS_NOTIFY_TIMEOUT_SECS: String(patience),
  });
}

const createZone = (name: string) =>
  service.must('POST', '/zones', { name, mname: 'ns1.test', rname: 'root@test' });

it('checks resolution, the serial of the catalog, NOTIFY and our own listener', async () => {
  await start();
  const created = await service.must('POST', '/secondaries', { name: 'ns2', address });
  serials.set('catalog.invalid', 1);
  await createZone('example.com');
  // It is told of the catalog first, then of the zone, each once; what comes from here on is the check's.
  await secondary.until('example.com', 1);
  secondary.received.length = 0;
  const check = await service.must('POST', '/secondaries/NS2/check');
  expect(check).toEqual({
    secondary: created.secondary,
    addresses: ['127.0.0.1'],
    content_differs: [],
    resolve_error: null,
    catalog_zone_name: 'catalog.invalid',
    catalog_serial: 2,
    catalog: {
      address,
      status: 'lagging',
      visible_serial: 1,
      error: null,
      last_transfer: null,
    },
    listener_error: null,
    notifies: [{ address: '127.0.0.1', error: null }],
    transfers: { zones: 0, axfr: 0, ixfr_full: 0, ixfr_delta: 0, refused: 0, failed: 0 },
  });
  const received = secondary.received.map(({ zone, opcode }) => ({ zone, opcode }));
  expect(received).toContainEqual({ zone: 'catalog.invalid', opcode: opcode.NOTIFY });
  expect(received).toContainEqual({ zone: 'catalog.invalid', opcode: opcode.QUERY });
  expect(received.some(({ zone }) => zone === 'example.com')).toBe(false);
});

it('checks a disabled secondary too, and tells what it says', async () => {
  await start();
  await service.must('POST', '/secondaries', { name: 'ns2', address });
  await service.must('PUT', '/secondaries/ns2', { enabled: false });
  const check = await service.must('POST', '/secondaries/ns2/check');
  expect(check.secondary.enabled).toBe(false);
  expect(check.catalog).toMatchObject({
    status: 'reachable',
    visible_serial: null,
    error: `${address} answered REFUSED`,
  });
  expect(check.notifies).toEqual([{ address: '127.0.0.1', error: `${address} answered REFUSED` }]);
});

it('tells of a host that does not resolve, and of one that does not answer', async () => {
  await start(shortPatience);
  await service.must('POST', '/secondaries', { name: 'lost', address: 'nowhere.invalid' });
  const lost = await service.must('POST', '/secondaries/lost/check');
  expect(lost).toMatchObject({
    addresses: [],
    resolve_error: expect.stringContaining('nowhere.invalid does not resolve'),
    catalog: { status: 'unreachable', visible_serial: null },
    notifies: [],
  });
  secondary.answer = () => undefined;
  await service.must('POST', '/secondaries', { name: 'silent', address });
  const silent = await service.must('POST', '/secondaries/silent/check');
  expect(silent.catalog).toMatchObject({
    status: 'unreachable',
    error: `${address} did not answer within 2 s`,
  });
  expect(silent.notifies[0].error).toBe(`${address} did not answer`);
});

it('says why a NOTIFY could not be signed', async () => {
  await start(10);
  await service.must('POST', '/roles', { name: 'none' });
  await service.must('POST', '/tsig-keys', { name: 'signer', role_name: 'none' });
  const body = { name: 'ns2', address, notify_key_name: 'signer' };
  await service.must('POST', '/secondaries', body);
  const check = await service.must('POST', '/secondaries/ns2/check');
  // It answers without a signature, which counts for nothing.
  expect(check.notifies[0].error).toMatch(/did not answer \(an answer was ignored: /);
});

it('shows the status of a zone at every enabled secondary, live and in parallel', async () => {
  await start();
  await createZone('example.com');
  await service.must('POST', '/zones/example.com/notify?bump_serial=true');
  expect(await service.must('GET', '/zones/Example.com./status')).toEqual({
    zone_name: 'example.com',
    serial: 2,
    secondaries: [],
    warnings: [],
  });
  await service.must('POST', '/secondaries', { name: 'ns2', address });
  await service.must('POST', '/secondaries', { name: 'ns3', address: '127.0.0.1:1' });
  await service.must('POST', '/secondaries', { name: 'ns4', address: 'nowhere.invalid' });
  await service.must('POST', '/secondaries', { name: 'ns5', address: '127.0.0.1:2' });
  await service.must('PUT', '/secondaries/ns5', { enabled: false });
  const statusOf = async (serial: number | undefined) => {
    if (serial === undefined) serials.delete('example.com');
    else serials.set('example.com', serial);
    const { secondaries } = await service.must('GET', '/zones/example.com/status');
    expect(secondaries).toHaveLength(3);
    const [asked, ...others] = secondaries;
    expect(others.map(({ status }: { status: string }) => status)).toEqual([
      'unreachable',
      'unreachable',
    ]);
    return asked;
  };
  expect(await statusOf(2)).toEqual({
    address,
    status: 'in_sync',
    content: 'unknown',
    visible_serial: 2,
    error: null,
    last_transfer: null,
  });
  expect(await statusOf(1)).toMatchObject({ status: 'lagging', visible_serial: 1 });
  expect(await statusOf(7)).toMatchObject({ status: 'ahead', visible_serial: 7 });
  expect(await statusOf(2 + 2 ** 31)).toMatchObject({ status: 'reachable' });
  expect(await statusOf(undefined)).toMatchObject({
    status: 'reachable',
    visible_serial: null,
    error: `${address} answered REFUSED`,
  });
  const { status } = await service.call('GET', '/zones/nowhere.example/status');
  expect(status).toBe(404);
});

it('case 96: warns of a secondary that is ahead, and passes it when asked to', async () => {
  await start();
  await createZone('example.com');
  await service.must('POST', '/secondaries', { name: 'ns2', address });
  const aheadNow = async () => {
    const metrics: string = await service.must('GET', '/metrics');
    return /^zonebook_secondary_zones_ahead_total (\d+)$/m.exec(metrics)?.[1];
  };
  serials.set('example.com', 7);
  const { warnings } = await service.must('GET', '/zones/example.com/status');
  expect(warnings).toEqual([
    {
      code: 'SECONDARY_AHEAD',
      message: expect.stringMatching(
        /serves serial 7 of zone 'example.com', which is at 1: .*taken back, .*another primary/,
      ),
    },
  ]);
  expect(await aheadNow()).toBe('1');
  await service.must('POST', '/zones/example.com/notify?bump_serial=true');
  expect((await service.must('GET', '/zones/example.com')).zone.serial).toBe(8);
  expect(await aheadNow()).toBe('0');
  serials.set('example.com', 20);
  await service.must('POST', '/notify?bump_serial=true');
  expect((await service.must('GET', '/zones/example.com')).zone.serial).toBe(21);
  // One that is lagging is no reason to skip serials, nor is one that no zone can pass.
  for (const [seen, next] of [
    [3, 22],
    [2_147_483_647, 23],
    [4_000_000_000, 24],
  ] as const) {
    serials.set('example.com', seen);
    await service.must('POST', '/zones/example.com/notify?bump_serial=true');
    expect((await service.must('GET', '/zones/example.com')).zone.serial).toBe(next);
  }
  serials.set('example.com', 24);
  const after = await service.must('GET', '/zones/example.com/status');
  expect(after.warnings).toEqual([]);
});
