/** A service that is there and does not answer: commands end, and do not say that none is running. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { Client } from '../../src/cli/client.ts';
import { notReached } from '../../src/cli/not-reached.ts';
import { run } from '../support/command-line.ts';
import { suspendProcess } from '../support/processes.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/stored-zones.ts';

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** So long that no answer is too late. */
const longMs = 300_000;

class ClosingClient extends Client {
  [Symbol.dispose](): void {
    this.close();
  }
}

it('a change may have been made elsewhere, unless it was never sent', async () => {
  const target = { kind: 'url', url: new URL('https://host.example'), token: undefined } as const;
  const said = async (error: Error, fields: object) =>
    (await notReached(target, Object.assign(error, fields), true)).message;
  expect(await said(new Error('socket hang up'), { code: 'ECONNRESET' })).toBe(
    'no answer came from https://host.example: ECONNRESET; whether it has made the change is not known',
  );
  for (const [error, fields] of [
    [new Error('one address'), { code: 'EHOSTUNREACH', syscall: 'connect' }],
    [new AggregateError([], 'two addresses'), { code: 'ECONNREFUSED' }],
    [new Error('no address'), { code: 'EAI_AGAIN', syscall: 'getaddrinfo' }],
  ] as const) {
    const reason = `https://host.example can not be reached: ${fields.code}`;
    expect(await said(error, fields)).toBe(reason);
  }
  const distrusted = await said(new Error('old'), { code: 'CERT_HAS_EXPIRED' });
  expect(distrusted).toMatch(/is not trusted: it has expired$/);
});

it('a change was not made where the connection ends in the handshake of TLS', async () => {
  await using closing = createTcpServer((socket) => void socket.once('data', () => socket.end()));
  await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
  const address = `https://127.0.0.1:${(closing.address() as AddressInfo).port}`;
  using ofUrl = new ClosingClient({ kind: 'url', url: new URL(address), token: undefined });
  await expect(ofUrl.post('/zones', {})).rejects.toMatchObject({
    exitCode: 7,
    message: `${address} can not be reached: ECONNRESET`,
    hint: expect.stringContaining('check --url'),
  });
});

describe('a request without an answer', () => {
  const path = join(folder, 'zonebook.sock');
  let server: Server;
  let client: Client;
  afterEach(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });

  async function serve(listener: RequestListener, healthMs = 100) {
    server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(path, resolve));
    client = new Client({ kind: 'socket', path }, {}, { quietMs: 20, healthMs });
  }

  it('ends when the service does not tell of its health either', async () => {
    await serve(() => {});
    await expect(client.get('/zones')).rejects.toMatchObject({
      exitCode: 7,
      message: expect.stringMatching(
        /zonebook\.sock is there, but does not answer: no answer within \S+ s$/,
      ),
      hint: expect.not.stringContaining('zonebook serve'),
    });
    await expect(client.post('/zones', {})).rejects.toMatchObject({
      message: expect.stringMatching(/; whether it has made the change is not known$/),
    });
  });

  const isUnknown = /; whether it has made the change is not known$/;

  it('may have made the change when it is cut off', async () => {
    await serve((request) => request.socket.destroy());
    await expect(client.post('/zones', {})).rejects.toMatchObject({
      exitCode: 7,
      message: expect.stringMatching(isUnknown),
    });
    await expect(client.get('/zones')).rejects.toMatchObject({
      message: expect.not.stringMatching(isUnknown),
    });
  });

  it.each([
    [502, true],
    [503, false],
    [504, true],
  ])('may have made the change when a proxy answers for it: %i', async (status, unknown) => {
    await serve((_, response) => response.writeHead(status).end('<p>no</p>'));
    const message = await client
      .post<string>('/zones', {})
      .catch((error) => error.message as string);
    expect(message).toContain(`answered status ${status} with no answer of zonebook`);
    expect(isUnknown.test(message)).toBe(unknown);
    const read = await client.get<string>('/zones').catch((error) => error.message as string);
    expect(read).not.toMatch(isUnknown);
  });

  it('takes a connection again that was in use just now, and none that the service may be ending', async () => {
    const connections: unknown[] = [];
    await serve((request, response) => {
      // A client of another test may still ask for the health.
      if (request.url === '/zones') connections.push(request.socket);
      response.setHeader('content-type', 'application/json').end('{}');
    });
    for (const idleMs of [longMs, 20]) {
      connections.length = 0;
      using kept = new ClosingClient({ kind: 'socket', path }, {}, { idleMs });
      await kept.get('/zones');
      await setTimeout(40);
      await kept.post('/zones', {});
      expect(new Set(connections).size).toBe(idleMs === longMs ? 1 : 2);
    }
  });

  it('ends in the middle of an answer, too', async () => {
    const pieces: string[] = [];
    await serve((request, response) => {
      if (request.url !== '/health') response.write('half');
      else if (pieces.length === 0) response.end('{}');
    });
    const taken = client.getText('/export', {}, (piece) => void pieces.push(piece.toString()));
    await expect(taken).rejects.toMatchObject({ exitCode: 7 });
    expect(pieces).toEqual(['half']);
  });

  it('waits for a service that is healthy, however long it takes', async () => {
    let asked = 0;
    let answer = () => {};
    await serve((request, response) => {
      response.setHeader('content-type', 'application/json');
      if (request.url !== '/health') {
        answer = () => response.end('{"done":true}');
        return;
      }
      asked++;
      // Unhealthy is an answer as well, and one that is missed is not the end.
      if (asked === 2) request.socket.destroy();
      else response.writeHead(503).end('{}');
      if (asked === 6) answer();
    }, longMs);
    expect(await client.post('/zones/import', {})).toEqual({ done: true });
  });
});

describe('a running service', () => {
  it('that is stopped is no service that does not run', async () => {
    await using service = await startService();
    const { dataDir, pid } = service;
    await suspendProcess(pid);
    try {
      const cli = (...words: string[]) => run(words, { dataDir });
      const [status, examined] = await Promise.all([cli('status'), cli('doctor', '-o', 'json')]);
      const silent = /zonebook\.sock is there, but does not answer/;
      expect([status.code, status.err]).toEqual([7, expect.stringMatching(silent)]);
      expect(status.err).not.toContain('zonebook serve');
      expect(examined.out).toMatch(silent);
      expect(examined.out).not.toContain("start it with 'zonebook serve'");
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  it('whose socket is deleted has its folder all the same', async () => {
    await using service = await startService();
    const { dataDir } = service;
    const list = async () => {
      const { code, err } = await run(['zone', 'list'], { dataDir });
      return [code, err];
    };
    rmSync(join(dataDir, 'zonebook.sock'));
    const having = `a zonebook process has the folder ${dataDir}, but none answers`;
    expect(await list()).toEqual([7, expect.stringContaining(having)]);
    await service.end();
    expect(await list()).toEqual([7, expect.stringContaining('no service is running at')]);
  });

  it('is none where the folder is empty', async () => {
    const { code, err } = await run(['status'], { dataDir: mkdtempSync(join(folder, 'empty-')) });
    expect([code, err]).toEqual([7, expect.stringContaining('no service is running at')]);
  });
});
