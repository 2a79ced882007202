/**
 * Nothing is ever stored below a DNAME, whichever way it is asked for; what leads to no such state is not
 * refused for it. The judge looks at all names of the zone as the request would leave it.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../src/base/problem.ts';
import { scanBulk } from '../../src/contract/scanned-bulk.ts';
import { fullRights } from '../../src/domain/access/rights.ts';
import { update } from '../support/dynamic-updates.ts';
import { isLong } from '../support/long.ts';
import { Law } from '../support/memory-state.ts';
import { createPolicies, makeKeys, signZone } from '../support/signing-mutations.ts';
import { answerIn, open, request, settle } from '../support/staged-zones.ts';
import { apiOptions, openStoredZones, record } from '../support/stored-zones.ts';

const zone = 'example.com';

interface Change {
  readonly verb: 'add' | 'delete';
  readonly name: string;
  readonly type: 'A' | 'DNAME';
}

const label = fc.constantFrom('a', 'b', 'ab');
const name = fc.oneof(
  fc.constant('@'),
  fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.')),
);
const change = fc.record<Change>({
  verb: fc.constantFrom('add', 'add', 'delete'),
  name,
  type: fc.constantFrom('A', 'A', 'DNAME'),
});
/** Each element is one UPDATE. */
const history = fc.array(fc.array(change, { minLength: 1, maxLength: 6 }), { maxLength: 25 });

const dataOf = { A: '192.0.2.1', DNAME: 'elsewhere.example.' };

function textOf({ verb, name: owner, type }: Change): string {
  return verb === 'add'
    ? `add ${owner} 60 ${type} ${dataOf[type]}`
    : `delete ${owner} ${type} ${dataOf[type]}`;
}

/** The zone as a set of `name type`. */
function after(before: ReadonlySet<string>, changes: readonly Change[]): Set<string> {
  const records = new Set(before);
  for (const { verb, name: owner, type } of changes) {
    if (verb === 'add') records.add(`${owner} ${type}`);
    else records.delete(`${owner} ${type}`);
  }
  return records;
}

function isOccluded(records: ReadonlySet<string>): boolean {
  const all = [...records].map((line) => line.split(' ') as [string, string]);
  const dnames = all.filter(([, type]) => type === 'DNAME').map(([owner]) => owner);
  return all.some(([owner]) =>
    dnames.some((dname) => owner !== dname && (dname === '@' || owner.endsWith(`.${dname}`))),
  );
}

/** The owners of NSEC3 are below the apex, so that has no DNAME then. */
function isRefusedWithNsec3(records: ReadonlySet<string>): boolean {
  return isOccluded(records) || records.has('@ DNAME');
}

/** Plays a history; `send` throws the Problem of what is refused. */
async function play(
  steps: readonly (readonly Change[])[],
  send: (steps: string[]) => unknown,
  isRefused = isOccluded,
): Promise<void> {
  let records: ReadonlySet<string> = new Set(['@ NS']);
  for (const changes of steps) {
    const wanted = after(records, changes);
    let refusal: unknown;
    try {
      await send(changes.map(textOf));
    } catch (error) {
      refusal = error;
    }
    if (refusal !== undefined && !(refusal instanceof Problem)) throw refusal;
    expect(refusal !== undefined, `${JSON.stringify(changes)} on ${[...records]}`).toBe(
      isRefused(wanted),
    );
    if (refusal === undefined) records = wanted;
  }
}

const numRuns = isLong ? 1500 : 60;

describe('case 101: nothing is stored below a DNAME', () => {
  it('by the rules alone', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const law = new Law();
        law.zone(zone);
        await play(steps, (lines) => law.given(update(zone, [], lines)));
      }),
      { numRuns },
    );
  });

  it.each(['nobody signs', 'nsec', 'nsec3'] as const)('by the tables (%s)', async (signed) => {
    const stored = openStoredZones({ durable: false });
    try {
      await createPolicies(stored);
      const [key] = await makeKeys(1);
      let number = 0;
      await fc.assert(
        fc.asyncProperty(history, async (steps) => {
          const zoneName = `z${++number}.example`;
          await stored.zone(zoneName);
          if (signed !== 'nobody signs') {
            await signZone(stored, zoneName, signed, { id: number, ...key! });
          }
          const send = (lines: string[]) => stored.run(update(zoneName, [], lines));
          await play(steps, send, signed === 'nsec3' ? isRefusedWithNsec3 : isOccluded);
        }),
        { numRuns },
      );
    } finally {
      await stored.close();
    }
  });
});

