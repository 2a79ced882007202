/**
 * Syncs of the real ExternalDNS controller: some thousand endpoints with their ownership records, through the adapter
 * into a service, each a process of its own, with what others wait for the service's answers meanwhile. Timings of a
 * noisy machine: see the CPU time too.
 *
 * Usage: npm run bench:external-dns [-- ENDPOINTS [signed]]   needs a Go toolchain, and a network the first time
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ControllerBench,
  findController,
  type Run,
  type SourceEndpoint,
} from '../../spec/support/real-controller.ts';
import { percentile, startSampling } from './bench.ts';
import type { Sample, Seen } from './meanwhile.ts';

const count = Number(process.argv[2] ?? 20_000);
const isSigned = process.argv[3] === 'signed';
const zone = 'example.com';
/** What does not fit the time of one is left to the next. */
const mostSyncs = 10;
/** The kernel counts a process's time in hundredths of a second. */
const ticksPerSecond = 100;
/** Milliseconds of asking while nothing else goes on, for comparison. */
const idleMs = 5000;

const others = 'meanwhile.example';
const samples: readonly Sample[] = [
  { name: 'API reads', asks: 'read', zone: others, everyMs: 20 },
  { name: 'API creates', asks: 'create', zone: others, everyMs: 20 },
  { name: 'DNS queries', asks: 'query', zone: others, everyMs: 20 },
  { name: 'health checks', asks: 'health', zone: others, everyMs: 20 },
];

const reason = await findController();
if (reason !== undefined) throw new Error(reason);
const bench = await ControllerBench.open([zone, others]);

/** Seconds of CPU that a process has used, in its own code and in the kernel. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

function note(what: string, value: number, unit: string, remark = ''): void {
  process.stdout.write(`  ${what.padEnd(34)} ${value.toFixed(1)} ${unit}  ${remark}\n`);
}

function noteAnswers(when: string, { times }: Seen): void {
  for (const [name, all] of Object.entries(times)) {
    note(`${name} ${when}, p99`, percentile(all, 0.99), 'ms', `${all.length} answers`);
  }
}

/** Seconds that the adapter's calls of one kind took, and how many there were. */
async function timeOf(endpoint: string): Promise<{ seconds: number; calls: number }> {
  const text = await (await fetch(`${bench.probes}/metrics`)).text();
  const of = (what: string) => {
    const name = `svc_external_dns_request_duration_seconds_${what}{endpoint="${endpoint}"} `;
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(name))!
        .slice(name.length),
    );
  };
  return { seconds: of('sum'), calls: of('count') };
}

async function round(what: string, wanted: readonly SourceEndpoint[]): Promise<void> {
  const pids = [bench.service.pid, bench.adapterPid];
  const before = pids.map(cpuSeconds);
  const kinds = ['records_get', 'adjustendpoints', 'records_apply'];
  const timesBefore = await Promise.all(kinds.map(timeOf));
  const stop = startSampling(bench.service, samples);
  let syncs = 0;
  let last: Run;
  do last = await bench.sync(wanted);
  while (++syncs < mostSyncs && last.code !== 0);
  const seen = await stop();
  if (last.code !== 0) throw new Error(`the controller ended so: ${last.output.slice(-1000)}`);
  const [ofService, ofAdapter] = pids.map((pid, index) => cpuSeconds(pid) - before[index]!);
  process.stdout.write(`${what}: ${syncs} syncs, serial ${await bench.serial(zone)}\n`);
  for (const [index, { seconds, calls }] of (await Promise.all(kinds.map(timeOf))).entries()) {
    const earlier = timesBefore[index]!;
    if (calls > earlier.calls) note(`call ${kinds[index]}`, seconds - earlier.seconds, 's');
  }
  note('CPU of the service', ofService!, 's');
  note('CPU of the adapter', ofAdapter!, 's');
  noteAnswers('meanwhile', seen);
}

try {
  const idle = startSampling(bench.service, samples);
  await sleep(idleMs);
  noteAnswers('with nothing else to do', await idle());
  if (isSigned)
    await bench.local('POST', `/zones/${zone}/dnssec`, { parent_ns_addrs: ['127.0.0.1:53'] });
  const endpoints = Array.from({ length: count }, (_, index): SourceEndpoint => {
    const target = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
    return { dnsName: `h${index}.${zone}`, targets: [target], recordType: 'A', recordTTL: 300 };
  });
  await round(`${count} endpoints created`, endpoints);
  await round('the same again', endpoints);
  const moved = endpoints.map((endpoint) => ({ ...endpoint, targets: ['192.0.2.1'] }));
  await round('all updated', moved);
  const guard = { max_deletes: 3 * count, max_delete_percent: 100 };
  await bench.local('PUT', `/zones/${zone}`, { guard });
  await round('all deleted', []);
} finally {
  await bench.close();
}
