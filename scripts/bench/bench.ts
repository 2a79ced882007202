/** What the rows of the benchmark share: services on a disk that may be slow, processor time, figures. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FaultyDisk } from '../../spec/support/faulty-disk.ts';
import { type RunningService, startService } from '../../spec/support/service.ts';
import { type CpuTime, cpuBetween, cpuTimeOf } from './cpu.ts';
import type { LoadJob, LoadResult } from './load.ts';
import type { SampleJob, Seen } from './meanwhile.ts';

export interface Row {
  readonly name: string;
  /** What it measures, for `--list`. */
  readonly what: string;
  run(bench: Bench): Promise<void>;
}

export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly remark?: string | undefined;
  /** Microseconds of processor time an operation: of the main thread, and of all threads. */
  readonly mainUs?: number | undefined;
  readonly allUs?: number | undefined;
}

export interface BenchOptions {
  readonly records: number;
  readonly seed: number;
  /** What each fsync of the service takes longer; 0 leaves the disk as it is. */
  readonly fsyncDelayMs: number;
}

/** Milliseconds in which the process that asks has started. */
const samplingStartsMs = 1000;

export class Bench {
  readonly options: BenchOptions;
  readonly figures: Figure[] = [];

  constructor(options: BenchOptions) {
    this.options = options;
  }

  note(what: string, value: number, unit: string, more: Partial<Figure> = {}): void {
    this.figures.push({ what, value, unit, ...more });
  }

  /** A service of its own, which answers anybody, on a disk that is as slow as the run asks for. */
  async service(
    env: Record<string, string> = {},
    fsyncDelayMs = this.options.fsyncDelayMs,
  ): Promise<BenchService> {
    const quiet = { ZONEBOOK_LOGGING_LEVEL: 'warn', ...env };
    if (fsyncDelayMs === 0) return new BenchService(await startService(quiet));
    if (spawnSync('cc', ['--version'], { stdio: 'ignore' }).status !== 0) {
      throw new Error('a slow fsync needs a C compiler (cc), and there is none');
    }
    const dataDir = mkdtempSync(join(tmpdir(), 'zonebook-bench-'));
    const disk = new FaultyDisk(dataDir);
    disk.fail({ syncDelayUs: fsyncDelayMs * 1000 });
    const service = await startService({ ...quiet, ...disk.env }, { dataDir });
    return new BenchService(service, disk);
  }

  /** Runs work and tells its processor time for each of so many operations. */
  async measured<Result>(
    { running }: BenchService,
    work: () => Promise<Result>,
  ): Promise<{
    result: Result;
    seconds: number;
    cpu: CpuTime;
    perOperation(count: number): CpuUs;
  }> {
    const before = cpuTimeOf(running.pid);
    const startedMs = performance.now();
    const result = await work();
    const seconds = (performance.now() - startedMs) / 1000;
    const cpu = cpuBetween(before, cpuTimeOf(running.pid));
    const us = (ms: number, count: number) => (ms * 1000) / count;
    const perOperation = (count: number) => {
      return { mainUs: us(cpu.mainMs, count), allUs: us(cpu.allMs, count) };
    };
    return { result, seconds, cpu, perOperation };
  }

  /** Clients in a process of their own (load.ts). */
  async load(job: Omit<LoadJob, 'seed'>): Promise<LoadResult> {
    const words = [programOf('load.ts'), JSON.stringify({ seed: this.options.seed, ...job })];
    const options = { maxBuffer: 2 ** 26 };
    const { stdout } = await promisify(execFile)(process.execPath, words, options);
    return JSON.parse(stdout) as LoadResult;
  }

  /** Another program of this folder, which prints JSON. */
  async script<Result>(name: string, ...args: readonly (string | number)[]): Promise<Result> {
    const words = [programOf(name), ...args.map(String)];
    const { stdout } = await promisify(execFile)(process.execPath, words);
    return JSON.parse(stdout) as Result;
  }

  /** What others wait for their answers while work goes on. */
  async beside<Result>(
    service: BenchService,
    samples: SampleJob['samples'],
    work: () => Promise<Result>,
  ): Promise<{ result: Result; seen: Seen }> {
    const stop = startSampling(service.running, samples);
    await new Promise((resolve) => setTimeout(resolve, samplingStartsMs));
    const result = await work();
    return { result, seen: await stop() };
  }
}

interface CpuUs {
  readonly mainUs: number;
  readonly allUs: number;
}

export class BenchService implements AsyncDisposable {
  readonly running: RunningService;
  readonly #disk: FaultyDisk | undefined;

  constructor(running: RunningService, disk?: FaultyDisk) {
    this.running = running;
    this.#disk = disk;
  }

  async createZone(name: string): Promise<void> {
    const soa = { mname: `ns1.${name}`, rname: `hostmaster@${name}` };
    await this.running.must('POST', '/zones', { name, ...soa });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.running[Symbol.asyncDispose]();
    this.#disk?.[Symbol.dispose]();
  }
}

function programOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Starts asking a service in a process of its own; the function it returns ends that. */
export function startSampling(
  { apiPort, dnsPort, pid }: RunningService,
  samples: SampleJob['samples'],
): () => Promise<Seen> {
  const job: SampleJob = { apiPort, dnsPort, pid, samples };
  const words = [programOf('meanwhile.ts'), JSON.stringify(job)];
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  return async () => {
    child.stdin.end();
    return JSON.parse(await text(child.stdout)) as Seen;
  };
}

export function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function printNumber(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}
