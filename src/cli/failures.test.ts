/** What commands say when something around them fails: the file, the place, and what to do. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, serveApp } from '../../spec/support/command-line.ts';
import { fakeServices } from '../../spec/support/fake-services.ts';
import { freePort } from '../../spec/support/ports.ts';
import { exchange } from '../base/http-exchange.ts';
import { Problem } from '../base/problem.ts';
import { DatabaseError, InUseError, LoadError } from '../journal/database.ts';
import { KeyFileError } from '../keystore/sealing.ts';
import { withNote } from './terminal.ts';
import { asFailure, sentenceOf } from './failure.ts';

const folder = mkdtempSync(join(tmpdir(), 'zonebook-failures-'));
let server: Awaited<ReturnType<typeof serveApp>>;
beforeAll(async () => {
  server = await serveApp(fakeServices(), join(folder, 'zonebook.sock'));
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

const cli = (...words: string[]) => run(words, { dataDir: folder });

const ofSqlite = (code: string) => Object.assign(new Error('of SQLite'), { code });

it.each([
  [new Problem('ZONE_NOT_FOUND', 'no zone'), 3, undefined],
  [new Problem('DNSSEC_ALREADY_ENABLED', 'signed'), 4, undefined],
  [new Problem('INVALID_INPUT', 'two keys'), 1, undefined],
  [new InUseError('in use'), 4, 'stop the service first'],
  [new DatabaseError('of a newer zonebook'), 6, undefined],
  [new LoadError('no folder'), 6, undefined],
  [
    new DatabaseError('can not be opened', { cause: ofSqlite('SQLITE_FULL') }),
    1,
    expect.stringContaining('make room'),
  ],
  [
    new DatabaseError('can not be opened', { cause: ofSqlite('SQLITE_BUSY') }),
    4,
    expect.stringContaining('end the other program'),
  ],
  [new KeyFileError('another key file'), 6, undefined],
])('%s of a command on the host ends with its exit code', (error, code, hint) => {
  const failure = asFailure(error);
  expect([failure?.message, failure?.exitCode, failure?.hint]).toEqual([error.message, code, hint]);
  expect(asFailure(new Error('a bug'))).toBeUndefined();
});

describe('a failure names the file', () => {
  it('of the configuration, with the line where it can not be read', async () => {
    const file = join(folder, 'bad.toml');
    writeFileSync(file, '[api]\nlisten_port = "x"\n');
    const values = await cli('zone', 'ls', '--config', file);
    expect(values.code).toBe(6);
    expect(values.err).toBe(
      `zonebook: the configuration is unusable: ${file}\n` +
        '  api.listen_port: "x" is not an integer; allowed: an integer from 0 to 65535\n',
    );
    writeFileSync(file, '[api]\nlisten_port = \n');
    expect((await cli('zone', 'ls', '--config', file)).err).toContain(`${file}: line 2, column `);
    const missing = await cli('zone', 'ls', '--config', join(folder, 'none.toml'));
    expect([missing.code, missing.err]).toEqual([6, expect.stringContaining('none.toml')]);
  });

  it('that is imported, exported or given', async () => {
    const none = join(folder, 'none', 'x');
    const says = `zonebook: ${none}: there is no such file`;
    for (const words of [
      ['zone', 'export', 'example.com', '--file', none],
      ['zone', 'import', 'example.com', none],
      ['record', 'bulk', 'example.com', none],
    ]) {
      const { code, err } = await cli(...words);
      expect([words, code, err]).toEqual([words, 1, expect.stringContaining(says)]);
      expect(err.trim().split('\n')).toHaveLength(1);
    }
  });

  it('of a database that is none', async () => {
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    const file = join(dataDir, 'zonebook.db');
    writeFileSync(file, 'this is something else\n'.repeat(100));
    chmodSync(file, 0o600);
    for (const words of [['verify'], ['log'], ['rebuild']]) {
      const { code, err } = await run(['journal', ...words], { dataDir });
      expect([words, code]).toEqual([words, 1]);
      expect(err).toContain(`zonebook: ${file}: file is not a database`);
    }
  });

  it('of the disk of the database, and not of whichever disk is full', () => {
    const ofDatabase = Object.assign(new Error('database or disk is full'), {
      code: 'SQLITE_FULL',
    });
    expect(asFailure(ofDatabase)).toMatchObject({
      message: 'the disk of the database is full',
      hint: expect.stringContaining('make room on the disk of the data folder'),
    });
    const code = { code: 'ENOSPC', syscall: 'write' };
    expect(asFailure(Object.assign(new Error('no space left'), code))).toBeUndefined();
  });

  it('of the system, without the name it has meanwhile', () => {
    const failure = (code: string, path: string) => Object.assign(new Error('bad'), { code, path });
    expect(sentenceOf(failure('ENOSPC', '/x/y.zone.partial'))).toBe(
      '/x/y.zone: no space is left on its disk',
    );
    expect(sentenceOf(failure('EACCES', '/b.db.partial-17'))).toBe(
      '/b.db: this user may not open it',
    );
    expect(sentenceOf(failure('ESTRANGE', '/x'))).toBe('bad');
    expect(sentenceOf(Object.assign(new Error('bad'), { code: 'ENOENT' }))).toBe('bad');
  });
});

describe('a service that does not answer', () => {
  let silent: Server;
  let port = 0;
  beforeAll(async () => {
    port = await freePort();
    silent = createServer((socket) => socket.on('error', () => {}));
    await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve));
  });
  afterAll(() => void silent.close());

  it('is given up after the time that the caller has', async () => {
    const answered = exchange(request, { port, path: '/' }, undefined, { withinMs: 200 });
    await expect(answered).rejects.toMatchObject({
      code: 'ETIMEDOUT',
      message: 'no answer within 0.2 s',
    });
  });

  it('is given up when not even the connection comes about', async () => {
    const options = { port, path: '/', rejectUnauthorized: false, agent: false };
    const answered = exchange(tlsRequest, options, undefined, { connectMs: 200 });
    await expect(answered).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });
});

describe('what takes long without saying how far it is', () => {
  it('is named on a terminal only, and wiped', async () => {
    for (const terminal of [true, false]) {
      let err = '';
      const stderr = {
        write(text: string) {
          err += text;
        },
      };
      const environment = { stderr, isTerminal: { stdout: terminal, stderr: terminal } };
      expect(await withNote('copying', environment as never, () => 7)).toBe(7);
      expect(err).toBe(terminal ? '\r\u001b[Kcopying ...\r\u001b[K' : '');
    }
  });
});
