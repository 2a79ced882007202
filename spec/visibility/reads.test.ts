/**
 * Every read of the contract, as callers with random grants over zones that have lived, is answered as a model
 * says that reads all as an administrator and leaves out row by row what is not granted: rows, counts, pages,
 * tags and the words of refusals. A read without a row in the model fails, and so does a new filter.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/contract/routes.ts';
import { isLong } from '../support/long.ts';
import { Judge } from './judge.ts';
import { Random } from './random.ts';
import { rows } from './rows.ts';
import { World } from './world.ts';

/** With so many filters that all choices of three of them, for all callers, would take an hour each. */
const eventReads = new Set(['listEvents', 'streamEvents']);

const reads = routes.filter(({ method }) => method === 'GET');
/** VISIBILITY_CALLERS: how many callers, for who tries changes of the code. */
const callers = Number(process.env.VISIBILITY_CALLERS ?? (isLong ? 200 : 12));
const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 1_000_000));
const random = new Random(seed);
const world = new World();

beforeAll(() => world.build(random, callers));
afterAll(() => world.service.close());

describe('the model of reads', () => {
  it('has a row for every read of the contract, and values for each of its filters', () => {
    expect(Object.keys(rows).sort()).toEqual(reads.map(({ id }) => id).sort());
    for (const { id, query } of reads) {
      const filters = Object.keys(rows[id]?.filters?.(world) ?? {});
      expect([id, ...filters.sort()]).toEqual([id, ...Object.keys(query.entries).sort()]);
    }
  });
});

describe('case 109', () => {
  it.each(reads.map(({ id }) => id))(
    `case 109: %s is answered as the model says (seed ${seed})`,
    async (id) => {
      const route = reads.find((one) => one.id === id)!;
      const judge = new Judge(world, new Random(seed));
      const inFull = eventReads.has(id) ? 120 : Number.POSITIVE_INFINITY;
      const most = isLong ? inFull : id === 'listRecords' ? 60 : 12;
      // What is open to everybody is the same for all, and long.
      const asking = route.admission.by === 'anyone' ? world.callers.slice(0, 3) : world.callers;
      for (const caller of asking) await judge.try(route, caller, most);
      const compared = [...judge.compared.values()].reduce((sum, count) => sum + count, 0);
      expect(compared).toBeGreaterThanOrEqual(asking.length);
    },
  );
});
