/** What checks make of failures: none of them ends the others. */
import { expect, it } from 'vitest';
import { AccessError, LoadError } from '../../journal/database.ts';
import type { Context } from '../command.ts';
import { CliFailure, exitCode } from '../failure.ts';
import { type CheckResult, guarded, resultOfFailure } from './check-result.ts';
import { examine } from './examination.ts';

async function all(results: AsyncIterable<CheckResult>): Promise<CheckResult[]> {
  return Array.fromAsync(results);
}

it('what was not foreseen fails a check, with the reason and the place', async () => {
  const bug = () => {
    throw new TypeError('x is not a function');
  };
  const [found, ...more] = await all(guarded('wal', bug));
  expect(more).toEqual([]);
  expect(found).toMatchObject({
    check: 'wal',
    result: 'FAIL',
    what_to_do: expect.stringContaining('report'),
  });
  expect(found?.message).toMatch(
    /^it could not be looked at: TypeError: x is not a function at .*check-result/,
  );
  async function* partly() {
    yield { check: 'wal', result: 'OK', message: 'part', what_to_do: null } as const;
    throw 'a text';
  }
  expect(
    (await all(guarded('wal', partly))).map(({ result, message }) => [result, message]),
  ).toEqual([
    ['OK', 'part'],
    ['FAIL', 'it could not be looked at: a text'],
  ]);
});

it.each([
  [new AccessError('user 1 may not'), 'FAIL', /as root or as the user of the service/],
  [new LoadError('no folder lets SQLite be loaded'), 'FAIL', /do that, and run doctor again/],
  [new CliFailure(exitCode.denied, 'no token'), 'SKIP', /use a token/],
  [Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }), 'FAIL', /look at what it names/],
])('%s says what to do', (error, result, whatToDo) => {
  const found = resultOfFailure('database', error);
  expect(found).toMatchObject({ result, what_to_do: expect.stringMatching(whatToDo) });
  expect(found.message).toContain(error.message);
});

it('a bug in every check ends none of them', async () => {
  const bug = () => {
    throw new TypeError('a bug');
  };
  const settings = new Proxy({}, { get: bug });
  const dataDir = import.meta.dirname;
  const config = { configFile: undefined, dataDir, settings, examineForStart: () => {} };
  const context = { isRemote: false, location: {}, config: async () => config, client: bug };
  const found = await all(examine(context as unknown as Context, 1));
  const failed = found.filter(({ message }) => message.includes('TypeError: a bug'));
  expect(failed.map(({ check }) => check)).toEqual(
    expect.arrayContaining(['files', 'database', 'backup', 'api']),
  );
  expect(found.at(-1)?.check).toBe('clock');
});
