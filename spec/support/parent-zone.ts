/**
 * A parent zone in a real named, signed by it, whose delegations the test tends: the DS of a child come
 * and go by dynamic update, as its CDS say (RFC 7344, RFC 8078) or as the test likes.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { patienceMs } from './patience.ts';
import { peer } from './peers.ts';
import { freePort } from './ports.ts';
import { PeerProcess, peerFolder } from './signed-peers.ts';
import { sendUpdate } from './updaters.ts';

export const parentName = 'parent.test';

interface ParentOptions {
  /** Of all that it serves but DS, and of what it does not have. */
  readonly ttlSeconds?: number;
}

export class ParentZone {
  readonly port: number;
  /** Of the DS that it serves. */
  readonly dsTtlSeconds: number;
  readonly #named: PeerProcess;

  private constructor(port: number, dsTtlSeconds: number, named: PeerProcess) {
    this.port = port;
    this.dsTtlSeconds = dsTtlSeconds;
    this.#named = named;
  }

  /** Starts it with insecure delegations of these labels. */
  static async start(
    children: readonly string[],
    dsTtlSeconds: number,
    { ttlSeconds = 5 }: ParentOptions = {},
  ): Promise<ParentZone> {
    const folder = peerFolder('parent');
    const port = await freePort();
    const delegations = children.map(
      (label) => `${label} NS ns1.${label}\nns1.${label} A 127.0.0.1`,
    );
    writeFileSync(
      join(folder, 'parent.db'),
      [
        `$TTL ${ttlSeconds}`,
        `@ SOA ns1 root 1 60 60 3600 ${ttlSeconds}`,
        '@ NS ns1',
        'ns1 A 127.0.0.1',
        ...delegations,
        '',
      ].join('\n'),
    );
    writeFileSync(
      join(folder, 'named.conf'),
      `options {
        directory "${folder}"; key-directory "${folder}"; pid-file none; session-keyfile none;
        listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
        recursion no; notify no; dnssec-validation no; minimal-responses yes;
      };
      controls { };
      // Signatures outlive what a test does to the clocks of others.
      dnssec-policy lasting {
        keys { csk lifetime unlimited algorithm ecdsap256sha256; };
        signatures-validity P3650D; signatures-validity-dnskey P3650D; signatures-refresh P30D;
      };
      zone "${parentName}" {
        type primary; file "parent.db"; dnssec-policy lasting; allow-update { 127.0.0.1; };
      };`,
    );
    const args = ['-g', '-n', '1', '-c', 'named.conf'];
    const named = new PeerProcess('named', args, folder, port);
    await named.waitFor(parentName);
    const parent = new ParentZone(port, dsTtlSeconds, named);
    await parent.anchor();
    return parent;
  }

  /** Its key, as what a resolver trusts; waits until it is signed. */
  async anchor(): Promise<string> {
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; ) {
      const [key] = await ask(this.port, parentName, 'DNSKEY');
      const signed = await ask(this.port, parentName, 'SOA', '+dnssec');
      if (key !== undefined && signed.length > 1) return `${parentName}. DNSKEY ${key}`;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error('the parent does not sign its zone');
  }

  /** Serves exactly these DS of a child, each in presentation form. */
  async setDs(
    child: string,
    ds: readonly string[],
    ttlSeconds: number = this.dsTtlSeconds,
  ): Promise<void> {
    const adds = ds.map((each) => `update add ${child} ${ttlSeconds} DS ${each}`);
    const commands = [`update delete ${child} DS`, ...adds];
    const target = { port: this.port, zone: parentName };
    const status = await sendUpdate('nsupdate', target, ...commands);
    if (status !== 'NOERROR') throw new Error(`the parent answered the update with ${status}`);
  }

  /** What a child wishes of its parent. */
  cdsOf(child: string, childPort: number): Promise<string[]> {
    return ask(childPort, child, 'CDS');
  }

  /** Reads the CDS of a child at its server and does what they say; returns them. */
  async followCds(child: string, childPort: number): Promise<string[]> {
    const cds = await this.cdsOf(child, childPort);
    if (cds.length > 0) await this.setDs(child, cds.join() === '0 0 0 00' ? [] : cds);
    return cds;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#named[Symbol.asyncDispose]();
  }
}

/** The data of an answer, sorted. */
async function ask(port: number, name: string, type: string, ...more: string[]): Promise<string[]> {
  const server = ['@127.0.0.1', '-p', String(port)];
  const options = ['+short', '+nosplit', '+norecurse', '+tries=2', '+time=15'];
  const args = [...server, ...options, ...more, name, type];
  const { stdout } = await promisify(execFile)(peer('dig')!, args);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}
