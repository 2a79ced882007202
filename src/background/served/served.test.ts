import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ixfrSoa, transferMessage, wireRecord } from '../../../spec/support/dns-messages.ts';
import { openStoredZones, record, type StoredZones } from '../../../spec/support/stored-zones.ts';
import type { Job, WorkerPool } from '../../base/worker-pool.ts';
import type { Secondary } from '../../domain/secondary.ts';
import type { Zone } from '../../domain/zone.ts';
import { emptyName, type NameKey } from '../../dns/name.ts';
import type { Log } from '../../telemetry/log.ts';
import { ServedChecks, type ServedReport, type ServedServices } from './served-checks.ts';
import { ServedJob, type TransferBounds } from './served-job.ts';
import { RrsetSums } from './rrset-sums.ts';

const zone = 'example.com';
let server: Server | undefined;
let stored: StoredZones | undefined;
const sockets = new Set<Socket>();
afterEach(() => {
  server?.close();
  for (const socket of sockets) socket.destroy();
  stored?.close();
  server = stored = undefined;
});

const message = (request: Buffer, records: readonly Buffer[]) =>
  transferMessage(zone, request, records);

/** What comes of a server that answers a request so, with narrow bounds. */
async function comparedWith(
  answer: (socket: Socket, request: Buffer) => void,
  narrow: Partial<TransferBounds> = {},
): Promise<ServedReport> {
  stored = openStoredZones({ durable: false });
  const { id } = await stored.zone(zone, { apexNs: true });
  await stored.add(zone, record('www', 'A', '192.0.2.1'));
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', (request: Buffer) => answer(socket, request));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const bounds = { records: 1000, bytes: 100_000, totalMs: 60_000, silenceMs: 60_000, ...narrow };
  return new ServedJob(stored.file).compare({
    zone: { id, name: zone },
    server: `127.0.0.1:${port}`,
    tsigKey: undefined,
    outbound: { deny: [], allow: [], listeners: [] },
    bounds,
  });
}

const unknown = { result: 'unknown', compared: 0, rrsets: [], isRefused: false };
const host = (index: number) =>
  wireRecord(`h${index}.${zone}`, 'A', Buffer.from([192, 0, 2, index % 256]));

/** Sends records for ever, as fast as they are taken. */
function endless(socket: Socket, request: Buffer): void {
  socket.write(message(request, [ixfrSoa(zone, 2)]));
  let index = 0;
  const more = () => {
    while (socket.writable && socket.write(message(request, [host(index++)]))) {
      // Until the buffer is full.
    }
  };
  socket.on('drain', more);
  more();
}

describe('a secondary that misbehaves', () => {
  it('sends garbage', async () => {
    const found = await comparedWith((socket) => socket.end(Buffer.alloc(64, 0xff)));
    expect(found).toMatchObject({ ...unknown, serial: null });
    expect(found.error).toMatch(/^the server /);
  });

  it('sends too many records', async () => {
    const found = await comparedWith(endless);
    expect(found).toMatchObject({ ...unknown, error: 'the server sent more than 1000 records' });
  });

  it('sends too many bytes', async () => {
    const found = await comparedWith(endless, { bytes: 500 });
    expect(found).toMatchObject({ ...unknown, error: 'the server sent more than 500 bytes' });
  });

  it('never ends', async () => {
    const found = await comparedWith(
      (socket, request) => socket.write(message(request, [ixfrSoa(zone, 2)])),
      { totalMs: 300 },
    );
    expect(found).toMatchObject({ ...unknown, error: 'the transfer took more than 0.3 s' });
  });

  it('says nothing', async () => {
    const found = await comparedWith(() => {}, { silenceMs: 200 });
    expect(found).toMatchObject({ ...unknown, serial: null });
    expect(found.error).toMatch(/0\.2 s/);
  });

  it('hangs up', async () => {
    const found = await comparedWith((socket, request) =>
      socket.end(message(request, [ixfrSoa(zone, 2)])),
    );
    expect(found).toMatchObject(unknown);
    expect(found.error).toMatch(/closed/);
  });

  it('serves a serial that the zone never had', async () => {
    const soa = ixfrSoa(zone, 77);
    const found = await comparedWith((socket, request) =>
      socket.write(message(request, [soa, host(1), soa])),
    );
    const error = 'the journal does not have serial 77 of the zone';
    expect(found).toMatchObject({ ...unknown, serial: 77, error });
  });
});

