/**
 * Runs the real ExternalDNS controller against the adapter and a service, each a process of its own, and
 * says what came of it: records appear, a second run changes nothing, changes follow, sync deletes.
 *
 * Usage: node scripts/external-dns/main.ts [VERSION]   needs a Go toolchain, and a network the first time
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../spec/support/ports.ts';
import { type RunningService, startService } from '../../spec/support/service.ts';
import { type Binaries, buildController } from './build.ts';

const main = join(import.meta.dirname, '../../src/main.ts');
/** Of April 2026; builds with Go 1.26. */
const defaultVersion = 'v0.21.0';
const zone = 'example.com';
const manyEndpoints = 5000;

interface Endpoint {
  readonly dnsName: string;
  readonly recordType: string;
  readonly targets: readonly string[];
  readonly recordTTL?: number;
}

const wanted: readonly Endpoint[] = [
  { dnsName: `www.${zone}`, recordType: 'A', targets: ['192.0.2.2', '192.0.2.1'], recordTTL: 60 },
  { dnsName: `www.${zone}`, recordType: 'AAAA', targets: ['2001:DB8::1'] },
  { dnsName: `blog.${zone}`, recordType: 'CNAME', targets: [`www.${zone}`] },
  { dnsName: `*.apps.${zone}`, recordType: 'A', targets: ['192.0.2.3'] },
  { dnsName: 'www.elsewhere.example', recordType: 'A', targets: ['192.0.2.4'] },
];

const children: ChildProcess[] = [];

function background(command: string, args: readonly string[], env = {}): void {
  const options = { env: { ...process.env, ...env }, stdio: 'ignore' } as const;
  children.push(spawn(command, args, options));
}

async function untilOpen(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`nothing listens on port ${port}`);
}

