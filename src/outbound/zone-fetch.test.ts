import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openOutbound } from '../../spec/support/destination.ts';
import { ixfrSoa, wireName, wireRecord } from '../../spec/support/dns-messages.ts';
import { freePort } from '../../spec/support/ports.ts';
import { parseAbsoluteName, printRelativeName } from '../dns/name.ts';
import { printRdata } from '../dns/rdata/rdata.ts';
import { printType } from '../dns/rrtype.ts';
import type { RequestSigner } from '../dns/wire/tsig-exchange.ts';
import { fetchZone, type ZoneFetchOptions } from './zone-fetch.ts';

const zone = 'example.com';

/** Flags of a response with AA, and its fields that a server may get wrong. */
interface MessageFields {
  readonly id?: number;
  readonly flags?: number;
  /** Name, type and class; null leaves the question out. */
  readonly question?: Buffer | null;
  readonly records?: readonly Buffer[];
  readonly extra?: Buffer;
}

const axfrTail = Buffer.from([0, 252, 0, 1]);

/** A message behind its length; the id is that of the request. */
function message(request: Buffer, fields: MessageFields = {}): Buffer {
  const { flags = 0x8400, records = [], extra = Buffer.alloc(0) } = fields;
  const question = fields.question ?? Buffer.concat([wireName(zone), axfrTail]);
  const head = Buffer.alloc(14);
  head.writeUInt16BE(fields.id ?? request.readUInt16BE(0), 2);
  head.writeUInt16BE(flags, 4);
  head.writeUInt16BE(fields.question === null ? 0 : 1, 6);
  head.writeUInt16BE(records.length, 8);
  const parts = fields.question === null ? [head] : [head, question];
  const framed = Buffer.concat([...parts, ...records, extra]);
  framed.writeUInt16BE(framed.length - 2, 0);
  return framed;
}

const soa = (serial = 7, name = zone) => ixfrSoa(name, serial);
const host = (index: number) =>
  wireRecord(`h${index}.${zone}`, 'A', Buffer.from([192, 0, 2, index]));
const hosts = (count: number) => Array.from({ length: count }, (_, index) => host(index));
const hostLines = (count: number) =>
  hosts(count).map((_, index) => `h${index} 0 A 192.0.2.${index}`);

type Serve = (socket: Socket, request: Buffer) => void | Promise<void>;

