/** Processor time of a process by its threads, as Linux counts it. */
import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of one tick in /proc. */
const tickMs = 10;

export interface CpuTime {
  readonly mainMs: number;
  /** Threads that have ended are counted too. */
  readonly allMs: number;
  /** By the names of the threads that live. */
  readonly byThread: ReadonlyMap<string, number>;
}

export function cpuTimeOf(pid: number): CpuTime {
  const byThread = new Map<string, number>();
  let mainMs = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`).map(Number)) {
    const ms = runningMs(`/proc/${pid}/task/${thread}`);
    if (ms === undefined) continue;
    if (thread === pid) mainMs = ms.ms;
    const name = thread === pid ? 'main' : ms.name;
    byThread.set(name, (byThread.get(name) ?? 0) + ms.ms);
  }
  return { mainMs, allMs: ticksOf(`/proc/${pid}/stat`) * tickMs, byThread };
}

export function cpuBetween(before: CpuTime, after: CpuTime): CpuTime {
  const byThread = [...after.byThread].map(
    ([name, ms]) => [name, ms - (before.byThread.get(name) ?? 0)] as const,
  );
  const livingMs = byThread.reduce((sum, [, ms]) => sum + ms, 0);
  return {
    mainMs: after.mainMs - before.mainMs,
    // Ticks are coarse, and the threads that live are counted finely.
    allMs: Math.max(after.allMs - before.allMs, livingMs),
    byThread: new Map(byThread),
  };
}

/** Undefined for a thread that has ended since the folder was read. */
function runningMs(folder: string): { name: string; ms: number } | undefined {
  try {
    const name = readFileSync(`${folder}/comm`, 'utf8').trim();
    // Nanoseconds, where the kernel keeps them.
    const [nanoseconds] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ');
    return { name, ms: Number(nanoseconds) / 1e6 };
  } catch {
    return undefined;
  }
}

/** User and system time. */
function ticksOf(file: string): number {
  const text = readFileSync(file, 'latin1');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
