/**
 * Rows about TSIG-signed dynamic updates by `dnsperf -u`, each one an add of a record of the mix, beside named and
 * knotd in the same run. The servers take turns, so that what else the machine does falls on all of
 * them; the middle of the rounds counts.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { peer } from '../../spec/support/peers.ts';
import type { PeerKey } from '../../spec/support/secondaries.ts';
import type { RunningService } from '../../spec/support/service.ts';
import type { Bench, Row } from './bench.ts';
import { cpuBetween, cpuTimeOf } from './cpu.ts';
import { masterLine, mixFor } from './mix.ts';
import { type PrimaryKind, startPrimary } from './update-peers.ts';

const rounds = 3;
/** More than any server applies in one run. */
const updatesPerRun = 100_000;
/** Seconds of a run for each of so many records that the benchmark was asked for. */
const recordsPerSecond = 200_000;
const maxSeconds = 5;

interface Run {
  readonly perSecond: number;
  readonly lost: number;
  readonly rcodes: string;
  /** Milliseconds of processor time, where it is this service that answered. */
  readonly mainMs: number;
  readonly allMs: number;
  readonly count: number;
}

/** With `signed`, the zone is signed with NSEC3 by every server. */
async function benchUpdates(bench: Bench, outstanding: number, signed: boolean): Promise<void> {
  const dnsperf = peer('dnsperf');
  if (dnsperf === undefined) throw new Error('needs dnsperf, which is not installed');
  const zone = 'updates.example';
  await using bare = await bench.service();
  const service = bare.running;
  const key = await prepare(service, zone, signed);
  await using stack = new AsyncDisposableStack();
  const ports = new Map<string, number>([['zonebook', service.dnsPort]]);
  for (const kind of ['named', 'knotd'] as const satisfies PrimaryKind[]) {
    if (peer(kind) === undefined) continue;
    if (signed && kind === 'named') continue;
    ports.set(kind, stack.use(await startPrimary(kind, zone, key, signed)).port);
  }
  const seconds = Math.min(maxSeconds, Math.max(1, bench.options.records / recordsPerSecond));
  const runs = new Map<string, Run[]>([...ports.keys()].map((who) => [who, []]));
  for (let round = 0; round < rounds; round++) {
    const file = updateFile(zone, round * updatesPerRun, bench.options.seed);
    for (const [who, port] of ports) {
      const before = cpuTimeOf(service.pid);
      const seen = run(dnsperf, port, file, { outstanding, seconds, key });
      const { mainMs, allMs } = cpuBetween(before, cpuTimeOf(service.pid));
      runs.get(who)!.push({ ...seen, mainMs, allMs });
    }
    rmSync(file);
  }
  const middles = [...runs].map(([who, all]) => ({ who, ...middle(all) }));
  const best = Math.max(...middles.slice(1).map(({ perSecond }) => perSecond));
  for (const { who, perSecond, lost, rcodes, mainMs, allMs, count } of middles) {
    const isOurs = who === 'zonebook';
    const ratio = isOurs && best > 0 ? `${(perSecond / best).toFixed(2)} x the better peer, ` : '';
    const remark = `${ratio}${rcodes}, lost ${lost}`;
    const cpu = { mainUs: (mainMs * 1000) / count, allUs: (allMs * 1000) / count };
    bench.note(`updates, ${who}`, perSecond, '/s', { remark, ...(isOurs && count > 0 && cpu) });
  }
}

export const updateRows: readonly Row[] = [false, true].flatMap((signed) =>
  [20, 400].map((outstanding) => ({
    name: `${signed ? 'nsec3-' : ''}updates-${outstanding}`,
    what: `TSIG updates${signed ? ' into an NSEC3 zone' : ''}, ${outstanding} outstanding, beside named and knotd`,
    run: (bench: Bench) => benchUpdates(bench, outstanding, signed),
  })),
);

/** The zone, and a key whose role may add and delete in it. */
async function prepare(service: RunningService, zone: string, signed: boolean): Promise<PeerKey> {
  const soa = { mname: `ns1.${zone}`, rname: `hostmaster@${zone}` };
  await service.must('POST', '/zones', { name: zone, ...soa });
  if (signed) {
    await service.must('POST', `/zones/${zone}/dnssec`, { parent_ns_addrs: ['127.0.0.1:9'] });
  }
  const role = 'updaters';
  await service.must('POST', '/roles', { name: role });
  const actions = ['record:create', 'record:delete'];
  await service.must('POST', `/roles/${role}/grants`, { actions, zone_name: zone });
  const name = 'updater';
  const body = { name, role_name: role };
  const { secret } = await service.must('POST', '/tsig-keys', body);
  return { name, algorithm: 'hmac-sha256', secret };
}

/** A file of updates in the form of dnsperf; their names were not used before. */
function updateFile(zone: string, first: number, seed: number): string {
  const file = join(tmpdir(), `updates-${process.pid}-${first}.txt`);
  const record = mixFor(zone, seed);
  const updates = Array.from({ length: updatesPerRun }, (_, index) => {
    return `${zone}\nadd ${masterLine(record(first + index)).replace(' IN ', ' ')}\nsend\n`;
  });
  writeFileSync(file, updates.join(''));
  return file;
}

interface RunOptions {
  readonly outstanding: number;
  readonly seconds: number;
  readonly key: PeerKey;
}

function run(dnsperf: string, port: number, file: string, options: RunOptions) {
  const { algorithm, name, secret } = options.key;
  const where = ['-s', '127.0.0.1', '-p', String(port), '-u', '-d', file];
  const many = String(options.outstanding);
  const how = ['-l', String(Math.ceil(options.seconds)), '-n', '1', '-c', '4', '-q', many];
  const signed = ['-y', `${algorithm}:${name}:${secret}`];
  const { stdout } = spawnSync(dnsperf, [...where, ...how, ...signed], { encoding: 'utf8' });
  const read = (pattern: RegExp) => pattern.exec(stdout)?.[1]?.trim() ?? '';
  return {
    perSecond: Number(read(/Updates per second:\s+([\d.]+)/)),
    lost: Number(read(/Updates lost:\s+(\d+)/)),
    count: Number(read(/Updates completed:\s+(\d+)/)),
    rcodes: read(/Response codes:\s+(.*)/),
  };
}

function middle(runs: readonly Run[]): Run {
  return runs.toSorted((a, b) => a.perSecond - b.perSecond)[runs.length >> 1]!;
}