const open: { server: Server; sockets: Set<Socket> }[] = [];
afterEach(() => {
  for (const { server, sockets } of open.splice(0)) {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Lets time pass only where the test says so; returns how often somebody began to wait. */
function holdTime(): () => number {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const waits = vi.spyOn(globalThis, 'setTimeout');
  return () => waits.mock.calls.length;
}

/** A server that does with each request what the test says; gives its `host:port`. */
async function listen(serve: Serve): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', (chunk: Buffer) => void serve(socket, chunk.subarray(2)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push({ server, sockets });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that sends these messages at once and says no more. */
function sends(...messages: readonly MessageFields[]): Promise<string> {
  return listen((socket, request) => {
    socket.write(Buffer.concat(messages.map((fields) => message(request, fields))));
  });
}

function options(server: string, more: Partial<ZoneFetchOptions> = {}): ZoneFetchOptions {
  const apex = parseAbsoluteName(zone);
  const outbound = openOutbound();
  const reach = 'private';
  const bounds = { timeoutMs: 10_000, totalMs: 600_000, maxRecords: 1000, maxBytes: 1e8 };
  return { server, apex, ...bounds, outbound, reach, ...more };
}

/** The zone as lines, after all of it has come. */
async function fetched(server: string, more: Partial<ZoneFetchOptions> = {}): Promise<string[]> {
  const lines: string[] = [];
  for await (const part of fetchZone(options(server, more))) {
    if (part.kind === 'soa') {
      expect(lines).toEqual([]);
      continue;
    }
    for (const { owner, ttl, type, rdata } of part.records) {
      lines.push(
        `${printRelativeName(owner)} ${ttl} ${printType(type)} ${printRdata(type, rdata)}`,
      );
    }
  }
  return lines;
}

async function refusal(server: string, more: Partial<ZoneFetchOptions> = {}): Promise<string> {
  const problem: unknown = await fetched(server, more).then(
    (lines) => `fetched ${lines.length} records`,
    (error) => error,
  );
  expect(problem).toMatchObject({ name: 'Problem', code: 'INVALID_INPUT' });
  const text = (problem as Error).message;
  expect(text.startsWith(`from_server: ${server}: `)).toBe(true);
  return text.slice(`from_server: ${server}: `.length);
}

describe('a zone from another server (RFC 5936)', () => {
  it('asks for AXFR of the apex and nothing else', async () => {
    let asked = Buffer.alloc(0);
    const server = await listen((socket, request) => {
      asked = Buffer.from(request);
      socket.write(message(request, { records: [soa(), soa()] }));
    });
    await fetched(server);
    const question = Buffer.concat([wireName(zone), axfrTail]);
    expect(asked.subarray(2)).toEqual(
      Buffer.concat([Buffer.from([0, 0, 0, 1, 0, 0, 0, 0, 0, 0]), question]),
    );
  });

  it('gives the SOA, then the records without the closing SOA', async () => {
    const server = await sends({ records: [soa(), ...hosts(3), soa()] });
    const kinds: string[] = [];
    for await (const part of fetchZone(options(server))) {
      kinds.push(part.kind);
      if (part.kind === 'soa') expect(part.rdata.readUInt32BE(2)).toBe(7);
    }
    expect(kinds).toEqual(['soa', 'records']);
    expect(await fetched(server)).toEqual(hostLines(3));
  });

  it('takes messages of one record each, and later ones without question', async () => {
    const records = [soa(), ...hosts(200), soa()];
    const server = await sends(
      ...records.map((record, index) => ({
        records: [record],
        ...(index === 0 ? {} : { question: null }),
      })),
    );
    expect(await fetched(server)).toEqual(hostLines(200));
  });

  it('takes a message of 65535 bytes', async () => {
    const server = await listen((socket, request) => {
      const rest = [host(1), soa()];
      const around = message(request, { records: [soa(), ...rest] }).length - 2;
      const empty = wireRecord(`big.${zone}`, 'TYPE65280', Buffer.alloc(0)).length;
      const big = wireRecord(`big.${zone}`, 'TYPE65280', Buffer.alloc(65_535 - around - empty, 7));
      const whole = message(request, { records: [soa(), big, ...rest] });
      expect(whole.readUInt16BE(0)).toBe(65_535);
      socket.write(whole);
    });
    const lines = await fetched(server);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^big 0 TYPE65280 \\# \d+ 0707/);
  });

  it('takes bytes that come one by one', async () => {
    const server = await listen(async (socket, request) => {
      socket.setNoDelay(true);
      const first = message(request, { records: [soa(), ...hosts(2)] });
      const bytes = Buffer.concat([first, message(request, { records: [host(2), soa()] })]);
      for (const byte of bytes) {
        socket.write(Buffer.from([byte]));
        await new Promise(setImmediate);
      }
    });
    expect(await fetched(server)).toEqual(hostLines(3));
  });

  it('waits for a slow server as long as bytes come', async () => {
    const waits = holdTime();
    let passedMs = 0;
    const server = await listen(async (socket, request) => {
      socket.setNoDelay(true);
      const bytes = message(request, { records: [soa(), ...hosts(90), soa()] });
      for (let at = 0; at < bytes.length; at += 310) {
        vi.advanceTimersByTime(300);
        passedMs += 300;
        const before = waits();
        socket.write(bytes.subarray(at, at + 310));
        // Who got these bytes waits for the next ones, with patience as at first.
        while (at + 310 < bytes.length && waits() === before) await turn();
      }
    });
    expect(await fetched(server, { timeoutMs: 400 })).toEqual(hostLines(90));
    expect(passedMs).toBeGreaterThan(2000);
  });

  it('takes a zone whose sender closes right after it', async () => {
    const server = await listen((socket, request) => {
      socket.end(message(request, { records: [soa(), ...hosts(3), soa()] }));
    });
    expect(await fetched(server)).toEqual(hostLines(3));
  });
});

describe('a transfer that fails names the server and the reason', () => {
  it.each([
    [5, 'REFUSED'],
    [9, 'NOTAUTH'],
    [2, 'SERVFAIL'],
    [1, 'FORMERR'],
    [13, 'RCODE13'],
  ])('RCODE %i', async (rcode, name) => {
    const server = await sends({ flags: 0x8000 | rcode });
    expect(await refusal(server)).toBe(`the server refused the transfer (${name})`);
  });

  it('RCODE in a later message', async () => {
    const server = await sends({ records: [soa(), host(1)] }, { flags: 0x8402 });
    expect(await refusal(server)).toBe('the server refused the transfer (SERVFAIL)');
  });

  const another = Buffer.concat([wireName('example.net'), axfrTail]);
  const ixfr = Buffer.concat([wireName(zone), Buffer.from([0, 251, 0, 1])]);
  const outside = wireRecord('www.example.net', 'A', Buffer.from([192, 0, 2, 1]));
  const chaos = wireRecord(`www.${zone}`, 'TXT', Buffer.from('\x01x'), 3);
  const broken = wireRecord(`www.${zone}`, 'A', Buffer.from([192, 0, 2]));
  const otherMname = Buffer.from(soa());
  otherMname.fill(1, otherMname.length - 4);

  it.each<[string, readonly MessageFields[], string | RegExp]>([
    ['another id', [{ id: 0x1_0000 }], 'answered with another id'],
    ['no response', [{ flags: 0x0400, records: [soa()] }], 'sent a request instead of an answer'],
    ['another opcode', [{ flags: 0xa400, records: [soa()] }], 'answered with another opcode'],
    ['TC', [{ flags: 0x8600, records: [soa()] }], 'sent a truncated message'],
    ['another question', [{ question: another, records: [soa()] }], 'answered another question'],
    ['another type', [{ question: ixfr, records: [soa()] }], 'answered another question'],
    [
      'another question later',
      [{ records: [soa(), host(1)] }, { question: another, records: [soa()] }],
      'answered another question',
    ],
    ['no records', [{}], 'sent a zone that does not begin with its SOA'],
    ['no SOA first', [{ records: [host(1), soa()] }], /does not begin with its SOA$/],
    ['the SOA of a child', [{ records: [soa(7, `sub.${zone}`)] }], /does not begin with its SOA$/],
    [
      'another serial at the end',
      [{ records: [soa(), host(1), soa(8)] }],
      'began with serial 7 and ended with serial 8',
    ],
    [
      'another serial in the middle',
      [{ records: [soa(), host(1)] }, { records: [soa(6), host(2), soa()] }],
      'began with serial 7 and ended with serial 6',
    ],
    [
      'another SOA of the same serial',
      [{ records: [soa(), otherMname] }],
      'sent a closing SOA that differs from the first',
    ],
    [
      'the SOA of a child inside',
      [{ records: [soa(), soa(7, `sub.${zone}`), soa()] }],
      'sent the SOA record of sub.example.com. inside the zone',
    ],
    ['more records', [{ records: [soa(), soa(), host(1)] }], 'sent records after the closing SOA'],
    ['a third SOA', [{ records: [soa(), soa(), soa()] }], 'sent records after the closing SOA'],
    [
      'another message',
      [{ records: [soa(), soa()] }, { records: [host(1)] }],
      'sent more after the closing SOA',
    ],
    [
      'a record outside',
      [{ records: [soa(), outside, soa()] }],
      /^sent the A record of www\.example\.net\. outside the zone$/,
    ],
    [
      'another class',
      [{ records: [soa(), chaos, soa()] }],
      /^sent the TXT record of www\.example\.com\. in class 3$/,
    ],
    ['broken RDATA', [{ records: [soa(), broken, soa()] }], /^sent a malformed message: A /],
    [
      'bytes after the records',
      [{ records: [soa(), soa()], extra: Buffer.from([0]) }],
      'sent a malformed message: bytes follow the last record',
    ],
    [
      'empty messages without end',
      [{ records: [soa()] }, ...Array.from({ length: 20 }, () => ({}))],
      'sent more than 10 messages without records',
    ],
  ])('%s', async (_, messages, clause) => {
    const server = await listen((socket, request) => {
      const sent = messages.map((fields) => {
        const wrongId = request.readUInt16BE(0) ^ 1;
        return message(request, fields.id === undefined ? fields : { ...fields, id: wrongId });
      });
      socket.write(Buffer.concat(sent));
    });
    const reason = await refusal(server);
    expect(reason.startsWith('the server ')).toBe(true);
    if (typeof clause === 'string') expect(reason).toBe(`the server ${clause}`);
    else expect(reason.slice('the server '.length)).toMatch(clause);
  });

  it('another id in a later message', async () => {
    const server = await listen((socket, request) => {
      socket.write(message(request, { records: [soa(), host(1)] }));
      const id = request.readUInt16BE(0) ^ 1;
      socket.write(message(request, { id, records: [soa()] }));
    });
    expect(await refusal(server)).toBe('the server answered with another id');
  });

  it('bytes that are no message', async () => {
    const server = await listen((socket, request) => {
      const garbage = Buffer.alloc(300, 0xff);
      garbage.writeUInt16BE(298, 0);
      request.copy(garbage, 2, 0, 2);
      garbage.writeUInt16BE(0x8400, 4);
      socket.write(garbage);
    });
    expect(await refusal(server)).toMatch(/^the server sent a malformed message: /);
  });

  it('messages shorter than a header', async () => {
    const short = await listen((socket) => void socket.write(Buffer.from([0, 3, 1, 2, 3])));
    expect(await refusal(short)).toBe('the server sent a message shorter than a header');
    const empty = await listen((socket) => void socket.write(Buffer.from([0, 0])));
    expect(await refusal(empty)).toBe('the server sent an empty message');
  });

  it('more records than allowed', async () => {
    const server = await sends(
      { records: [soa(), ...hosts(3)] },
      { records: [...hosts(3), soa()] },
    );
    expect(await fetched(server, { maxRecords: 6 })).toHaveLength(6);
    expect(await refusal(server, { maxRecords: 5 })).toBe('the server sent more than 5 records');
  });

  it('more bytes than allowed', async () => {
    const closed = Promise.withResolvers<void>();
    const server = await listen((socket, request) => {
      const text = wireRecord(`text.${zone}`, 'TXT', Buffer.alloc(1024, 1));
      socket.on('close', () => closed.resolve());
      socket.write(message(request, { records: [soa()] }));
      for (let sent = 0; sent < 10; sent++) socket.write(message(request, { records: [text] }));
    });
    expect(await refusal(server, { maxBytes: 10_000 })).toBe(
      'the server sent more than 10000 bytes',
    );
    await closed.promise;
  });

  it('as many bytes as are allowed: owners in the zone and RDATA, the SOA not counted', async () => {
    const server = await sends({ records: [soa(), ...hosts(2), soa()] });
    expect(await fetched(server, { maxBytes: 2 * 7 })).toEqual(hostLines(2));
    expect(await refusal(server, { maxBytes: 13 })).toBe('the server sent more than 13 bytes');
  });

  const closedEarly = 'the server closed the connection before the end of the zone';

  it.each([0, 1, 2, 40, 90])('an end after %i bytes of the second message', async (bytes) => {
    const server = await listen((socket, request) => {
      const second = message(request, { records: [...hosts(3), soa()] });
      socket.write(message(request, { records: [soa(), host(9)] }));
      socket.end(second.subarray(0, bytes));
    });
    expect(await refusal(server)).toBe(closedEarly);
  });

  it('a reset half way', async () => {
    const server = await listen((socket, request) => {
      socket.write(message(request, { records: [soa(), host(9)] }), () => {
        // The client has read the first message by then; a reset would take it away unread.
        void turn()
          .then(() => turn())
          .then(() => socket.resetAndDestroy());
      });
    });
    expect(await refusal(server)).toBe(closedEarly);
  });

  it('silence, before and inside the zone', async () => {
    const waits = holdTime();
    const mute = await listen(() => void vi.advanceTimersByTime(100));
    expect(await refusal(mute, { timeoutMs: 100 })).toBe('the server sent nothing for 0.1 s');
    const stuck = await listen(async (socket, request) => {
      const before = waits();
      socket.write(message(request, { records: [soa(), host(1)] }));
      while (waits() === before) await turn();
      vi.advanceTimersByTime(100);
    });
    expect(await refusal(stuck, { timeoutMs: 100 })).toBe('the server sent nothing for 0.1 s');
  });

  it('more time than allowed, whatever comes within it, and asks no other address', async () => {
    holdTime();
    let asked = 0;
    const server = await listen((socket, request) => {
      asked++;
      socket.write(message(request, { records: [soa(), host(1)] }));
      vi.advanceTimersByTime(100);
    });
    const told = 'the transfer took more than 0.1 s';
    expect(await refusal(server, { totalMs: 100 })).toBe(told);
    const mute = await listen(() => {
      asked++;
      vi.advanceTimersByTime(100);
    });
    const outbound = openOutbound(async () => ['127.0.0.1', '127.0.0.1']);
    const named = `primary.test:${mute.split(':')[1]}`;
    expect(await refusal(named, { totalMs: 100, outbound })).toBe(told);
    expect(asked).toBe(2);
  });

  it.each([1, 100])('a byte now and then, after %i records at once', async (count) => {
    const waits = holdTime();
    let sent = 0;
    const dripping = await listen(async (socket, request) => {
      let before = waits();
      const first = Array.from({ length: count }, () => host(1));
      socket.write(message(request, { records: [soa(), ...first] }));
      for (const byte of message(request, { records: hosts(200) })) {
        while (waits() === before && !socket.closed) await turn();
        if (socket.closed) return;
        before = waits();
        vi.advanceTimersByTime(90);
        socket.write(Uint8Array.of(byte));
        sent++;
      }
    });
    const told = 'the server sent less than 1000 bytes a second';
    expect(await refusal(dripping, { timeoutMs: 100 })).toBe(told);
    expect(sent).toBeLessThan(8);
  });

  it('a port where nobody listens', async () => {
    const server = `127.0.0.1:${await freePort()}`;
    expect(await refusal(server)).toBe('the server refused the connection');
  });

  it('a host that does not resolve, or not in time', async () => {
    const unknown = Object.assign(new Error('no such host'), { code: 'ENOTFOUND' });
    const outbound = openOutbound(() => Promise.reject(unknown));
    expect(await refusal('nowhere.test:53', { outbound })).toBe(
      'the host does not resolve (ENOTFOUND)',
    );
    expect(await refusal('nowhere.test:53', { outbound: openOutbound(async () => []) })).toBe(
      'the host does not resolve (no address)',
    );
    const never = () => new Promise<readonly string[]>(() => {});
    expect(await refusal('nowhere.test:53', { outbound: openOutbound(never), timeoutMs: 50 })).toBe(
      'the host was not resolved within 0.05 s',
    );
    expect(await refusal('nowhere.test:53', { outbound: openOutbound(never), totalMs: 50 })).toBe(
      'the transfer took more than 0.05 s',
    );
  });

  it.each(['', ':53', 'host:0', 'host:65536', 'host:x'])('the address %j', async (server) => {
    await expect(fetched(server)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: `from_server: '${server}' is not host[:port]`,
    });
  });
});

describe('several addresses', () => {
  it('are tried in turn until one sends the SOA', async () => {
    const asked: string[] = [];
    const port = await freePort();
    for (const address of ['127.0.0.2', '127.0.0.3']) {
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.once('data', (chunk: Buffer) => {
          asked.push(address);
          const records = [soa(), ...hosts(2), soa()];
          const refuses = address === '127.0.0.2';
          socket.write(message(chunk.subarray(2), refuses ? { flags: 0x8005 } : { records }));
        });
      });
      server.listen(port, address);
      await once(server, 'listening');
      open.push({ server, sockets });
    }
    const here = (...addresses: string[]) => ({ outbound: openOutbound(async () => addresses) });
    const server = `primary.test:${port}`;
    const all = here('127.0.0.1', '127.0.0.2', '127.0.0.3');
    expect(await fetched(server, all)).toEqual(hostLines(2));
    expect(asked).toEqual(['127.0.0.2', '127.0.0.3']);
    expect(await refusal(server, here('127.0.0.1', '127.0.0.2'))).toBe(
      '127.0.0.1: the server refused the connection; ' +
        '127.0.0.2: the server refused the transfer (REFUSED)',
    );
  });

  it('are not tried again once the zone has begun', async () => {
    const server = await listen((socket, request) => {
      socket.end(message(request, { records: [soa(), host(1)] }));
    });
    const [, port] = server.split(':');
    const outbound = openOutbound(async () => ['127.0.0.1', '127.0.0.1']);
    expect(await refusal(`primary.test:${port}`, { outbound })).toBe(
      '127.0.0.1: the server closed the connection before the end of the zone',
    );
  });
});

