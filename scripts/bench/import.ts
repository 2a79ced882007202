/**
 * Import of a large master file over HTTP, with what the API and the DNS listener answer meanwhile; and
 * reading versions far back.
 */
import { spawn } from 'node:child_process';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RunningService } from '../../spec/support/service.ts';
import type { Seen } from './meanwhile.ts';

export type Note = (what: string, value: number, unit: string, remark?: string) => void;

/** Milliseconds in which the process that asks has started. */
const startMs = 1000;
/** Milliseconds of asking while nothing else goes on, for comparison. */
export const idleMs = 5000;

export async function benchImport(
  service: RunningService,
  records: number,
  note: Note,
): Promise<void> {
  const zone = 'import.example';
  const lines = [`@ 3600 IN SOA ns1.${zone}. hostmaster.${zone}. 1 300 60 3600000 86400`];
  lines.push(`@ 3600 IN NS ns1.${zone}.`);
  for (let index = 0; index < records; index++) {
    lines.push(
      `host-${index} 3600 IN A 10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
    );
  }
  const body = JSON.stringify({ content: `${lines.join('\n')}\n`, create: true });
  await service.must('POST', '/zones', {
    name: 'meanwhile.example',
    mname: 'ns1.example.net',
    rname: 'hostmaster@example.net',
  });
  const idle = sample(service);
  await sleep(idleMs);
  noteAnswers('with nothing else to do', await idle(), note);
  const what = `import of a file of ${records.toLocaleString('en')} records`;
  await benchLong(service, what, `/zones/${zone}/import`, body, records, note);
}

/** New records by one request to a new zone. */
export async function benchLargeBulk(
  service: RunningService,
  records: number,
  note: Note,
): Promise<void> {
  const zone = 'large-bulk.example';
  await service.must('POST', '/zones', { name: zone, mname: `ns1.${zone}`, rname: `h@${zone}` });
  const given = Array.from({ length: records }, (_, index) => {
    return { name: `host-${index}`, type: 'A', value: `10.0.${(index >> 8) & 255}.${index & 255}` };
  });
  const body = JSON.stringify({ zone_name: zone, records: given });
  const what = `bulk of ${records.toLocaleString('en')} records at once`;
  await benchLong(service, what, '/records/bulk', body, records, note);
}

/** One long request, with what others wait for their answers meanwhile. */
async function benchLong(
  service: RunningService,
  what: string,
  path: string,
  body: string,
  records: number,
  note: Note,
): Promise<void> {
  const stop = sample(service);
  await sleep(startMs);
  const startedMs = performance.now();
  const { status, octets, headMs } = await post(service.apiPort, path, body);
  const seconds = (performance.now() - startedMs) / 1000;
  const samples = await stop();
  if (status >= 300) throw new Error(`${path} answered ${status}`);
  const remark = `answer after ${(headMs / 1000).toFixed(1)} s, ${octets} octets of it`;
  note(what, records / seconds, 'records/s', remark);
  const perRecord = (ms: number) => `${((ms * 1000) / records).toFixed(1)} us`;
  const cpu = `main thread ${perRecord(samples.mainCpuMs)}, others ${perRecord(samples.otherCpuMs)} a record`;
  note('processor time of it', (samples.mainCpuMs + samples.otherCpuMs) / 1000, 's', cpu);
  note('resident memory at most meanwhile', samples.residentMb, 'MB', 'limit 1,000');
  noteAnswers('meanwhile', samples, note);
}

export function noteAnswers(when: string, samples: Seen, note: Note): void {
  for (const [what, times] of [
    ['API reads', samples.read],
    ['API creates', samples.create],
    ['DNS queries', samples.query],
    ['health checks', samples.health],
  ] as const) {
    const p50 = `p50 ${percentile(times, 0.5).toFixed(1)} ms, most ${percentile(times, 1).toFixed(1)} ms, ${times.length} samples`;
    note(`${what} ${when}, p99`, percentile(times, 0.99), 'ms', p50);
  }
}

/** A zone of 100,000 records, changed 10,000 times since. */
export async function benchHistory(service: RunningService, note: Note): Promise<void> {
  const zone = 'history.example';
  await service.must('POST', '/zones', { name: zone, mname: `ns1.${zone}`, rname: `h@${zone}` });
  for (let start = 0; start < 100_000; start += 20_000) {
    const records = Array.from({ length: 20_000 }, (_, offset) => {
      return { name: `host-${start + offset}`, type: 'A', value: '192.0.2.1' };
    });
    await service.must('POST', '/records/bulk', { zone_name: zone, records });
  }
  const { zone: before } = await service.must('GET', `/zones/${zone}`);
  let next = 0;
  const change = async () => {
    for (let index = next++; index < 10_000; index = next++) {
      const record = { zone_name: zone, name: `new-${index}`, type: 'A', value: '192.0.2.2' };
      await service.must('POST', '/records', record);
    }
  };
  await Promise.all(Array.from({ length: 16 }, change));
  for (const [what, path] of [
    ['version 10,000 serials back, 100,000 records', `versions/${before.serial}`],
    ['diff over 10,000 serials', `versions/diff?from=${before.serial}`],
  ] as const) {
    const times: number[] = [];
    let octets = 0;
    for (let index = 0; index < 6; index++) {
      const startedMs = performance.now();
      octets = await get(service.apiPort, `/zones/${zone}/${path}`);
      times.push(performance.now() - startedMs);
    }
    // The first one starts the thread that reads.
    const remark = `first ${times[0]!.toFixed(0)} ms, ${octets} octets`;
    note(`${what}, median`, percentile(times.slice(1), 0.5), 'ms', remark);
  }
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Starts asking the service in a process of its own; the function it returns ends that. */
export function sample(service: RunningService): () => Promise<Seen> {
  const path = fileURLToPath(new URL('meanwhile.ts', import.meta.url));
  const numbers = [service.apiPort, service.dnsPort, service.pid].map(String);
  const child = spawn(process.execPath, [path, ...numbers], { stdio: ['pipe', 'pipe', 'inherit'] });
  return async () => {
    child.stdin.end();
    return JSON.parse(await text(child.stdout)) as Seen;
  };
}

/** Sends a body; reads the answer to its end and throws it away. */
function post(
  port: number,
  path: string,
  body: string,
): Promise<{ status: number; octets: number; headMs: number }> {
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    };
    const call = request({ port, host: '127.0.0.1', path, method: 'POST', headers }, (response) => {
      const headMs = performance.now() - startedMs;
      let octets = 0;
      response.on('data', (piece: Buffer) => {
        octets += piece.length;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, octets, headMs }));
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}

function get(port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request({ port, host: '127.0.0.1', path }, (response) => {
      let octets = 0;
      response.on('data', (piece: Buffer) => {
        octets += piece.length;
      });
      response.on('end', () => resolve(octets));
    });
    call.on('error', reject);
    call.end();
  });
}