function zonebook(service: RunningService, ...args: string[]): string {
  const all = [main, ...args, '--data-dir', service.dataDir, '-o', 'json'];
  const { status, stdout, stderr } = spawnSync(process.execPath, all, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`zonebook ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Everything that the tries below need, running. */
class Bench {
  readonly #service: RunningService;
  readonly #binaries: Binaries;
  readonly #webhookPort: number;
  readonly #sourcePort: number;

  private constructor(service: RunningService, binaries: Binaries, ports: readonly number[]) {
    this.#service = service;
    this.#binaries = binaries;
    [this.#webhookPort = 0, this.#sourcePort = 0] = ports;
  }

  static async open(binaries: Binaries): Promise<Bench> {
    const service = await startService({
      ZONEBOOK_API_EXTERNAL_DNS_ENABLED: 'true',
      ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true',
    });
    const soa = ['--mname', `ns1.${zone}`, '--rname', `hostmaster@${zone}`];
    zonebook(service, 'zone', 'create', zone, ...soa);
    zonebook(service, 'role', 'create', 'external-dns');
    const actions = 'record:read,record:create,record:delete';
    zonebook(service, 'role', 'grant', 'external-dns', '--zone', zone, '--actions', actions);
    const role = ['--role', 'external-dns'];
    const { secret } = JSON.parse(zonebook(service, 'token', 'create', 'controller', ...role));
    const bench = new Bench(service, binaries, [await freePort(), await freePort()]);
    writeFileSync(bench.#file, '[]');
    background(process.execPath, [main, 'external-dns'], {
      SVC_URL: `http://127.0.0.1:${service.apiPort}`,
      SVC_API_TOKEN: secret,
      SVC_EXTERNAL_DNS_LISTEN_ADDR: `127.0.0.1:${bench.#webhookPort}`,
      SVC_EXTERNAL_DNS_HEALTH_ADDR: `127.0.0.1:${await freePort()}`,
    });
    background(binaries.source, [`127.0.0.1:${bench.#sourcePort}`, bench.#file]);
    await untilOpen(bench.#webhookPort);
    await untilOpen(bench.#sourcePort);
    return bench;
  }

  get #file(): string {
    return join(this.#service.dataDir, 'endpoints.json');
  }

  /** One run of the controller; returns what the zone holds then. */
  async run(endpoints: readonly Endpoint[], metricsPort: number): Promise<Held> {
    writeFileSync(this.#file, JSON.stringify(endpoints));
    const { status, stderr } = spawnSync(
      this.#binaries.controller,
      [
        '--source=connector',
        `--connector-source-server=127.0.0.1:${this.#sourcePort}`,
        '--provider=webhook',
        `--webhook-provider-url=http://127.0.0.1:${this.#webhookPort}`,
        '--registry=txt',
        '--txt-owner-id=try',
        '--policy=sync',
        '--once',
        '--log-level=info',
        `--metrics-address=127.0.0.1:${metricsPort}`,
      ],
      { encoding: 'utf8', timeout: 120_000 },
    );
    if (status !== 0) throw new Error(`the controller ended with ${status}:\n${stderr}`);
    const list = JSON.parse(zonebook(this.#service, 'record', 'list', zone));
    const rows: { name: string; type: string; value: unknown; ttl: number }[] = list.items;
    const records = rows
      .filter(({ type }) => type !== 'NS')
      .map(({ name, type, value, ttl }) => `${name} ${ttl} ${type} ${value}`);
    const { serial } = JSON.parse(zonebook(this.#service, 'zone', 'get', zone)).zone;
    return { serial, records, total: list.pagination.total };
  }

  async close(): Promise<void> {
    for (const child of children) child.kill('SIGTERM');
    await this.#service[Symbol.asyncDispose]();
  }
}

interface Held {
  readonly serial: number;
  /** A page of them, without NS. */
  readonly records: readonly string[];
  /** Of all, the NS of the apex included. */
  readonly total: number;
}

function expect(isSo: boolean, what: string, held: Held): void {
  process.stdout.write(`${isSo ? 'ok    ' : 'FAILED'} ${what}: serial ${held.serial}\n`);
  if (!isSo) process.exitCode = 1;
}

const version = process.argv[2] ?? defaultVersion;
const binaries = buildController(version);
process.stdout.write(`external-dns ${version}, --source=connector --registry=txt --once\n`);
const bench = await Bench.open(binaries);
try {
  const port = await freePort();
  const made = await bench.run(wanted, port);
  for (const record of made.records) process.stdout.write(`       ${record}\n`);
  const names = made.records.map((record) => record.split(' ', 1)[0]!);
  const isOwned = ['a-www', 'aaaa-www', 'cname-blog'].every((name) =>
    names.includes(`${name}.${zone}.`),
  );
  expect(made.serial === 2 && isOwned && made.records.length === 9, 'records appear', made);
  const again = await bench.run(wanted, port);
  expect(again.serial === 2, 'a second run changes nothing', again);
  const moved = wanted.map((endpoint) =>
    endpoint.recordType === 'CNAME' ? { ...endpoint, targets: ['host.example.org'] } : endpoint,
  );
  const updated = await bench.run(moved, port);
  const isMoved = updated.records.includes(`blog.${zone}. 3600 CNAME host.example.org.`);
  expect(updated.serial === 3 && isMoved, 'a changed target follows', updated);
  const shrunk = await bench.run(moved.slice(0, 2), port);
  expect(shrunk.serial === 4 && shrunk.records.length === 5, 'what is gone is deleted', shrunk);
  const emptied = await bench.run([], port);
  expect(emptied.serial === 5 && emptied.records.length === 0, 'all of it', emptied);
  const many = Array.from({ length: manyEndpoints }, (_, index): Endpoint => {
    const target = `10.0.${index >> 8}.${index & 255}`;
    return { dnsName: `h${index}.${zone}`, recordType: 'A', targets: [target] };
  });
  const filled = await bench.run(many, port);
  const isFilled = filled.total === 2 * manyEndpoints + 1;
  expect(filled.serial === 6 && isFilled, `${manyEndpoints} endpoints in one sync`, filled);
  const still = await bench.run(many, port);
  expect(still.serial === 6, 'the same again', still);
} finally {
  await bench.close();
}