describe('a taker of a zone', () => {
  it('that is slow slows the server down', async () => {
    let accepted = 0;
    const count = 1000;
    const server = await listen(async (socket, request) => {
      const rdata = Buffer.alloc(60_000);
      const big = message(request, { records: [wireRecord(`b.${zone}`, 'TYPE65280', rdata)] });
      socket.write(message(request, { records: [soa()] }));
      for (let index = 0; index < count; index++) {
        if (!socket.write(big)) await once(socket, 'drain');
        accepted = index;
      }
      socket.write(message(request, { records: [soa()] }));
    });
    let records = 0;
    holdTime();
    // Shorter than the rest of the taker: its own slowness is no silence of the server.
    for await (const part of fetchZone(options(server, { timeoutMs: 400 }))) {
      if (part.kind === 'soa') continue;
      if (records === 0) {
        // The server sends until nobody takes any more.
        for (let before = -1, still = 0; still < 100; before = accepted) {
          await turn();
          still = accepted === before ? still + 1 : 0;
        }
        vi.advanceTimersByTime(600);
        // What the kernel and one socket hold; 60 MB would have come otherwise.
        expect(accepted).toBeLessThan(count / 2);
      }
      records += part.records.length;
    }
    expect(records).toBe(count);
  });

  it('that stops closes the connection', async () => {
    const closed = Promise.withResolvers<void>();
    const server = await listen((socket, request) => {
      socket.on('close', () => closed.resolve());
      socket.write(message(request, { records: [soa(), host(1)] }));
    });
    for await (const part of fetchZone(options(server))) {
      expect(part.kind).toBe('soa');
      break;
    }
    await closed.promise;
  });

  it('can abort while it waits, and gets its reason', async () => {
    const closed = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const server = await listen((socket, request) => {
      socket.on('close', () => closed.resolve());
      socket.write(message(request, { records: [soa(), host(1)] }), () => asked.resolve());
    });
    const controller = new AbortController();
    const reason = new Error('the service stops');
    const fetching = fetched(server, { signal: controller.signal });
    const refused = expect(fetching).rejects.toBe(reason);
    await asked.promise;
    await turn();
    await turn();
    controller.abort(reason);
    await refused;
    await closed.promise;
    await expect(fetched(server, { signal: controller.signal })).rejects.toBe(reason);
  });
});

