/**
 * A nameserver over zones in memory, and a TCP client that shows every message as it came.
 */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import type { Secondary } from '../../src/domain/secondary.ts';
import { FrameReader, frameMessage } from '../../src/dns/wire/framing.ts';
import {
  createNameserver,
  type NameserverOptions,
  type NameserverServices,
} from '../../src/nameserver/nameserver.ts';
import type { TransferEntry } from '../../src/projection/activity-log.ts';
import { silentLog } from '../../src/telemetry/log.ts';
import type { MemoryHistory } from './memory-history.ts';
import { memoryNodes } from './memory-zones.ts';
import { patienceMs } from './patience.ts';

export interface MemoryServer {
  readonly port: number;
  readonly counted: string[];
  readonly recorded: TransferEntry[];
  readonly logged: string[];
  readonly secondaries: Secondary[];
  stop(): Promise<void>;
}

/** Starts one at 127.0.0.1, whose only secondary is 127.0.0.1. */
export async function startMemoryServer(
  zones: readonly MemoryHistory[],
  options: Partial<NameserverOptions> = {},
  services: Partial<NameserverServices> = {},
): Promise<MemoryServer> {
  const counted: string[] = [];
  const recorded: TransferEntry[] = [];
  const logged: string[] = [];
  const secondaries: Secondary[] = [
    {
      id: 1,
      name: 'ns2',
      address: '127.0.0.1:53',
      enabled: true,
      notifyKeyName: null,
      createdAt: 0,
    },
  ];
  const nameserver = createNameserver(
    {
      nodes: memoryNodes(zones),
      secondaries: { enabled: () => secondaries.filter(({ enabled }) => enabled) },
      snapshots: {
        open: () => {
          const opened = zones.map((zone) => zone.snapshot());
          const found = new Map<number, number>();
          return {
            findZone: (name) => {
              const index = opened.findIndex((one) => one.findZone(name) !== undefined);
              const zone = opened[index]?.findZone(name);
              if (zone !== undefined) found.set(zone.id, index);
              return zone;
            },
            blocks: (id) => opened[found.get(id)!]!.blocks(id),
            differences: (zone, from) => opened[found.get(zone.id)!]!.differences(zone, from),
            parts: (step) => opened[0]!.parts(step),
            close: () => {
              for (const one of opened) one.close();
            },
          };
        },
      },
      transferLog: { record: (entry) => recorded.push(entry) },
      metrics: {
        transfers: { inc: (...labels) => counted.push(`xfr ${labels.join(' ')}`) },
        soaQueries: { inc: (result) => counted.push(`soa ${result}`) },
        dnsQueries: { inc: (rcode) => counted.push(rcode) },
      },
      log: {
        ...silentLog(),
        warn: (event) => logged.push(event),
        error: (event) => logged.push(event),
      },
      clock: () => 1000,
      ...services,
    },
    {
      listenAddr: '127.0.0.1',
      listenPort: 0,
      answerQueries: true,
      ixfrCondense: true,
      tcpMaxConnections: 128,
      tcpQueriesInWork: 16,
      tcpIdleTimeoutSecs: 30,
      spoolFolder: tmpdir(),
      ...options,
    },
  );
  const { tcp } = await nameserver.start();
  return { port: tcp, counted, recorded, logged, secondaries, stop: () => nameserver.stop() };
}

/** A TCP client of a DNS server. */
export class TcpClient {
  readonly socket: Socket;
  readonly messages: Buffer[] = [];
  closed = false;
  readonly #frames = new FrameReader();

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1' });
    this.socket.on('data', (chunk) => this.messages.push(...this.#frames.push(chunk as Buffer)));
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.closed = true;
    });
  }

  static async open(port: number): Promise<TcpClient> {
    const client = new TcpClient(port);
    await once(client.socket, 'connect');
    return client;
  }

  send(...requests: Buffer[]): void {
    this.socket.write(Buffer.concat(requests.map(frameMessage)));
  }

  /** Waits until the messages satisfy a condition. */
  async until(
    condition: (messages: readonly Buffer[]) => boolean,
    timeoutMs = patienceMs,
  ): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!condition(this.messages)) {
      if (performance.now() > deadline)
        throw new Error(`only ${this.messages.length} messages came`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async untilClosed(timeoutMs = patienceMs): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!this.closed) {
      if (performance.now() > deadline) throw new Error('the connection is still open');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  end(): void {
    this.socket.destroy();
  }
}
