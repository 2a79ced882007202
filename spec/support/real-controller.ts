/**
 * The real ExternalDNS controller, the adapter and a service, each a process of its own. Built once for a machine
 * (scripts/external-dns/build.ts) and put on PATH, where peers are looked for.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { buildController, programs } from '../../scripts/external-dns/build.ts';
import { patienceMs } from './patience.ts';
import { peer } from './peers.ts';
import { freePort } from './ports.ts';
import { endProcess } from './processes.ts';
import { program } from './program.ts';
import { callLocally, tokenOf } from './raw-http.ts';
import { type Reply, type RunningService, startService } from './service.ts';

/** An endpoint as the controller's sources find it. */
export interface SourceEndpoint {
  readonly dnsName: string;
  readonly recordType: string;
  readonly targets: readonly string[];
  readonly recordTTL?: number;
  readonly setIdentifier?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Puts the controller on PATH; returns why not, when it can not be built here. */
export async function findController(): Promise<string | undefined> {
  try {
    process.env.PATH = `${await buildController()}${delimiter}${process.env.PATH ?? ''}`;
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** How a run of the controller ended. */
export interface Run {
  readonly code: number | null;
  readonly output: string;
}

/** An endpoint that the adapter left out. */
export interface Problem {
  readonly call: string;
  readonly list: string | null;
  readonly name: string;
  readonly type: string;
  readonly reason: string;
}

export const needed = ['record:read', 'record:create', 'record:delete'];

export class ControllerBench {
  readonly service: RunningService;
  /** Where the health listener of the adapter is. */
  readonly probes: string;
  readonly #webhookPort: number;
  readonly #sourcePort: number;
  readonly #folder: string;
  readonly #children: ChildProcess[] = [];

  private constructor(service: RunningService, folder: string, ports: readonly number[]) {
    const [webhookPort = 0, sourcePort = 0, probesPort = 0] = ports;
    this.service = service;
    this.#folder = folder;
    this.#webhookPort = webhookPort;
    this.#sourcePort = sourcePort;
    this.probes = `http://127.0.0.1:${probesPort}`;
  }

  /** With these zones, and an adapter whose token has these grants; without any, tokens are not asked for. */
  static async open(
    zones: readonly string[],
    grants?: readonly object[],
  ): Promise<ControllerBench> {
    const service = await startService({
      ZONEBOOK_API_EXTERNAL_DNS_ENABLED: 'true',
      ZONEBOOK_API_AUTHENTICATION_REQUIRED: String(grants !== undefined),
    });
    const folder = mkdtempSync(join(tmpdir(), 'zonebook-controller-'));
    const ports = [await freePort(), await freePort(), await freePort()];
    const bench = new ControllerBench(service, folder, ports);
    for (const name of zones) {
      const soa = { mname: 'ns1.example.net', rname: 'h@example.net' };
      await bench.local('POST', '/zones', { name, ...soa });
    }
    const token = grants === undefined ? undefined : await tokenOf(service, 'controller', grants);
    bench.offer([]);
    bench.#background(program.file, [...program.args, 'external-dns'], {
      SVC_URL: `http://127.0.0.1:${service.apiPort}`,
      ...(token === undefined ? {} : { SVC_API_TOKEN: token }),
      SVC_EXTERNAL_DNS_LISTEN_ADDR: `127.0.0.1:${bench.#webhookPort}`,
      SVC_EXTERNAL_DNS_HEALTH_ADDR: `127.0.0.1:${ports[2]}`,
    });
    const source = [`127.0.0.1:${bench.#sourcePort}`, bench.#file];
    bench.#background(peer(programs.source)!, source);
    await untilOpen(bench.#webhookPort);
    await untilOpen(bench.#sourcePort);
    return bench;
  }

  /** A call over the socket of the service, with full rights; it must succeed. */
  local(method: string, path: string, body?: object): Promise<Reply['body']> {
    return callLocally(this.service, method, path, body);
  }

  get #file(): string {
    return join(this.#folder, 'endpoints.json');
  }

  /** What the connector source finds from now on; whole at every moment, since the source may be reading it. */
  offer(endpoints: readonly SourceEndpoint[]): void {
    const written = `${this.#file}.new`;
    writeFileSync(written, JSON.stringify(endpoints));
    renameSync(written, this.#file);
  }

  /** One sync of the controller, with these endpoints where its source is the connector. */
  async sync(endpoints: readonly SourceEndpoint[], ...flags: string[]): Promise<Run> {
    this.offer(endpoints);
    const source = [
      '--source=connector',
      `--connector-source-server=127.0.0.1:${this.#sourcePort}`,
    ];
    return this.run(...source, ...flags);
  }

  /** One run of the controller to its end. */
  async run(...flags: string[]): Promise<Run> {
    const owner = flags.some((flag) => flag.startsWith('--txt-owner-id'))
      ? []
      : ['--txt-owner-id=me'];
    const args = [
      '--provider=webhook',
      `--webhook-provider-url=http://127.0.0.1:${this.#webhookPort}`,
      '--registry=txt',
      '--policy=sync',
      '--once',
      '--log-level=info',
      `--metrics-address=127.0.0.1:${await freePort()}`,
      ...owner,
      ...flags,
    ];
    const child = spawn(peer(programs.controller)!, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    clearTimeout(timer);
    return { code, output };
  }

  /** What a zone holds besides NS, `NAME TYPE VALUE` sorted; ownership without its text. */
  async held(zone: string): Promise<readonly string[]> {
    const body = await this.local('GET', `/zones/${zone}/export`);
    const lines: string[] = [];
    for (const line of String(body).split('\n')) {
      const [, name, type, value = ''] = /^(\S+)\s+\d+\s+IN\s+(\S+)\s+(.*)$/.exec(line) ?? [];
      if (name === undefined || type === undefined || /^(?:SOA|NS)$/.test(type)) continue;
      lines.push(`${name} ${type}${value.includes('heritage') ? '' : ` ${value}`}`);
    }
    return lines.sort();
  }

  /** Process id of the adapter. */
  get adapterPid(): number {
    return this.#children[0]!.pid!;
  }

  async serial(zone: string): Promise<number> {
    return (await this.local('GET', `/zones/${zone}`)).zone.serial;
  }

  async problems(): Promise<readonly Problem[]> {
    const answer = await fetch(`${this.probes}/problems`);
    return ((await answer.json()) as { problems: Problem[] }).problems;
  }

  async close(): Promise<void> {
    for (const child of this.#children) await endProcess(child);
    await this.service[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #background(command: string, args: readonly string[], env = {}): void {
    const options = { env: { ...process.env, ...env }, stdio: 'ignore' } as const;
    this.#children.push(spawn(command, args, options));
  }
}

async function untilOpen(port: number): Promise<void> {
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; ) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing listens on port ${port}`);
}
