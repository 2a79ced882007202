/** What the benchmark writes, and how it counts and compares; its rows are run by people. */
import { expect, it } from 'vitest';
import { Law } from '../spec/support/memory-state.ts';
import { compare } from './bench/compare.ts';
import { mediansOf } from './bench/main.ts';
import { masterFile, mixFor } from './bench/mix.ts';

const zone = 'mix.example';

it('writes a mix of records that stand together in a zone, the same ones for a seed', () => {
  const law = new Law();
  law.zone(zone);
  const records = Array.from({ length: 200 }, (_, index) => mixFor(zone, 7)(index));
  expect(law.add(zone, ...records)).toHaveLength(200);
  const types = new Set(records.map(({ type }) => type));
  expect([...types].sort()).toEqual(['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NS', 'SRV', 'TXT']);
  expect(records.some(({ value }) => value.includes('\\"'))).toBe(true);
  expect(records.some(({ name }) => name.split('.').length > 2)).toBe(true);
  expect(mixFor(zone, 7)(123)).toEqual(records[123]);
  expect(mixFor(zone, 8)(123)).not.toEqual(records[123]);
  expect(masterFile(zone, 200, 7)).toMatch(/^g0\.mail \d+ IN MX 10 \S+\.mix\.example\.$/m);
});

it('takes the median of several runs, of processor time too', () => {
  const run = (value: number, mainUs?: number) => [
    { what: 'creates', value, unit: '/s', ...(mainUs !== undefined && { mainUs, allUs: 9 }) },
  ];
  const figures = mediansOf('row', [run(10, 3), run(30, 1), run(20, 2)]);
  expect(figures).toMatchObject([{ row: 'row', value: 20, mainUs: 2, allUs: 9, unit: '/s' }]);
  expect(mediansOf('row', [run(1)])[0]!.mainUs).toBeUndefined();
});

it('calls a lower rate worse, and a higher time, from the tolerance on', () => {
  const figure = (unit: string, value: number, mainUs?: number) => {
    return { row: 'row', what: unit, unit, value, mainUs };
  };
  const before = [figure('/s', 100, 10), figure('ms', 100), figure('MB', 100), figure('lost', 1)];
  const after = [figure('/s', 80, 10.5), figure('ms', 80), figure('MB', 120)];
  const found = compare(before, after, 10);
  expect(found.map(({ name, ratio, isWorse }) => [name, ratio, isWorse])).toEqual([
    ['row: /s', 0.8, true],
    ['row: /s, CPU of the main thread', 1.05, false],
    ['row: ms', 0.8, false],
    ['row: MB', 1.2, true],
  ]);
});
