import { createSocket, Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { destinationOf } from '../../spec/support/destination.ts';
import { readAnswer } from '../../spec/support/dns-messages.ts';
import { makeZone } from '../../spec/support/memory-zones.ts';
import { parseAbsoluteName } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import { decodeMessage } from '../dns/wire/decode.ts';
import { soaRdata } from '../domain/zone.ts';
import { createNotifySender, type NotifySender, notifyMessage } from './notify.ts';
import { isPassing } from './sockets.ts';

const zone = makeZone('example.com', { serial: 42 });
const notice = {
  apex: parseAbsoluteName('example.com'),
  soa: { ttl: 3600, rdata: soaRdata(zone) },
};

const open: (Socket | NotifySender)[] = [];
// The patience of a sender ends when the test says so, however slow the host is.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  for (const one of open.splice(0)) one.close();
  vi.useRealTimers();
});

const patienceMs = 40;

/** Sends these answers, if any, and lets the patience of who waits for a better one end. */
function inVain(...answers: Buffer[]): Buffer[] {
  setImmediate(() => setImmediate(() => vi.advanceTimersByTime(patienceMs)));
  return answers;
}

/** A secondary that answers each message as told; undefined keeps it silent. */
async function listen(respond: (request: Buffer, count: number) => Buffer[]) {
  const socket = createSocket('udp4');
  const received: Buffer[] = [];
  socket.on('message', (request, from) => {
    received.push(request);
    for (const answer of respond(request, received.length))
      socket.send(answer, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  open.push(socket);
  const target = { destination: destinationOf('127.0.0.1', socket.address().port) };
  return { socket, received, target };
}

/** Lets all patience end, and sees that it was sent no more: the next message is one of another sender. */
async function expectOneMessage({ socket, received }: Awaited<ReturnType<typeof listen>>) {
  expect(received).toHaveLength(1);
  vi.advanceTimersByTime(10 * patienceMs);
  const other = createSocket('udp4');
  open.push(other);
  const arrived = once(socket, 'message');
  other.send('next', socket.address().port, '127.0.0.1');
  await arrived;
  expect(received.slice(1)).toEqual([Buffer.from('next')]);
}

function sender(retries = 3): NotifySender {
  const patience = { retries, timeoutMs: patienceMs };
  const made = createNotifySender({ ...patience, listenAddress: '127.0.0.1' });
  open.push(made);
  return made;
}

/** The answer of RFC 1996 4.7 with an RCODE. */
function acknowledge(request: Buffer, rcode = 0): Buffer {
  const answer = Buffer.from(request);
  answer[2]! |= 0x80;
  answer[3] = rcode;
  return answer;
}

describe('NOTIFY to a secondary (RFC 1996, case 56)', () => {
  it('asks for the SOA of the zone with AA, the SOA as answer', () => {
    const bytes = notifyMessage(7, notice);
    const message = decodeMessage(bytes);
    expect(message).toMatchObject({ id: 7, opcode: 4, response: false, authoritative: true });
    expect(message.recursionDesired).toBe(false);
    expect(message.questions).toEqual([{ name: notice.apex, type: rrtype.SOA, class: 1 }]);
    expect(readAnswer(bytes)).toMatchObject({ opcode: 'NOTIFY', aa: true, authorities: [] });
    expect(readAnswer(bytes).answers[0]).toContain('"serial":42');
  });

  it('carries EDNS when it is signed, so that the signed answer has room', () => {
    expect(decodeMessage(notifyMessage(7, notice)).edns).toBeUndefined();
    const { edns, answers } = decodeMessage(notifyMessage(7, notice, true));
    expect(edns).toEqual({ udpPayload: 1232, version: 0, dnssecOk: false, options: [] });
    expect(answers).toHaveLength(1);
  });

  it('ends with the answer, and is sent once when it is answered', async () => {
    const secondary = await listen((request) => [acknowledge(request)]);
    await sender().send(notice, secondary.target);
    await expectOneMessage(secondary);
  });

  it('is sent again, the same, until it is answered', async () => {
    const { received, target } = await listen((request, count) =>
      count < 3 ? inVain() : [acknowledge(request)],
    );
    await sender().send(notice, target);
    expect(received).toHaveLength(3);
    expect(received[2]).toEqual(received[0]);
  });

  it('is given up after the retries', async () => {
    const { received, target } = await listen(() => inVain());
    const outcome = sender(2).send(notice, target);
    await expect(outcome).rejects.toThrow(`127.0.0.1:${target.destination.port} did not answer`);
    expect(received).toHaveLength(3);
  });

  it('fails without a retry on any other RCODE', async () => {
    const secondary = await listen((request) => [acknowledge(request, 5)]);
    await expect(sender().send(notice, secondary.target)).rejects.toThrow('answered REFUSED');
    await expectOneMessage(secondary);
  });

  it('takes no answer of another id, opcode or kind', async () => {
    const { received, target } = await listen((request) => {
      const otherId = acknowledge(request);
      otherId[0]! ^= 0xff;
      const query = acknowledge(request);
      query[2] = 0x80;
      return inVain(otherId, query, Buffer.from(request), Buffer.alloc(3));
    });
    await expect(sender(1).send(notice, target)).rejects.toThrow('did not answer');
    expect(received).toHaveLength(2);
  });

  it('takes no answer from elsewhere', async () => {
    const other = createSocket('udp4');
    open.push(other);
    const socket = createSocket('udp4');
    open.push(socket);
    socket.on('message', (request, from) => {
      other.send(acknowledge(request), from.port, from.address);
      inVain();
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const target = { destination: destinationOf('127.0.0.1', socket.address().port) };
    await expect(sender(0).send(notice, target)).rejects.toThrow('did not answer');
  });

  it('leaves from a fresh port each', async () => {
    const ports: number[] = [];
    const socket = createSocket('udp4');
    open.push(socket);
    socket.on('message', (request, from) => {
      ports.push(from.port);
      socket.send(acknowledge(request), from.port, from.address);
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const target = { destination: destinationOf('127.0.0.1', socket.address().port) };
    const one = sender();
    await Promise.all(Array.from({ length: 200 }, () => one.send(notice, target)));
    expect(new Set(ports).size).toBe(200);
    // One after the other they would come by the same port as well, if it were not drawn each time.
    for (let count = 0; count < 20; count++) await one.send(notice, target);
    const steps = ports.slice(200).map((port, at, all) => port - (all[at - 1] ?? 0));
    expect(new Set(ports.slice(200)).size).toBeGreaterThan(15);
    expect(new Set(steps.slice(1)).size).toBeGreaterThan(10);
  });

  it('can be given up', async () => {
    const abort = new AbortController();
    const secondary = await listen(() => {
      abort.abort(new Error('replaced'));
      return [];
    });
    const outcome = sender().send(notice, secondary.target, abort.signal);
    await expect(outcome).rejects.toThrow('replaced');
    await expectOneMessage(secondary);
  });

  it('fails where an answer makes its reader fail', async () => {
    const { received, target } = await listen((request) => [acknowledge(request)]);
    const verify = () => Buffer.alloc(0).readUInt8(0) as never;
    const signer = () => ({ sign: (message: Buffer) => message, verify });
    await expect(sender().send(notice, { ...target, signer })).rejects.toThrow(
      /^127\.0\.0\.1:\d+ answered what can not be read: /,
    );
    expect(received).toHaveLength(1);
  });

  it('says whether the network fails, or the server', async () => {
    const code = 'ENETUNREACH';
    const failing = (...given: unknown[]) => {
      const done = given.at(-1) as (error: Error) => void;
      done(Object.assign(new Error(`connect ${code}`), { code }));
    };
    const connecting = vi.spyOn(Socket.prototype, 'connect').mockImplementation(failing);
    onTestFinished(() => connecting.mockRestore());
    const { target } = await listen((request) => [acknowledge(request, 5)]);
    const failure = () =>
      sender()
        .send(notice, target)
        .catch((error: unknown) => error);
    const unreachable = await failure();
    expect(String(unreachable)).toMatch(/can not be reached: connect ENETUNREACH$/);
    expect(isPassing(unreachable)).toBe(true);
    connecting.mockRestore();
    expect(isPassing(await failure())).toBe(false);
  });

  it('is signed by the signer, who also judges the answers', async () => {
    let answers = 0;
    const { received, target } = await listen((request, count) => [acknowledge(request, count)]);
    const distrusts = () => {
      inVain();
      return 'BADSIG';
    };
    const signer = () => ({
      sign: (message: Buffer) => Buffer.concat([message, Buffer.from('MAC')]),
      verify: () => (++answers < 2 ? distrusts() : undefined),
    });
    const outcome = sender().send(notice, { ...target, signer });
    await expect(outcome).rejects.toThrow('answered SERVFAIL');
    expect(received[0]!.subarray(-3).toString()).toBe('MAC');
    const never = () => ({ ...signer(), verify: distrusts });
    await expect(sender(0).send(notice, { ...target, signer: never })).rejects.toThrow(
      'an answer was ignored: BADSIG',
    );
  });

  it('ends with the sender', async () => {
    const one = sender();
    const { target } = await listen(() => {
      one.close();
      return [];
    });
    await expect(one.send(notice, target)).rejects.toThrow('closed');
    await expect(one.send(notice, target)).rejects.toThrow('closed');
    open.splice(open.indexOf(one), 1);
  });
});
