/** Rows beside other servers: queries, and the time until a secondary answers with a change. */
import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { peer } from '../../spec/support/peers.ts';
import { startSecondary } from '../../spec/support/secondaries.ts';
import { type Bench, median, percentile, type Row } from './bench.ts';
import { mixFor } from './mix.ts';

const zone = 'queries.example';
const maxRecords = 35_000;
const secondsPerRun = 8;

/** UDP queries for names of the zone, a fifth of them for such as do not exist, beside knotd with the same zone. */
async function queries(bench: Bench): Promise<void> {
  const dnsperf = peer('dnsperf');
  if (dnsperf === undefined) throw new Error('needs dnsperf, which is not installed');
  await using service = await bench.service();
  const { apiPort: port, dnsPort, dataDir } = service.running;
  await service.createZone(zone);
  const count = Math.min(maxRecords, bench.options.records);
  await bench.load({ port, zone, chunk: 1000, clients: 2, first: 0, count });
  const record = mixFor(zone, bench.options.seed);
  const lines = Array.from({ length: 20_000 }, (_, index) => {
    const { name, type } = record(index % count);
    return index % 5 === 4 ? `missing-${index}.${zone} A` : `${name}.${zone} ${type}`;
  });
  const file = join(dataDir, 'queries.txt');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const run = (toPort: number) => {
    const words = ['-s', '127.0.0.1', '-p', String(toPort), '-d', file];
    const how = ['-l', String(secondsPerRun), '-c', '4', '-q', '100'];
    const { stdout } = spawnSync(dnsperf, [...words, ...how], { encoding: 'utf8' });
    const read = (pattern: RegExp) => pattern.exec(stdout)?.[1] ?? '';
    return {
      perSecond: Number(read(/Queries per second:\s+([\d.]+)/)),
      completed: Number(read(/Queries completed:\s+(\d+)/)),
      lost: read(/Queries lost:\s+(.*)/),
    };
  };
  const { result, perOperation } = await bench.measured(service, () =>
    Promise.resolve(run(dnsPort)),
  );
  const remark = `lost ${result.lost}`;
  const cpu = perOperation(Math.max(1, result.completed));
  bench.note('UDP queries', result.perSecond, '/s', { remark, ...cpu });
  if (peer('knotd') === undefined) return;
  await using knotd = await startSecondary('knotd', zone, dnsPort);
  const address = `127.0.0.1:${knotd.port}`;
  await service.running.must('POST', '/secondaries', { name: 'queries', address });
  const { zone: now } = await service.running.must('GET', `/zones/${zone}`);
  await knotd.waitForSerial(now.serial);
  const theirs = run(knotd.port);
  bench.note('UDP queries, knotd', theirs.perSecond, '/s', { remark: `lost ${theirs.lost}` });
}

/** From sending a change to named's first answer with it. */
async function latency(bench: Bench): Promise<void> {
  if (peer('named') === undefined) throw new Error('needs named, which is not installed');
  await using service = await bench.service();
  await service.createZone(zone);
  await using named = await startSecondary('named', zone, service.running.dnsPort);
  const address = `127.0.0.1:${named.port}`;
  await service.running.must('POST', '/secondaries', { name: 'latency', address });
  await named.waitForSerial(1);
  const timesMs: number[] = [];
  for (let index = 0; index < Math.min(300, bench.options.records); index++) {
    const name = `now-${index}`;
    const record = { zone_name: zone, name, type: 'A', value: '192.0.2.1' };
    const startedMs = performance.now();
    await service.running.must('POST', '/records', record);
    while (!(await answers(named.port, `${name}.${zone}`))) {}
    timesMs.push(performance.now() - startedMs);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const remark = `p99 ${percentile(timesMs, 0.99).toFixed(1)} ms`;
  bench.note('change to named answering it, p50', median(timesMs), 'ms', { remark });
}

/** Whether a server answers a name with a record; asks once. */
function answers(port: number, name: string): Promise<boolean> {
  const labels = name
    .split('.')
    .map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`));
  const header = Buffer.from([1, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  const query = Buffer.concat([header, ...labels, Buffer.from([0, 0, 1, 0, 1])]);
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    const done = (answer: boolean) => {
      clearTimeout(timer);
      socket.close();
      resolve(answer);
    };
    const timer = setTimeout(() => done(false), 500);
    socket.on('message', (reply) => done(reply.readUInt16BE(6) > 0));
    socket.send(query, port, '127.0.0.1');
  });
}

export const peerRows: readonly Row[] = [
  { name: 'queries', what: 'UDP queries, beside knotd', run: queries },
  { name: 'latency', what: 'from a change to the answer of named with it', run: latency },
];
