/**
 * Import of a large master file over HTTP, with what the API and the DNS listener answer meanwhile; and
 * reading versions far back.
 */
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import type { RunningService } from '../../spec/support/service.ts';

export type Note = (what: string, value: number, unit: string, remark?: string) => void;

/** Milliseconds between two samples of each kind. */
const sampleEveryMs = 20;

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
  const sampler = new Sampler(service);
  const startedMs = performance.now();
  const { status, octets, headMs } = await post(service.apiPort, `/zones/${zone}/import`, body);
  const seconds = (performance.now() - startedMs) / 1000;
  const samples = await sampler.stop();
  if (status !== 200) throw new Error(`import answered ${status}`);
  const remark = `answer after ${(headMs / 1000).toFixed(1)} s, ${octets} octets of it`;
  note(
    `import of a file of ${records.toLocaleString('en')} records`,
    records / seconds,
    'records/s',
    remark,
  );
  note('resident memory at most meanwhile', samples.residentMb, 'MB', 'limit 1,000');
  for (const [what, times] of [
    ['API reads', samples.read],
    ['API creates', samples.create],
    ['DNS queries', samples.query],
  ] as const) {
    const p50 = `p50 ${percentile(times, 0.5).toFixed(1)} ms, most ${percentile(times, 1).toFixed(1)} ms, ${times.length} samples`;
    note(`${what} meanwhile, p99`, percentile(times, 0.99), 'ms', p50);
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

function percentile(times: number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Asks the service again and again while something else goes on. */
class Sampler {
  readonly #service: RunningService;
  readonly #socket = createSocket('udp4');
  readonly #read: number[] = [];
  readonly #create: number[] = [];
  readonly #query: number[] = [];
  readonly #running: Promise<void>[];
  #residentMb = 0;
  #isStopped = false;
  #created = 0;

  constructor(service: RunningService) {
    this.#service = service;
    this.#running = [
      this.#repeat(this.#read, () => get(service.apiPort, '/zones/meanwhile.example')),
      this.#repeat(this.#create, () => this.#createOne()),
      this.#repeat(this.#query, () => this.#ask()),
    ];
  }

  async #repeat(times: number[], once: () => Promise<unknown>): Promise<void> {
    while (!this.#isStopped) {
      const startedMs = performance.now();
      await once();
      times.push(performance.now() - startedMs);
      const status = readFileSync(`/proc/${this.#service.pid}/status`, 'utf8');
      const resident = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
      this.#residentMb = Math.max(this.#residentMb, resident);
      await new Promise((resolve) => setTimeout(resolve, sampleEveryMs));
    }
  }

  #createOne(): Promise<unknown> {
    const record = { name: `m${this.#created++}`, type: 'A', value: '192.0.2.1' };
    return this.#service.must('POST', '/records', { zone_name: 'meanwhile.example', ...record });
  }

  #ask(): Promise<void> {
    const name = Buffer.from('\x09meanwhile\x07example\0', 'latin1');
    const header = Buffer.from([7, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    const query = Buffer.concat([header, name, Buffer.from([0, 6, 0, 1])]);
    return new Promise((resolve) => {
      this.#socket.once('message', () => resolve());
      this.#socket.send(query, this.#service.dnsPort, '127.0.0.1');
    });
  }

  async stop() {
    this.#isStopped = true;
    await Promise.all(this.#running);
    this.#socket.close();
    return {
      read: this.#read,
      create: this.#create,
      query: this.#query,
      residentMb: this.#residentMb,
    };
  }
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
