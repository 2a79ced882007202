/**
 * TSIG-signed dynamic updates by `dnsperf -u`, each one an add of a name of its own, beside named and
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
import { type PrimaryKind, startPrimary } from './update-peers.ts';

export type Note = (what: string, value: number, unit: string, remark?: string) => void;

const rounds = 3;
const secondsPerRun = 5;
/** More than any server applies in one run. */
const updatesPerRun = 100_000;

interface Run {
  readonly perSecond: number;
  readonly lost: number;
  readonly rcodes: string;
}

/** With `signed`, the zone is signed with NSEC3 by every server. */
export async function benchUpdates(
  service: RunningService,
  note: Note,
  zone = 'updates.example',
  signed = false,
): Promise<void> {
  const dnsperf = peer('dnsperf');
  if (dnsperf === undefined) return;
  const key = await prepare(service, zone, signed);
  await using stack = new AsyncDisposableStack();
  const ports = new Map<string, number>([['zonebook', service.dnsPort]]);
  for (const kind of ['named', 'knotd'] as const satisfies PrimaryKind[]) {
    if (peer(kind) === undefined) continue;
    if (signed && kind === 'named') continue;
    ports.set(kind, stack.use(await startPrimary(kind, zone, key, signed)).port);
  }
  let names = 0;
  for (const outstanding of [20, 400]) {
    const runs = new Map<string, Run[]>([...ports.keys()].map((who) => [who, []]));
    for (let round = 0; round < rounds; round++) {
      const file = updateFile(zone, names);
      names += updatesPerRun;
      for (const [who, port] of ports) {
        runs.get(who)!.push(run(dnsperf, port, file, outstanding, key));
      }
      rmSync(file);
    }
    const middles = [...runs].map(([who, all]) => ({ who, ...middle(all) }));
    const best = Math.max(...middles.slice(1).map(({ perSecond }) => perSecond));
    for (const { who, perSecond, lost, rcodes } of middles) {
      const ratio =
        who === 'zonebook' ? `${(perSecond / best).toFixed(2)} x the better peer, ` : '';
      const remark = `${ratio}${rcodes}, lost ${lost}`;
      note(
        `TSIG updates${signed ? ' into an NSEC3 zone' : ''}, ${outstanding} outstanding, ${who}`,
        perSecond,
        '/s',
        remark,
      );
    }
  }
}

/** The zone, and a key whose role may add and delete in it. */
async function prepare(service: RunningService, zone: string, signed: boolean): Promise<PeerKey> {
  const soa = { mname: `ns1.${zone}`, rname: `hostmaster@${zone}` };
  await service.must('POST', '/zones', { name: zone, ...soa });
  if (signed) {
    await service.must('POST', `/zones/${zone}/dnssec`, { parent_ns_addrs: ['127.0.0.1:9'] });
  }
  const role = signed ? 'signed-updaters' : 'updaters';
  await service.must('POST', '/roles', { name: role });
  const actions = ['record:create', 'record:delete'];
  await service.must('POST', `/roles/${role}/grants`, { actions, zone_name: zone });
  const name = signed ? 'signed-updater' : 'updater';
  const body = { name, role_name: role };
  const { secret } = await service.must('POST', '/tsig-keys', body);
  return { name, algorithm: 'hmac-sha256', secret };
}

/** A file of updates in the form of dnsperf; their names were not used before. */
function updateFile(zone: string, first: number): string {
  const file = join(tmpdir(), `updates-${process.pid}-${first}.txt`);
  const updates = Array.from({ length: updatesPerRun }, (_, index) => {
    const number = first + index;
    const value = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
    return `${zone}\nadd host-${number} 300 A ${value}\nsend\n`;
  });
  writeFileSync(file, updates.join(''));
  return file;
}

function run(
  dnsperf: string,
  port: number,
  file: string,
  outstanding: number,
  { algorithm, name, secret }: PeerKey,
): Run {
  const where = ['-s', '127.0.0.1', '-p', String(port), '-u', '-d', file];
  const how = ['-l', String(secondsPerRun), '-n', '1', '-c', '4', '-q', String(outstanding)];
  const signed = ['-y', `${algorithm}:${name}:${secret}`];
  const { stdout } = spawnSync(dnsperf, [...where, ...how, ...signed], { encoding: 'utf8' });
  const read = (pattern: RegExp) => pattern.exec(stdout)?.[1]?.trim() ?? '';
  return {
    perSecond: Number(read(/Updates per second:\s+([\d.]+)/)),
    lost: Number(read(/Updates lost:\s+(\d+)/)),
    rcodes: read(/Response codes:\s+(.*)/),
  };
}

function middle(runs: readonly Run[]): Run {
  return runs.toSorted((a, b) => a.perSecond - b.perSecond)[runs.length >> 1]!;
}
