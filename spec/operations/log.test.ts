/**
 * The log of a whole run: one line for each request and each event of the journal, transfers, NOTIFY,
 * updates and refusals, in both formats, and no secret in any of them.
 */
import { execFileSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { patienceMs } from '../support/patience.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';
import { type Reply, type RunningService, startService } from '../support/service.ts';
import { sendUpdate } from '../support/updaters.ts';

type Line = Record<string, unknown> & { readonly event: string };

interface Caller {
  readonly secret?: string;
  readonly requestId?: string;
}

/** A secondary that acknowledges every NOTIFY: the same message as a response. */
async function acknowledgingSecondary(): Promise<{ socket: Socket; port: number }> {
  const socket = createSocket('udp4');
  const port = await freePort();
  await new Promise<void>((resolve) => socket.bind(port, '127.0.0.1', resolve));
  socket.on('message', (message, { address, port }) => {
    message.writeUInt8(message.readUInt8(2) | 0x84, 2);
    socket.send(message, port, address);
  });
  return { socket, port };
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!holds() && Date.now() < deadline) await new Promise((next) => setTimeout(next, 50));
}

const wrongToken = `zb_${'w'.repeat(40)}`;

needsPeers('dig', 'nsupdate')('a run', () => {
  describe.each(['text', 'json'] as const)('as %s', (format) => {
    let service: RunningService;
    let lines: Line[];
    let journalled: string[];
    let kept: string;
    const secrets: string[] = [wrongToken];

    /** A request over the network, or by the local socket when no secret is given. */
    function call(
      method: string,
      path: string,
      body?: unknown,
      { secret, requestId }: Caller = {},
    ): Promise<Reply> {
      const headers: Record<string, string> = {};
      if (body !== undefined) headers['content-type'] = 'application/json';
      if (secret !== undefined) headers.authorization = `Bearer ${secret}`;
      if (requestId !== undefined) headers['x-request-id'] = requestId;
      const where =
        secret === undefined
          ? { socketPath: join(service.dataDir, 'zonebook.sock') }
          : { host: '127.0.0.1', port: service.apiPort };
      return new Promise((resolve, reject) => {
        const outgoing = request({ ...where, agent: false, method, path, headers }, (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () => resolve({ status: response.statusCode!, body: parsed(text) }));
        });
        outgoing.on('error', reject);
        outgoing.end(body === undefined ? undefined : JSON.stringify(body));
      });
    }

    function parsed(text: string): unknown {
      return text.startsWith('{') ? JSON.parse(text) : text;
    }

    /** A line of text as what the JSON of it would say; the greeting has no lines of this form. */
    function lineOfText(text: string): Line | undefined {
      const found = /^\S+Z (debug|info|warn|error) +(\S+)(.*)$/.exec(text);
      if (found === null) return undefined;
      const [, level, event = '', rest = ''] = found;
      const pairs = rest.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|\S+)/g);
      const fields = [...pairs].map(([, name, value = '']) => [name, unquoted(value)]);
      return { level, event, ...Object.fromEntries(fields) };
    }

    function unquoted(value: string): unknown {
      return /^("|\d+$|true$|false$|null$)/.test(value) ? JSON.parse(value) : value;
    }

    function readLines(output: string): Line[] {
      const texts = output.split('\n').filter((text) => text !== '');
      if (format === 'json') return texts.map((text) => JSON.parse(text));
      return texts.map(lineOfText).filter((line) => line !== undefined);
    }

    function linesOf(event: string): Line[] {
      return lines.filter((line) => line.event === event);
    }

    beforeAll(async () => {
      service = await startService({
        ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true',
        ZONEBOOK_LOGGING_LEVEL: 'debug',
        ZONEBOOK_LOGGING_FORMAT: format,
      });
      const { socket, port } = await acknowledgingSecondary();
      const made = await call('POST', '/tokens', { name: 'ci', role_name: 'admin' });
      const secret: string = made.body.secret;
      secrets.push(secret);
      const ci = { secret };
      const soa = { mname: 'ns1.example.net', rname: 'hostmaster@example.net' };
      const deploy = { secret, requestId: 'deploy-42' };
      await call('POST', '/zones', { name: 'example.com', ...soa }, deploy);
      await call('POST', '/zones', { name: 'dry.example', ...soa, dry_run: true }, ci);
      const forged = { secret, requestId: 'a b level=error' };
      const record = { zone_name: 'example.com', name: 'www', type: 'A', value: '192.0.2.1' };
      await call('POST', '/records', record, forged);
      const file = { content: 'imported 300 IN A 192.0.2.3\n', mode: 'append' };
      await call('POST', '/zones/example.com/import', file, ci);
      await call('POST', '/roles', { name: 'ops' }, ci);
      await call('POST', '/roles/ops/grants', { actions: ['zone:read'] }, ci);
      const ops = await call('POST', '/tokens', { name: 'ops', role_name: 'ops' }, ci);
      secrets.push(ops.body.secret);

      const key = (await call('POST', '/tsig-keys', { name: 'k.example', role_name: 'admin' }, ci))
        .body;
      const peerKey = { name: 'k.example', algorithm: 'hmac-sha256', secret: key.secret };
      secrets.push(key.secret);
      const secondary = {
        name: 'ns2',
        address: `127.0.0.1:${port}`,
        notify_key_name: null,
      };
      await call('POST', '/secondaries', secondary, ci);

      await call('GET', '/zones', undefined, { secret: wrongToken });
      await call('GET', '/zones/none.example', undefined, ci);
      await call('POST', '/zones', { name: 'b.example', ...soa }, { secret: ops.body.secret });
      await call('POST', '/tsig-keys', { name: 'x', role_name: 'ops', secret: `${secret}?` }, ci);

      const target = { port: service.dnsPort, zone: 'example.com' };
      const add = 'update add updated.example.com 300 A 192.0.2.4';
      await sendUpdate('nsupdate', { ...target, key: peerKey }, add);
      await sendUpdate('nsupdate', target, add);
      // The secondary answers in this process, which dig holds up.
      await until(() => service.output.includes('notify.acknowledged'));
      const dig = (...query: string[]) =>
        execFileSync(peer('dig')!, ['@127.0.0.1', '-p', String(service.dnsPort), ...query], {
          encoding: 'utf8',
        });
      dig('example.com', 'AXFR', '-y', `hmac-sha256:k.example:${key.secret}`);
      socket.close();
      dig('example.com', 'AXFR', '-b', '127.0.0.1');
      await call('POST', '/secondaries', { name: 'dead', address: '127.0.0.9:9' }, ci);
      await call('DELETE', '/secondaries/ns2', undefined, ci);
      dig('example.com', 'AXFR');
      await call('POST', '/zones/example.com/notify?bump_serial=true', undefined, ci);
      await until(() => service.output.includes('notify.failed'));
      await service.end();
      lines = readLines(service.output);
      const log = await run([
        'journal',
        'log',
        '--data-dir',
        service.dataDir,
        '-o',
        'json',
        '--limit',
        '1000',
      ]);
      kept = log.out;
      journalled = JSON.parse(log.out).items.map(({ kind }: { kind: string }) => kind);
    });
    afterAll(() => service[Symbol.asyncDispose]());

    it('has one line for each event of the journal, and none for dry runs', () => {
      const kinds = new Set(journalled);
      const logged = lines.map(({ event }) => event).filter((event) => kinds.has(event));
      expect(logged.sort()).toEqual(journalled.sort());
      expect(logged.length).toBeGreaterThan(10);
    });

    it('says of an event what, by whom and in which request', () => {
      expect(linesOf('zone.created')).toEqual([
        expect.objectContaining({
          zone: 'example.com',
          serial: 1,
          added: 1,
          source: 'api',
          by: 'token:ci',
          requestId: 'deploy-42',
        }),
      ]);
      expect(linesOf('records.changed').map(({ source, by }) => [source, by])).toEqual([
        ['api', 'token:ci'],
        ['nsupdate', 'tsig_key:k.example'],
      ]);
      expect(linesOf('zone.imported')[0]).toMatchObject({ zone: 'example.com', added: 1 });
      expect(linesOf('token.created')[0]).toMatchObject({ token: 'ci', source: 'cli' });
    });

    it('has one line for each request, with the reason of a refusal', () => {
      const requests = linesOf('http.request');
      const created = requests.filter(({ requestId }) => requestId === 'deploy-42');
      expect(created).toEqual([
        expect.objectContaining({
          method: 'POST',
          route: '/zones',
          status: 201,
          token: 'ci',
          client: '127.0.0.1',
        }),
      ]);
      expect(requests[0]).toMatchObject({ client: '127.0.0.1', route: '/health' });
      expect(requests.some(({ client }) => client === 'local')).toBe(true);
      const refused = requests.filter(({ code }) => code !== undefined);
      expect(refused.map(({ status, code, token }) => [status, code, token])).toEqual([
        [401, 'INVALID_TOKEN', undefined],
        [404, 'ZONE_NOT_FOUND', 'ci'],
        [403, 'FORBIDDEN', 'ops'],
        [400, 'INVALID_INPUT', 'ci'],
        // NOTIFY on demand reports the secondary that did not acknowledge.
        [502, 'NOTIFY_FAILED', 'ci'],
      ]);
      expect(refused[1]!.error).toContain('none.example');
    });

    it('lets no caller write into the log by its request id', () => {
      expect(service.output).not.toContain('a b level=error');
      const ids = linesOf('http.request').map(({ requestId }) => String(requestId));
      for (const id of ids) expect(id).toMatch(/^deploy-42$|^[0-9a-f-]{36}$/);
    });

    it('has a line for each transfer, NOTIFY and update, done or refused', () => {
      expect(linesOf('transfer.sent')).toEqual([
        expect.objectContaining({
          zone: 'example.com',
          kind: 'axfr',
          client: '127.0.0.1',
          key: 'k.example',
        }),
        expect.objectContaining({ zone: 'example.com', kind: 'axfr' }),
      ]);
      expect(linesOf('transfer.refused')).toEqual([
        expect.objectContaining({ level: 'warn', zone: 'example.com', client: '127.0.0.1' }),
      ]);
      expect(linesOf('dns.update')).toEqual([
        expect.objectContaining({ zone: 'example.com', key: 'k.example', rcode: 'NOERROR' }),
      ]);
      expect(linesOf('dns.update-refused')).toEqual([
        expect.objectContaining({ level: 'warn', zone: 'example.com', rcode: 'REFUSED' }),
      ]);
      const acknowledged = linesOf('notify.acknowledged');
      expect(acknowledged.length).toBeGreaterThan(0);
      for (const line of acknowledged) {
        expect(line).toMatchObject({ secondary: 'ns2', address: '127.0.0.1' });
      }
      expect(linesOf('notify.failed').length).toBeGreaterThan(0);
    });

    it('tells start and end', () => {
      expect(linesOf('service.started')).toHaveLength(1);
      expect(linesOf('service.stopping')).toHaveLength(1);
      expect(linesOf('service.stopped')[0]).toMatchObject({ graceful: true });
    });

    it('holds no secret', () => {
      secrets.push(readFileSync(join(service.dataDir, 'keys.key'), 'utf8').trim());
      expect(secrets).toHaveLength(5);
      for (const secret of secrets) {
        expect(secret.length).toBeGreaterThan(30);
        expect(service.output).not.toContain(secret);
        expect(kept).not.toContain(secret);
      }
      expect(service.output).not.toMatch(/bearer/i);
    });
  });
});