describe('a signed transfer (RFC 8945 5.3.1)', () => {
  /** A signer that marks the request by RD and says of each message what the test says. */
  function signerOf(verify: (count: number) => string | undefined, finish?: string) {
    const seen: Buffer[] = [];
    let made = 0;
    const signer = (): RequestSigner => {
      made++;
      return {
        sign: (request) => {
          const signed = Buffer.from(request);
          signed[2]! |= 1;
          return signed;
        },
        verify: (bytes) => verify(seen.push(Buffer.from(bytes))),
        finish: () => finish,
      };
    };
    return { seen, signer, made: () => made };
  }

  it('sends what was signed, and has every message verified in order', async () => {
    const sent: Buffer[] = [];
    const server = await listen((socket, request) => {
      expect(request[2]).toBe(1);
      for (const record of [soa(), host(0), soa()]) {
        sent.push(message(request, { records: [record] }));
      }
      socket.write(Buffer.concat(sent));
    });
    const { seen, signer } = signerOf(() => undefined);
    expect(await fetched(server, { signer })).toEqual(hostLines(1));
    expect(seen).toEqual(sent.map((framed) => framed.subarray(2)));
  });

  it('fails by a message that is not to be trusted, and gives nothing of it', async () => {
    const server = await sends({ records: [soa(), host(0)] }, { records: [host(1), soa()] });
    const { signer } = signerOf((count) => (count === 2 ? 'the MAC is wrong' : undefined));
    const kinds: string[] = [];
    const fetching = async () => {
      for await (const part of fetchZone(options(server, { signer }))) kinds.push(part.kind);
    };
    await expect(fetching()).rejects.toThrow(
      /: the server sent a bad signature: the MAC is wrong$/,
    );
    expect(kinds).toEqual(['soa', 'records']);
  });

  it('fails when the last message does not end it', async () => {
    const server = await sends({ records: [soa(), host(0), soa()] });
    const { signer } = signerOf(() => undefined, 'the last message is not signed');
    expect(await refusal(server, { signer })).toBe(
      'the server sent a bad signature: the last message is not signed',
    );
  });

  it('tells a refusal with what the signer makes of it', async () => {
    const server = await sends({ flags: 0x8009 });
    const { signer } = signerOf(() => 'the server does not know the key');
    expect(await refusal(server, { signer })).toBe(
      'the server refused the transfer (NOTAUTH; the server does not know the key)',
    );
  });

  it('has a signer of its own for every address', async () => {
    const server = await sends({ flags: 0x8005 });
    const [, port] = server.split(':');
    const { signer, made } = signerOf(() => undefined);
    const outbound = openOutbound(async () => ['127.0.0.1', '127.0.0.1']);
    await refusal(`primary.test:${port}`, { signer, outbound });
    expect(made()).toBe(2);
  });
});