describe('sums of RRsets', () => {
  const of = (owner: string, value: number, ttl = 60) =>
    ({ owner: owner as NameKey, type: 1, ttl, rdata: Buffer.from([192, 0, 2, value]) }) as const;
  const sums = (...records: ReturnType<typeof of>[]) => {
    const made = new RrsetSums();
    for (const each of records) made.add(each);
    return made;
  };

  it('do not depend on order, and take records back', () => {
    const one = sums(of('a', 1), of('a', 2), of('b', 1));
    const two = sums(of('b', 1), of('a', 2), of('a', 3), of('a', 1));
    two.remove(of('a', 3));
    expect(one.differences(two)).toEqual([]);
  });

  it('tell values and TTLs apart', () => {
    const one = sums(of('a', 1), of('b', 1), of('c', 1), of('', 9));
    const two = sums(of('a', 2), of('b', 1, 61), of('d', 1), of('', 9));
    const found = one.differences(two).map(({ owner, difference }) => [owner, difference]);
    expect(found).toEqual([
      ['a', 'differing'],
      ['b', 'differing'],
      ['c', 'missing'],
      ['d', 'extra'],
    ]);
    expect(one.either(two)).toBe(5);
    expect(emptyName).toBe('');
  });
});

describe('a round over secondaries', () => {
  const secondary = (name: string, address: string): Secondary => {
    return { id: 1, name, address, enabled: true, notifyKeyName: null, createdAt: 0 };
  };
  const zones = Array.from({ length: 50 }, (_, index) => {
    const name = `z${String(index).padStart(2, '0')}.example`;
    return { id: index + 1, name, enabled: index !== 3 } as Zone;
  });

  /** Checks whose worker answers what a test says; `asked` has the zones and servers in order. */
  function checksWith(answer: (zoneName: string, address: string) => Partial<ServedReport>) {
    const asked: string[] = [];
    const lines: unknown[] = [];
    const note = (...line: unknown[]) => void lines.push(line);
    const job = {
      call: async (_: string, input: { zone: Zone; server: string }) => {
        asked.push(`${input.server} ${input.zone.name}`);
        const said = answer(input.zone.name, input.server);
        return { result: 'same', serial: 5, error: null, ...said } as ServedReport;
      },
      release() {},
      end() {},
    };
    const services = {
      workers: { open: () => job as unknown as Job<never> } as Pick<WorkerPool, 'open'>,
      secondaries: { enabled: () => [secondary('one', 'a:53'), secondary('two', 'b:53')] },
      zones: {
        byId: (id: number) => zones[id - 1],
        *inOrder(_: boolean, __: unknown, after = '') {
          yield* zones.filter(({ name }) => name > after);
        },
      },
      outbound: { policy: { rules: {} } },
      log: { info: note, warn: note, error: note } as unknown as Log,
    } as unknown as ServedServices;
    return { checks: new ServedChecks(services, 0), asked, lines };
  }

  it('goes through all enabled zones, and looks at those that differ each time', async () => {
    const { checks, asked } = checksWith((name, address) =>
      name === 'z05.example' && address === 'a:53' ? { result: 'differs' } : {},
    );
    await checks.run();
    expect(asked).toHaveLength(40);
    expect(asked).not.toContain('a:53 z03.example');
    await checks.run();
    await checks.run();
    const ofOne = asked.filter((each) => each.startsWith('a:53'));
    expect(new Set(ofOne).size).toBe(49);
    expect(ofOne.filter((each) => each.endsWith('z05.example'))).toHaveLength(3);
    expect(checks.gauges()).toEqual({ differingZones: 1 });
    expect(checks.differingAt('a:53')).toEqual([6]);
    expect(checks.resultOf('a:53', 6, 9)).toBe('differs');
    expect(checks.resultOf('b:53', 6, 5)).toBe('same');
    expect(checks.resultOf('b:53', 6, 6)).toBe('unknown');
    expect(checks.resultOf('b:53', 4, 5)).toBe('unknown');
  });

  it('comes to the others where one can not be compared', async () => {
    const { checks, asked } = checksWith((_, address) => {
      if (address === 'a:53') throw new Error('its worker has died');
      return {};
    });
    await expect(checks.run()).rejects.toThrow('its worker has died');
    expect(asked.filter((each) => each.startsWith('a:53'))).toHaveLength(1);
    expect(asked.filter((each) => each.startsWith('b:53'))).toHaveLength(20);
  });

  it('leaves a secondary that sends nothing, and keeps what it knew', async () => {
    let isGone = false;
    const { checks, asked, lines } = checksWith(() =>
      isGone ? { result: 'unknown', serial: null, error: 'gone' } : { result: 'differs' },
    );
    await checks.run();
    const before = checks.gauges();
    isGone = true;
    asked.length = 0;
    await checks.run();
    expect(asked).toHaveLength(2);
    expect(checks.gauges()).toEqual(before);
    expect(lines).toContainEqual([
      'secondary.not-compared',
      expect.objectContaining({ error: 'gone' }),
    ]);
  });
});
