/**
 * A small secondary that keeps what it is told by NOTIFY, and what it is asked, in the order of arrival.
 *
 * What one sender sends to one socket of loopback arrives in that order. So something did not come when
 * something that was caused later has come.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { vi } from 'vitest';
import { printAbsoluteName } from '../../src/dns/name.ts';
import { decodeMessage } from '../../src/dns/wire/decode.ts';
import { opcode } from '../../src/dns/wire/header.ts';
import { patienceMs } from './patience.ts';

export interface ReceivedMessage {
  readonly bytes: Buffer;
  readonly opcode: number;
  /** Without the dot at its end. */
  readonly zone: string;
  /** Of the SOA that a NOTIFY carries. */
  readonly serial: number | undefined;
}

/** The answer to a request; undefined keeps silent. */
export type Answerer = (request: Buffer) => Buffer | undefined;

/** The request itself as an answer with an RCODE. */
export function answered(request: Buffer, rcode: number): Buffer {
  const answer = Buffer.from(request);
  answer[2]! |= 0x80;
  answer[3] = rcode;
  return answer;
}

export class NotifiedSecondary implements AsyncDisposable {
  readonly received: ReceivedMessage[] = [];
  /** Tests may change it; NOERROR to everything at first. */
  answer: Answerer = (request) => answered(request, 0);
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (bytes, from) => {
      const message = decodeMessage(bytes);
      const rdata = message.answers[0]?.rdata;
      this.received.push({
        bytes,
        opcode: message.opcode,
        zone: printAbsoluteName(message.questions[0]!.name).slice(0, -1),
        serial: rdata?.readUInt32BE(rdata.length - 20),
      });
      const answer = this.answer(bytes);
      if (answer !== undefined) socket.send(answer, from.port, from.address);
    });
  }

  static async listen(): Promise<NotifiedSecondary> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new NotifiedSecondary(socket);
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  /** What it was told, without what it was asked: the service asks now and then how far it has come. */
  get notifies(): ReceivedMessage[] {
    return this.received.filter((message) => message.opcode === opcode.NOTIFY);
  }

  /** Serials that it was told of a zone, in order. */
  serials(zone: string): number[] {
    const told = this.notifies.filter((message) => message.zone === zone);
    return told.map(({ serial }) => serial!);
  }

  /** Waits until it was told of a serial of a zone. */
  async until(zone: string, serial: number): Promise<void> {
    await vi.waitUntil(() => this.serials(zone).includes(serial), {
      timeout: patienceMs,
      interval: 5,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }
}
