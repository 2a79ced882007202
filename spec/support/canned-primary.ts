/** A primary on loopback that hands out whatever records a test gives it by AXFR, valid or not. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { limits } from '../../src/base/limits.ts';
import { nameToWire, parseAbsoluteName } from '../../src/dns/name.ts';
import { FrameReader, frameMessage } from '../../src/dns/wire/framing.ts';

export interface CannedRecord {
  /** Absolute, as text. */
  readonly owner: string;
  readonly type: number;
  readonly ttl: number;
  readonly rdata: Buffer;
}

export class CannedPrimary {
  readonly #server: Server;
  readonly #zones = new Map<string, readonly CannedRecord[]>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<CannedPrimary> {
    const server = createServer();
    const primary = new CannedPrimary(server);
    server.on('connection', (socket) => {
      const reader = new FrameReader();
      socket.on('data', (chunk: Buffer) => {
        const answers = reader.push(chunk).flatMap((message) => primary.#answers(message));
        // What fits no message can not be sent: such a primary hangs up.
        if (answers.some((answer) => answer.length > limits.messageBytes)) socket.destroy();
        else for (const answer of answers) socket.write(frameMessage(answer));
      });
      socket.on('error', () => {});
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return primary;
  }

  get address(): string {
    const at = this.#server.address();
    return `127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}`;
  }

  /** The records of a zone, its SOA first. */
  hold(zone: string, records: readonly CannedRecord[]): void {
    this.#zones.set(nameToWire(parseAbsoluteName(zone)).toString('latin1'), records);
  }

  #answers(request: Buffer): Buffer[] {
    const end = request.indexOf(0, 12) + 1;
    const records = this.#zones.get(request.toString('latin1', 12, end));
    const question = request.subarray(12, end + 4);
    if (records === undefined) return [headed(request, 5, question, 0)];
    // One record a message, as a primary may send them.
    return [...records, records[0]!].map((record) =>
      Buffer.concat([headed(request, 0, question, 1), packed(record)]),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }
}

function headed(request: Buffer, rcode: number, question: Buffer, answers: number): Buffer {
  const header = Buffer.from(request.subarray(0, 12));
  header.writeUInt16BE(0x8400 | rcode, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, question]);
}

function packed({ owner, type, ttl, rdata }: CannedRecord): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttl >>> 0, 4);
  fixed.writeUInt16BE(rdata.length, 8);
  return Buffer.concat([nameToWire(parseAbsoluteName(owner)), fixed, rdata]);
}
