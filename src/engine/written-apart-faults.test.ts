/** Commands at random, some of them signed, while the thread that writes dies and commands fail half-way. */
import { afterEach, expect, it, vi } from 'vitest';
import {
  openStoredZones,
  record,
  type StoredZones,
  writesApart,
} from '../../spec/support/stored-zones.ts';
import { writingThreads } from '../../spec/support/writing-threads.ts';
import type { Command } from '../domain/command.ts';
import { generateKey, serializePrivateKey } from '../dnssec/key-pair.ts';
import { nobleOpinion } from '../dnssec/noble.ts';
import { decodeEvent } from '../journal/event-row.ts';
import { verifyChain } from '../journal/verify.ts';
import { verifyProjections } from '../projection/rebuild.ts';

const opened: StoredZones[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const stored of opened.splice(0)) await stored.close();
  writingThreads.length = 0;
});

async function open(): Promise<StoredZones> {
  const stored = openStoredZones({ durable: false, apart: true });
  opened.push(stored);
  await stored.run({ kind: 'ensure-default-policy' });
  for (const name of ['plain', 'signed']) await stored.zone(name);
  const { dnskey, privateKey } = await generateKey(13, true, [], nobleOpinion);
  const key = { id: 1, algorithm: 13, role: 'csk', dnskey } as const;
  await stored.run({
    kind: 'enable-signing',
    zoneName: 'signed',
    parentNsAddrs: ['127.0.0.1:9'],
    keys: [{ ...key, privateKey: serializePrivateKey(privateKey) }],
  });
  await writesApart(stored);
  return stored;
}

/** Whole numbers below a bound, the same ones for each seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 7919;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

function bugAt(id: number): Command {
  return {
    kind: 'update-record',
    id,
    get name(): string {
      throw new TypeError('a bug');
    },
  };
}

function fault(stored: StoredZones, kind: number): void {
  const worker = writingThreads.at(-1)!;
  if (kind === 0 && worker.threadId !== -1) worker.emit('error', new Error('gone'));
  if (kind === 1) {
    // What the thread can not even read.
    const texts = { length: 999, slice: () => 5 } as unknown as readonly string[];
    vi.spyOn(stored.journal.writes, 'texts', 'get').mockReturnValueOnce(texts);
  }
  if (kind === 2) stored.engine.settle();
}

it.each([1, 2, 3, 4])('whatever fails, what was answered is there once (%i)', async (seed) => {
  const stored = await open();
  const next = numbers(seed);
  const answered: string[] = [];
  const outcomes: Promise<unknown>[] = [];
  const failures = new Set<unknown>();
  const refuse = ({ code, message }: Error & { code?: string }) => failures.add(code ?? message);
  for (let n = 0; n < 500; n++) {
    const zoneName = next(2) === 0 ? 'plain' : 'signed';
    const name = `n${next(100)}`;
    const id = 1 + next(n + 1);
    const kind = next(20);
    if (kind < 12) {
      const text = `${n}`;
      const records = [record(name, 'TXT', text)];
      const outcome = stored.run({ kind: 'create-records', zoneName, records });
      outcomes.push(outcome.then(() => answered.push(text), refuse));
    } else if (kind < 18) {
      const command: Command =
        kind < 15
          ? { kind: 'delete-record', id }
          : kind < 17
            ? { kind: 'update-record', id, name: `m${next(50)}` }
            : next(3) > 0
              ? { kind: 'bump-serial', zoneName }
              : bugAt(id);
      outcomes.push(stored.run(command).catch(refuse));
    } else if (kind === 18) fault(stored, next(10));
    if (next(7) === 0) await new Promise(setImmediate);
  }
  await Promise.all(outcomes);
  const written: string[] = [];
  for (const row of stored.journal.events(0)) {
    const event = decodeEvent(row, stored.journal.parts(row));
    if (event.kind !== 'records.changed' || event.delta.removed.length > 0) continue;
    for (const { rdata } of event.delta.added) written.push(rdata.toString('latin1', 1));
  }
  expect(written.toSorted()).toEqual(answered.toSorted());
  expect(writingThreads.length).toBeGreaterThan(1);
  for (const failure of failures)
    expect(failure).toMatch(/^(RECORD_NOT_FOUND|RECORD_CONFLICT|a bug)$/);
  expect(verifyChain(stored.journal).findings).toEqual([]);
  expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
});
