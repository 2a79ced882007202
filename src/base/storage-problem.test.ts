import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { Problem } from './problem.ts';
import {
  errorOf,
  failureOf,
  isTransient,
  judgeError,
  kindOfCode,
  StorageProblem,
} from './storage-problem.ts';

const { SqliteError } = Sqlite;

/** Every primary error code, and what it is for callers, as https://www.sqlite.org/rescode.html describes it. */
const meanings: Record<string, string> = {
  SQLITE_ERROR: 'bug',
  SQLITE_INTERNAL: 'bug',
  SQLITE_PERM: 'readonly',
  SQLITE_ABORT: 'bug',
  SQLITE_BUSY: 'busy',
  SQLITE_LOCKED: 'busy',
  SQLITE_NOMEM: 'memory',
  SQLITE_READONLY: 'readonly',
  SQLITE_INTERRUPT: 'bug',
  SQLITE_IOERR: 'io',
  SQLITE_CORRUPT: 'damaged',
  SQLITE_NOTFOUND: 'bug',
  SQLITE_FULL: 'full',
  SQLITE_CANTOPEN: 'io',
  SQLITE_PROTOCOL: 'busy',
  SQLITE_EMPTY: 'bug',
  SQLITE_SCHEMA: 'bug',
  SQLITE_TOOBIG: 'bug',
  SQLITE_CONSTRAINT: 'bug',
  SQLITE_MISMATCH: 'bug',
  SQLITE_MISUSE: 'bug',
  SQLITE_NOLFS: 'full',
  SQLITE_AUTH: 'bug',
  SQLITE_FORMAT: 'bug',
  SQLITE_RANGE: 'bug',
  SQLITE_NOTADB: 'damaged',
};

/** Extended codes of the families that disks cause. */
const extended = {
  io: [
    'ACCESS',
    'AUTH',
    'BEGIN_ATOMIC',
    'BLOCKED',
    'CHECKRESERVEDLOCK',
    'CLOSE',
    'COMMIT_ATOMIC',
    'CONVPATH',
    'CORRUPTFS',
    'DATA',
    'DELETE',
    'DELETE_NOENT',
    'DIR_CLOSE',
    'DIR_FSYNC',
    'FSTAT',
    'FSYNC',
    'GETTEMPPATH',
    'LOCK',
    'MMAP',
    'RDLOCK',
    'READ',
    'ROLLBACK_ATOMIC',
    'SEEK',
    'SHMLOCK',
    'SHMMAP',
    'SHMOPEN',
    'SHORT_READ',
    'TRUNCATE',
    'UNLOCK',
    'VNODE',
    'WRITE',
  ].map((name) => `SQLITE_IOERR_${name}`),
  readonly: ['CANTINIT', 'CANTLOCK', 'DBMOVED', 'DIRECTORY', 'RECOVERY', 'ROLLBACK'].map(
    (name) => `SQLITE_READONLY_${name}`,
  ),
  damaged: ['INDEX', 'SEQUENCE', 'VTAB'].map((name) => `SQLITE_CORRUPT_${name}`),
  busy: ['BUSY_RECOVERY', 'BUSY_SNAPSHOT', 'BUSY_TIMEOUT', 'LOCKED_SHAREDCACHE', 'LOCKED_VTAB'].map(
    (name) => `SQLITE_${name}`,
  ),
  full: ['SQLITE_IOERR_SHMSIZE'],
  memory: ['SQLITE_IOERR_NOMEM'],
};

const judged = (code: string) => judgeError(new SqliteError('said by SQLite', code));

describe('what a result code of SQLite means', () => {
  it.each(Object.entries(meanings))('%s: %s', (code, kind) => {
    const told = judged(code);
    expect(told instanceof StorageProblem ? told.kind : 'bug').toBe(kind);
  });

  it.each(Object.entries(extended))('extended codes: %s', (kind, codes) => {
    for (const code of codes) expect([code, kindOfCode(code)]).toEqual([code, kind]);
  });

  it('is a Problem with a code, a time to come back and no word of the inside', () => {
    for (const [code, kind] of Object.entries(meanings)) {
      if (kind === 'bug') continue;
      const told = judged(code) as StorageProblem;
      expect(told.code).toBe('STORAGE_UNAVAILABLE');
      expect(told.status).toBe(503);
      expect(told.retryAfterSeconds).toBeGreaterThan(0);
      expect(told.message).not.toMatch(/sqlite/i);
    }
  });

  it('says something of what is stored, or of the disk alone', () => {
    for (const [code, kind] of Object.entries(meanings)) {
      const ofDisk = ['full', 'readonly', 'busy', 'memory'].includes(kind) || /CANTOPEN/.test(code);
      for (const met of [new SqliteError('a page', code), judged(code)]) {
        expect([code, isTransient(met)]).toEqual([code, ofDisk]);
      }
    }
    for (const code of extended.io) {
      const isRead = ['CORRUPTFS', 'DATA', 'READ', 'SHORT_READ'].includes(code);
      const met = new SqliteError('a page', `SQLITE_IOERR_${code}`);
      expect([code, isTransient(met)]).toEqual([code, !isRead]);
    }
  });

  it('is told of by whichever thread met it', () => {
    for (const code of ['SQLITE_FULL', 'SQLITE_IOERR_READ', 'SQLITE_CORRUPT']) {
      const told = errorOf(structuredClone(failureOf(new SqliteError('a page', code))));
      expect(told).toBeInstanceOf(StorageProblem);
      expect(told).toMatchObject({ kind: kindOfCode(code), cause: { message: 'a page' } });
    }
  });
});

it('errors of system calls are judged too, and others are left as they are', () => {
  const systemError = (code: string) => Object.assign(new Error(code), { code, syscall: 'write' });
  for (const [code, kind] of [
    ['ENOSPC', 'full'],
    ['EDQUOT', 'full'],
    ['EIO', 'io'],
    ['EROFS', 'readonly'],
  ]) {
    expect(judgeError(systemError(code!))).toMatchObject({ kind });
  }
  const others = [
    systemError('ECONNRESET'),
    new TypeError('a bug'),
    new Problem('ZONE_NOT_FOUND', 'no'),
    Object.assign(new Error('no code of SQLite'), { code: 'ERR_INVALID_ARG_TYPE' }),
    'text',
    undefined,
  ];
  for (const other of others) expect(judgeError(other)).toBe(other);
});
