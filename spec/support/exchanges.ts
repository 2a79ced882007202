/**
 * Single exchanges with a DNS server on loopback, bytes in and bytes out: for messages that no
 * well-meaning client library would send.
 */
import { createSocket } from 'node:dgram';
import { on, once } from 'node:events';
import { expect } from 'vitest';
import { requestMessage } from './dns-messages.ts';
import { TcpClient } from './memory-server.ts';
import { patienceMs } from './patience.ts';

/** The answer to one datagram, or undefined when none came within `timeoutMs`. */
export async function answerByUdp(
  port: number,
  request: Buffer,
  timeoutMs: number,
): Promise<Buffer | undefined> {
  const socket = createSocket('udp4');
  try {
    socket.send(request, port, '127.0.0.1');
    const signal = AbortSignal.timeout(timeoutMs);
    // What comes late, for a socket that had this port before, is another's.
    for await (const [answer, from] of on(socket, 'message', { signal })) {
      if (from.port === port && isAnswerTo(answer, request)) return answer;
    }
    return undefined;
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return undefined;
    throw error;
  } finally {
    socket.close();
  }
}

/** By its id; what is too short for one has no answer to be told from others. */
function isAnswerTo(answer: Buffer, request: Buffer): boolean {
  return answer.subarray(0, 2).equals(request.subarray(0, 2));
}

/** The answer to one datagram; throws when there is none. */
export async function askByUdp(port: number, request: Buffer): Promise<Buffer> {
  const answer = await answerByUdp(port, request, patienceMs);
  if (answer === undefined) throw new Error('no answer came');
  return answer;
}

/**
 * That these datagrams get no answer. A question is sent after them from the same socket, and what a
 * server answers first is the answer to that.
 */
export async function expectDropped(port: number, ...requests: Buffer[]): Promise<void> {
  const socket = createSocket('udp4');
  try {
    const last = requestMessage({ id: 0xbeef, name: 'example.com', type: 'SOA' });
    for (const request of [...requests, last]) {
      await new Promise((sent) => socket.send(request, port, '127.0.0.1', sent));
    }
    const signal = AbortSignal.timeout(patienceMs);
    const [answer] = (await once(socket, 'message', { signal })) as [Buffer];
    expect(answer.readUInt16BE(0)).toBe(0xbeef);
    expect(answer[2]! & 0x80).toBe(0x80);
  } finally {
    socket.close();
  }
}

/** The first message of the answer to a request on a TCP connection of its own. */
export async function askByTcp(port: number, request: Buffer): Promise<Buffer> {
  const client = await TcpClient.open(port);
  try {
    client.send(request);
    await client.until(({ length }) => length > 0);
    return client.messages[0]!;
  } finally {
    client.end();
  }
}
