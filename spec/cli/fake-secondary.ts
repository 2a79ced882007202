/** A secondary that serves the serials it is told to, over UDP and TCP, and takes NOTIFY or does not. */
import { createSocket, type Socket } from 'node:dgram';
import { createServer, type Server } from 'node:net';
import { parseAbsoluteName, printAbsoluteName } from '../../src/dns/name.ts';
import { decodeMessage } from '../../src/dns/wire/decode.ts';
import { opcode } from '../../src/dns/wire/header.ts';
import { freePort } from '../support/ports.ts';
import { soaAnswer } from '../support/soa-answer.ts';

export class FakeSecondary {
  readonly port: number;
  /** By zone; one that is not here is refused. */
  readonly serials = new Map<string, number>();
  takesNotify = true;
  /** Zones that it has, and shows to nobody. */
  readonly hidden = new Set<string>();
  /** Told of each question for a zone after it was answered. */
  afterAnswer: (zone: string) => void = () => {};
  readonly #udp: Socket;
  readonly #tcp: Server;

  private constructor(port: number) {
    this.port = port;
    this.#udp = createSocket('udp4');
    this.#udp.on('message', (request, from) => {
      this.#udp.send(this.#answer(request), from.port, from.address);
    });
    this.#tcp = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (framed: Buffer) => {
        const answer = this.#answer(framed.subarray(2));
        socket.end(Buffer.concat([Buffer.from([answer.length >> 8, answer.length & 255]), answer]));
      });
    });
  }

  static async start(port?: number): Promise<FakeSecondary> {
    const secondary = new FakeSecondary(port ?? (await freePort()));
    await new Promise<void>((resolve) => {
      secondary.#udp.bind(secondary.port, '127.0.0.1', resolve);
    });
    await new Promise<void>((resolve) => {
      secondary.#tcp.listen(secondary.port, '127.0.0.1', resolve);
    });
    return secondary;
  }

  close(): void {
    this.#udp.close();
    this.#tcp.close();
  }

  #answer(request: Buffer): Buffer {
    const message = decodeMessage(request);
    const asked = message.questions[0]!.name;
    const known = [...this.serials].find(([zone]) => parseAbsoluteName(zone) === asked)?.[1];
    const name = printAbsoluteName(asked).slice(0, -1);
    const isNotify = message.opcode === opcode.NOTIFY;
    const isRefused = isNotify ? !this.takesNotify : this.hidden.has(name);
    const answer = soaAnswer(request, isRefused ? undefined : known);
    if (!isNotify) this.afterAnswer(name);
    return answer;
  }
}
