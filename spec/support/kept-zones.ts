/** Stored zones whose history is let go of, at a time that tests set. */
import { expect } from 'vitest';
import { Retention } from '../../src/background/retention/retention.ts';
import { verifyChain } from '../../src/journal/verify.ts';
import { verifyProjections } from '../../src/projection/rebuild.ts';
import { StageStore } from '../../src/projection/stage-store.ts';
import { openStoredZones, type StoredZones } from './stored-zones.ts';

export const msPerDay = 86_400_000;
export const page = { limit: 1000, offset: 0 };

export interface Kept {
  readonly stored: StoredZones;
  readonly stages: StageStore;
  readonly retention: Retention;
  readonly errors: unknown[];
  now: number;
}

const open: Kept[] = [];

/** Closes all that were opened. */
export async function closeKept(): Promise<void> {
  for (const { stored, retention } of open.splice(0)) {
    await retention.stop();
    await stored.close();
  }
}

/** Keeps history for ten days, unless something else is said. */
export function openKept(kept = { days: 10, signerDays: 0 }): Kept {
  const all = { now: 1_000_000_000_000, errors: [] as unknown[] };
  const clock = () => all.now;
  const stored = openStoredZones({ durable: false, clock });
  const { writer, connection, file } = stored;
  const stages = new StageStore(connection);
  const log = { info: () => {}, error: (...words: unknown[]) => void all.errors.push(words) };
  const services = { writer, file, connection, clock, log };
  const retention = new Retention(services, { ...kept, intervalSecs: 0 });
  const made = Object.assign(all, { stored, stages, retention });
  open.push(made);
  return made;
}

/** Clears away all that is left to be cleared away. */
export async function clear({ stored, stages }: Kept): Promise<void> {
  while (await stored.writer.operate({ kind: 'clear-stages' }));
  expect(stages.isEmpty()).toBe(true);
}

/** Nothing has failed, and the journal and what is made of it are whole. */
export function expectWhole({ stored, errors }: Kept): void {
  expect(errors).toEqual([]);
  expect(verifyChain(stored.journal).findings).toEqual([]);
  expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
}

/** The kinds of all events, in brackets where their content is gone. */
export function kinds({ stored }: Kept): string[] {
  return [...stored.journal.events()].map(({ kind, payload }) => (payload ? kind : `(${kind})`));
}

export function count({ stored }: Kept, what: string): number {
  return stored.connection.prepare(`SELECT count(*) FROM ${what}`).pluck().get() as number;
}
