/** What passes from one thread to the other is the same when it has arrived. */
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { DetailedProblem, ListedProblem, Problem } from '../base/problem.ts';
import { StorageProblem } from '../base/storage-problem.ts';
import { isSqliteError } from '../journal/pages.ts';
import { packed, withBuffers } from '../base/message-bytes.ts';
import { decodeFailure, encodeFailure } from './messages.ts';

const sqliteError = (code: string) => new Sqlite.SqliteError('said by SQLite', code);
const item = { list: 'create', index: 3, code: 'ZONE_CONFLICT', message: 'first' } as const;

it.each([
  ['a problem', new Problem('OVERLOADED', 'too many', 7)],
  ['one of many', new ListedProblem(new Problem('ZONE_CONFLICT', 'first'), [item])],
  ['one with facts', new ListedProblem(new DetailedProblem('GUARDED', 'held', { of: 5 }), [item])],
  ['a fault of the storage', new StorageProblem('full', sqliteError('SQLITE_FULL'))],
  ['what SQLite refuses', sqliteError('SQLITE_CONSTRAINT_PRIMARYKEY')],
  ['a bug', new TypeError('a bug')],
])('%s is the same on the other side', (_, error) => {
  const { stack: _stack, ...told } = encodeFailure(error);
  const arrived = decodeFailure(structuredClone(encodeFailure(error)));
  const { stack: _other, ...again } = encodeFailure(arrived);
  expect(again).toEqual(told);
  expect(arrived.message).toBe(error.message);
  const errorsOf = (each: Error) => (each instanceof ListedProblem ? each.errors : undefined);
  expect(errorsOf(arrived)).toEqual(errorsOf(error));
  const detailsOf = (each: Error) => (each instanceof ListedProblem ? each.details : undefined);
  expect(detailsOf(arrived)).toEqual(detailsOf(error));
  if (error.name === 'TypeError') expect(arrived.stack).toBe(error.stack);
  expect(arrived instanceof Problem).toBe(error instanceof Problem);
  if (error instanceof StorageProblem) expect(arrived).toBeInstanceOf(StorageProblem);
  if (error.name === 'SqliteError') expect(isSqliteError(arrived)).toBe(true);
});

it('bytes of a message share no memory with the pool, and are Buffers again', () => {
  const pooled = Buffer.from('pooled');
  const numbers = Uint32Array.of(1, 2);
  const message = { list: [pooled, { own: new Uint8Array([7]), numbers }], none: null };
  const [first, rest] = packed(message).list as [Buffer, { own: Buffer; numbers: Uint32Array }];
  expect(first).toEqual(pooled);
  expect(first.buffer).not.toBe(pooled.buffer);
  expect(first.buffer.byteLength).toBeLessThan(pooled.buffer.byteLength);
  expect(rest.numbers).toBe(numbers);
  const [again, other] = withBuffers(structuredClone(message)).list as [Buffer, { own: Buffer }];
  expect([Buffer.isBuffer(again), Buffer.isBuffer(other.own)]).toEqual([true, true]);
  expect([again.toString(), other.own[0]]).toEqual(['pooled', 7]);
});
