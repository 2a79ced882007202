/**
 * Kea's D2, the daemon that a DHCP server tells about its leases, and that turns what it is told into dynamic updates
 * (RFC 4703). Here the test is the DHCP server.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patienceMs } from './patience.ts';
import { peer } from './peers.ts';
import { freePort } from './ports.ts';
import { endProcess, removeFolder } from './processes.ts';
import type { PeerKey } from './secondaries.ts';

/** A lease that comes or goes. */
export interface Lease {
  readonly change: 'add' | 'remove';
  /** Absolute. */
  readonly fqdn: string;
  readonly address: string;
  /** The client, as the hexadecimal RDATA of a DHCID (RFC 4701 3). */
  readonly dhcid: string;
  /** False takes a name from whoever has it; true unless told. */
  readonly resolvesConflicts?: boolean;
}

export interface KeaTarget {
  readonly dnsPort: number;
  readonly key: PeerKey;
  readonly forwardZone: string;
  readonly reverseZone: string;
}

const leaseSeconds = 3600;

export class KeaD2 {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #port: number;
  readonly #socket: Socket = createSocket('udp4');
  #log = '';

  private constructor(folder: string, port: number, child: ChildProcess) {
    this.#folder = folder;
    this.#port = port;
    this.#child = child;
    const collect = (chunk: Buffer) => {
      this.#log += chunk.toString();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
  }

  /** Starts it for one forward and one reverse zone of a server. */
  static async start(target: KeaTarget): Promise<KeaD2> {
    const folder = mkdtempSync(join(tmpdir(), 'kea-'));
    const port = await freePort();
    const config = join(folder, 'kea.json');
    writeFileSync(config, JSON.stringify(configOf(target, port)));
    const child = spawn(peer('kea-dhcp-ddns')!, ['-d', '-c', config], {
      cwd: folder,
      // It writes process id and locks below /run else, where only root may.
      env: { KEA_PIDFILE_DIR: folder, KEA_LOCKFILE_DIR: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const kea = new KeaD2(folder, port, child);
    // What it says of its start comes before it listens: a lease told between the two would be lost.
    await kea.#waitFor(/DHCP_DDNS_QUEUE_MGR_STARTED/, 0);
    return kea;
  }

  /** Tells of a lease, and waits until D2 is done with it; returns whether all of it was done. */
  async tell(lease: Lease): Promise<boolean> {
    const from = this.#log.length;
    const body = Buffer.from(
      JSON.stringify({
        'change-type': lease.change === 'add' ? 0 : 1,
        'forward-change': true,
        'reverse-change': true,
        fqdn: lease.fqdn,
        'ip-address': lease.address,
        dhcid: lease.dhcid,
        'lease-expires-on': '20300101000000',
        'lease-length': leaseSeconds,
        'use-conflict-resolution': lease.resolvesConflicts ?? true,
      }),
    );
    const head = Buffer.alloc(2);
    head.writeUInt16BE(body.length);
    this.#socket.send(Buffer.concat([head, body]), this.#port, '127.0.0.1');
    const verb = lease.change.toUpperCase();
    const outcome = new RegExp(`DHCP_DDNS_${verb}_(SUCCEEDED|FAILED)`);
    return (await this.#waitFor(outcome, from))[1] === 'SUCCEEDED';
  }

  async #waitFor(pattern: RegExp, from: number): Promise<RegExpExecArray> {
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; ) {
      const found = pattern.exec(this.#log.slice(from));
      if (found !== null) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`D2 did not say ${pattern}:\n${this.#log}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    await endProcess(this.#child);
    removeFolder(this.#folder);
  }
}

function configOf({ dnsPort, key, forwardZone, reverseZone }: KeaTarget, port: number): object {
  const domainOf = (zone: string) => ({
    'ddns-domains': [
      {
        name: `${zone}.`,
        'key-name': key.name,
        'dns-servers': [{ 'ip-address': '127.0.0.1', port: dnsPort }],
      },
    ],
  });
  return {
    DhcpDdns: {
      'ip-address': '127.0.0.1',
      port,
      'dns-server-timeout': 60_000,
      'ncr-protocol': 'UDP',
      'ncr-format': 'JSON',
      'tsig-keys': [{ name: key.name, algorithm: key.algorithm.toUpperCase(), secret: key.secret }],
      'forward-ddns': domainOf(forwardZone),
      'reverse-ddns': domainOf(reverseZone),
      loggers: [
        {
          name: 'kea-dhcp-ddns',
          output_options: [{ output: 'stdout' }],
          severity: 'INFO',
        },
      ],
    },
  };
}
