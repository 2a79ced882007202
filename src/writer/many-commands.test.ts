/** Many commands at once, some of them signed, while others fail half-way. */
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openStoredZones, record, type StoredZones } from '../../spec/support/stored-zones.ts';
import type { Command, CreateRecords } from '../domain/command.ts';
import { generateKey, serializePrivateKey } from '../dnssec/key-pair.ts';
import { nobleVerifier } from '../dnssec/noble.ts';
import { decodeEvent } from '../journal/event-row.ts';
import { verifyChain } from '../journal/verify.ts';
import { verifyProjections } from '../projection/rebuild.ts';
import { Batch } from './batch.ts';

const opened: StoredZones[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const stored of opened.splice(0)) await stored.close();
});

async function open(): Promise<StoredZones> {
  const stored = openStoredZones({ durable: false });
  opened.push(stored);
  await stored.run({ kind: 'ensure-default-policy' });
  for (const name of ['plain', 'signed']) await stored.zone(name);
  const { dnskey, privateKey } = await generateKey(13, true, [], nobleVerifier);
  const key = { id: 1, algorithm: 13, role: 'csk', dnskey } as const;
  await stored.run({
    kind: 'enable-signing',
    zoneName: 'signed',
    parentNsAddrs: ['127.0.0.1:9'],
    keys: [{ ...key, privateKey: serializePrivateKey(privateKey) }],
  });
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
    } else if (kind === 18 && next(3) === 0) stored.writer.forget();
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
  for (const failure of failures)
    expect(failure).toMatch(/^(RECORD_NOT_FOUND|RECORD_CONFLICT|a bug)$/);
  expect(verifyChain(stored.journal).findings).toEqual([]);
  expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
});

async function openPlain(...zones: string[]): Promise<StoredZones> {
  const stored = openStoredZones({ durable: false });
  opened.push(stored);
  for (const name of zones) await stored.zone(name);
  return stored;
}

function addition(name: string, value = '192.0.2.1', zoneName = 'a'): CreateRecords {
  return {
    kind: 'create-records',
    zoneName,
    records: [record(name, 'A', value)],
  };
}

function additions(stored: StoredZones, prefix: string, count: number) {
  const outcomes = Array.from({ length: count }, (_, n) => stored.run(addition(`${prefix}${n}`)));
  // Some are refused before anybody looks at them.
  for (const outcome of outcomes) outcome.catch(() => {});
  return outcomes;
}

/** A command that fails in a way that no rule foresees. */
const bug: Command = {
  kind: 'update-record',
  id: 1,
  get name(): string {
    throw new TypeError('a bug');
  },
};

const nextTurn = () => new Promise(setImmediate);

function intact(stored: StoredZones): void {
  expect(verifyChain(stored.journal).findings).toEqual([]);
  expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
}

const statuses = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.map(({ status }) => status);

describe('many commands at once', () => {
  it('are decided upon those before them, which are not on disk yet', async () => {
    const stored = await openPlain('a');
    const outcomes: Promise<unknown>[] = [];
    for (let n = 0; n < 60; n++) {
      const id = n + 1;
      outcomes.push(stored.run(addition(`n${n}`)));
      await nextTurn();
      if (n % 3 === 0) outcomes.push(stored.run({ kind: 'update-record', id, name: `m${n}` }));
      if (n % 3 === 1) outcomes.push(stored.run({ kind: 'delete-record', id }));
      // Refused, for it is there already.
      if (n % 3 === 2) outcomes.push(stored.run(addition(`n${n}`)).catch((error) => error.code));
    }
    const codes = (await Promise.all(outcomes)).filter((one) => typeof one === 'string');
    expect(codes).toEqual(Array(20).fill('RECORD_CONFLICT'));
    expect(stored.zones.byName('a')).toMatchObject({
      serial: 101,
      recordCount: 40,
    });
    intact(stored);
  });

  it('keep their order with commands that are written here', async () => {
    const stored = await openPlain('a');
    const outcomes: Promise<unknown>[] = [];
    for (let n = 0; n < 20; n++) {
      outcomes.push(...additions(stored, `x${n}-`, 5));
      await nextTurn();
      outcomes.push(stored.run({ kind: 'bump-serial', zoneName: 'a' }));
      if (n === 9) outcomes.push(stored.run({ kind: 'update-zone', zoneName: 'a', retry: 77 }));
    }
    await Promise.all(outcomes);
    const kinds: string[] = [];
    for (const row of stored.journal.events(1)) kinds.push(row.kind);
    const expected = Array.from({ length: 20 }, (_, n) => [
      ...Array(5).fill('records.changed'),
      'zone.serial-bumped',
      ...(n === 9 ? ['zone.updated'] : []),
    ]).flat();
    expect(kinds).toEqual(expected);
    intact(stored);
  });

  it('may change more zones than are kept in memory', async () => {
    const names = Array.from({ length: 1100 }, (_, n) => `z${n}`);
    const stored = await openPlain(...names);
    const outcomes = names.map((name) => stored.run(addition('www', '192.0.2.1', name)));
    await Promise.all([
      ...outcomes,
      ...names.map((name) => stored.run(addition('w', '::1', name)).catch(() => {})),
    ]);
    expect(stored.connection.prepare('SELECT count(*) FROM record').pluck().get()).toBe(1100);
    intact(stored);
  });

  it('may be many records, whose blocks come and go', async () => {
    const stored = await openPlain('a');
    const outcomes: Promise<unknown>[] = [];
    for (let n = 0; n < 1500; n++) {
      outcomes.push(stored.run(addition(`n${n}`)));
      if (n > 200 && n % 2 === 0) {
        outcomes.push(stored.run({ kind: 'delete-record', id: n - 200 }));
      }
      if (n % 40 === 0) await nextTurn();
    }
    await Promise.all(outcomes);
    expect(stored.zones.byName('a')!.recordCount).toBe(1500 - 649);
    intact(stored);
  });

  it('invariant 6: a command that fails half-way leaves the others whole', async () => {
    const stored = await openPlain('a');
    const first = additions(stored, 'n', 10);
    await nextTurn();
    const outcomes = await Promise.allSettled([
      ...first,
      ...additions(stored, 'm', 3),
      stored.run(bug),
      ...additions(stored, 'o', 3),
    ]);
    expect(statuses(outcomes).filter((status) => status === 'rejected')).toHaveLength(1);
    expect((outcomes[13] as PromiseRejectedResult).reason).toBeInstanceOf(TypeError);
    expect(stored.zones.byName('a')).toMatchObject({
      serial: 17,
      recordCount: 16,
    });
    intact(stored);
  });

  it('invariant 6: what can not be read of all of them is read of each', async () => {
    const stored = await openPlain('a');
    const close = vi.spyOn(Batch.prototype, 'close').mockImplementationOnce(() => {
      throw new Error('a zone can not be read');
    });
    onTestFinished(() => close.mockRestore());
    const outcomes = await Promise.allSettled(additions(stored, 'n', 3));
    expect(statuses(outcomes)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    expect(stored.zones.byName('a')).toMatchObject({ serial: 4, recordCount: 3 });
    intact(stored);
  });
});