describe('case 101: large changes', () => {
  /** New records, one of a type at each name, for a zone that holds some. */
  const addition = change.map((one): Change => ({ ...one, verb: 'add' }));
  const records = fc.uniqueArray(addition, { selector: textOf, minLength: 1, maxLength: 8 });
  const runs = { numRuns: isLong ? 300 : 15 };

  /** The records of a zone, and those among others that can stand with them. */
  function parts(
    all: readonly Change[],
    others: readonly Change[] = [],
  ): { stored: Change[]; wanted: Change[] } {
    const stored = others.slice();
    for (const one of all.slice(0, all.length / 2)) {
      if (!isOccluded(added([...stored, one]))) stored.push(one);
    }
    const isStored = new Set(stored.map(textOf));
    return { stored, wanted: all.filter((one) => !isStored.has(textOf(one))) };
  }

  function added(changes: readonly Change[]): Set<string> {
    return after(
      new Set(['@ NS']),
      changes.map((one) => ({ ...one, verb: 'add' as const })),
    );
  }

  const inputOf = ({ name: owner, type }: Change) => record(owner, type, dataOf[type], { ttl: 60 });

  it.each([0, 200])('by bulk inserts into a zone of %i other records', async (others) => {
    const made = open(0);
    const more = Array.from({ length: others }, (_, n): Change => {
      return { verb: 'add', name: `h${n}.x`, type: 'A' };
    });
    let number = 0;
    await fc.assert(
      fc.asyncProperty(records, async (all) => {
        const { stored, wanted } = parts(all, more.slice(0, 1));
        if (wanted.length === 0) return;
        const zoneName = `z${++number}.example`;
        await made.stored.zone(zoneName, { apexNs: true });
        await made.stored.add(zoneName, ...[...stored, ...more.slice(1)].map(inputOf));
        const body = Buffer.from(
          JSON.stringify({ zone_name: zoneName, records: wanted.map(inputOf) }),
        );
        const bulk = { zoneName, records: scanBulk(body, true)!.records };
        const done = made.importer.create(bulk, fullRights, apiOptions);
        if (isOccluded(added([...stored, ...wanted]))) {
          await expect(done).rejects.toThrow('below the DNAME');
        } else for await (const _ of (await done)!);
      }),
      runs,
    );
    await settle(made);
  });

  it('by staged imports', async () => {
    const made = open(0);
    const mode = fc.constantFrom('append', 'upsert', 'replace');
    let number = 0;
    await fc.assert(
      fc.asyncProperty(records, mode, async (all, how) => {
        const { stored, wanted } = parts(all);
        const zoneName = `z${++number}.example`;
        await made.stored.zone(zoneName, { apexNs: true });
        await made.stored.add(zoneName, ...stored.map(inputOf));
        const lines = wanted.map(
          ({ name: owner, type }) => `${owner} 60 IN ${type} ${dataOf[type]}`,
        );
        const content = [...lines, '@ 60 IN NS ns.example.'].join('\n');
        const { errors } = await made.importer.run(request(content, { zoneName, mode: how }));
        // Upsert leaves nothing at a name but what the file has of the same type: names stay.
        const isRefused = isOccluded(added(how === 'replace' ? wanted : [...stored, ...wanted]));
        if (isRefused) expect(errors).toContainEqual(expect.stringContaining('below the DNAME'));
        else expect(errors).toEqual([]);
      }),
      runs,
    );
    await settle(made);
  });

  it('by very many records that were parsed', async () => {
    const made = open(0);
    await made.stored.zone(zone);
    await made.stored.add(zone, record('h7', 'DNAME', 'x.'));
    const many = Array.from({ length: 4000 }, (_, n) => record(`a.h${n}`, 'A', '192.0.2.1'));
    const command = { kind: 'create-records', zoneName: zone } as const;
    const done = made.importer.create({ ...command, records: many }, fullRights, apiOptions);
    await expect(done).rejects.toThrow('a.h7.example.com. is below the DNAME at h7.example.com.');
    const others = [
      ...many.filter(({ name: owner }) => owner !== 'a.h7'),
      record('b', 'DNAME', 'x.'),
    ];
    await answerIn(
      await made.importer.create({ ...command, records: others }, fullRights, apiOptions),
    );
    await settle(made);
  });
});
