import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AdapterDesk, type Fault } from '../support/adapter-desk.ts';
import { Controller, type WebhookFailure } from '../support/external-dns-controller.ts';

const needed = ['record:read', 'record:create', 'record:delete'];
const desk = new AdapterDesk();
const folder = mkdtempSync(join(tmpdir(), 'zonebook-adapter-'));

beforeAll(async () => {
  await desk.open();
  await desk.service.createZone('example.com');
  await desk.service.createZone('hidden.example.com');
});
afterAll(async () => {
  await desk.close();
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  desk.fault = undefined;
});

let made = 0;
async function controllerOf(grants: readonly object[], flags: Record<string, string> = {}) {
  const token = await desk.service.tokenOf(`t${++made}`, grants);
  const { webhook, probes } = await desk.adapter({ token, ...flags });
  return { controller: new Controller(webhook), probes };
}

const whole = [{ actions: needed, zone_name: 'example.com' }];
const a = (dnsName: string) => ({ dnsName, targets: ['192.0.2.1'], recordType: 'A' });

async function failure(call: Promise<unknown>): Promise<WebhookFailure> {
  return call.then(
    () => expect.unreachable('it did not fail'),
    (error: WebhookFailure) => error,
  );
}

/** The last line that says why something was refused. */
const lastRefusal = () => desk.lines.findLast(({ event }) => event === 'external-dns.refused');

describe('what the service refuses', () => {
  it('makes 503 of 401', async () => {
    const { webhook } = await desk.adapter({ token: 'zb_nobody' });
    expect(await failure(new Controller(webhook).records())).toMatchObject({ status: 503 });
    expect(lastRefusal()).toMatchObject({ serviceStatus: 401, serviceCode: 'INVALID_TOKEN' });
    const calls = [new Controller(webhook).adjust([a('x.example.com')])];
    calls.push(new Controller(webhook).apply({ create: [a('x.example.com')] }) as never);
    for (const refused of await Promise.all(calls.map(failure))) {
      expect(refused).toMatchObject({ status: 503, ends: false });
    }
    const none = await desk.adapter();
    expect(await failure(new Controller(none.webhook).negotiate())).toMatchObject({ status: 503 });
    expect(lastRefusal()).toMatchObject({ serviceStatus: 401, serviceCode: 'UNAUTHORIZED' });
  });

  it('makes 500 of a path that is switched off', async () => {
    const { controller } = await controllerOf(whole);
    desk.fault = {
      kind: 'answers',
      status: 404,
      body: '{"error":"x","code":"ENDPOINT_NOT_FOUND"}',
    };
    const refused = await failure(controller.apply({ create: [a('x.example.com')] }));
    expect(refused).toMatchObject({ status: 500, ends: false });
    expect(lastRefusal()).toMatchObject({ serviceCode: 'ENDPOINT_NOT_FOUND' });
  });

  it('never tells the controller an empty filter', async () => {
    const { controller, probes } = await controllerOf([
      { actions: ['record:read'], zone_name: 'example.com' },
    ]);
    for (const call of [controller.negotiate(), controller.records()]) {
      const refused = await failure(call);
      expect(refused).toMatchObject({ status: 503, ends: false });
      expect(refused.message).toContain('may manage no domain');
    }
    expect((await fetch(`${probes}/healthz`)).status).toBe(503);
  });
});

describe('a service that fails', () => {
  const faults: readonly [string, Fault, string][] = [
    [
      'has an error',
      { kind: 'answers', status: 500, body: '{"error":"x","code":"INTERNAL"}' },
      'x',
    ],
    ['is overloaded', { kind: 'answers', status: 503, body: '{"error":"busy"}' }, 'busy'],
    ['is something else', { kind: 'answers', status: 200, body: '<html>' }, 'without JSON'],
    ['redirects', { kind: 'answers', status: 302, body: '{}' }, 'status 302'],
    ['has other answers', { kind: 'answers', status: 200, body: '{}' }, 'without'],
    ['breaks off', { kind: 'cut-off' }, 'ECONNRESET'],
    ['does not answer', { kind: 'silent' }, 'did not answer within 1000 ms'],
  ];

  it.each(faults)('%s: 502', async (_, fault, reason) => {
    const flags = fault.kind === 'silent' ? { timeoutSecs: '1' } : {};
    const { controller, probes } = await controllerOf(whole, flags);
    desk.fault = fault;
    const calls = [controller.negotiate(), controller.records(), controller.adjust([a('x.y')])];
    for (const refused of await Promise.all(calls.map(failure))) {
      expect(refused).toMatchObject({ status: 502, ends: false });
      expect(refused.message).toContain(reason);
    }
    const health = await fetch(`${probes}/healthz`);
    expect([health.status, await health.text()]).toEqual([503, expect.stringContaining(reason)]);
    desk.fault = undefined;
    const again = async () => {
      const answer = await fetch(`${probes}/healthz`);
      return [answer.status, await answer.text()];
    };
    await expect.poll(again).toEqual([200, 'ok']);
  });

  it('is not there: 502', async () => {
    const { webhook } = await desk.adapter({ svcUrl: 'http://127.0.0.1:1', token: 'x' });
    const refused = await failure(new Controller(webhook).apply({ create: [a('x.example.com')] }));
    expect(refused).toMatchObject({ status: 502, ends: false });
    expect(refused.message).toContain('ECONNREFUSED');
  });
});

describe('the token file', () => {
  it('is read again when it changes, and outlasts a moment without it', async () => {
    const file = join(folder, 'token');
    const replace = (text: string) => {
      writeFileSync(`${file}.new`, text);
      renameSync(`${file}.new`, file);
    };
    const first = await desk.service.tokenOf('first', whole);
    const second = await desk.service.tokenOf('second', whole);
    replace(`${first}\n`);
    const { webhook } = await desk.adapter({ tokenFile: file, token: 'not-this-one' });
    const controller = new Controller(webhook);
    await controller.negotiate();
    expect(desk.shown.at(-1)).toBe(`Bearer ${first}`);
    replace(second);
    await controller.negotiate();
    expect(desk.shown.at(-1)).toBe(`Bearer ${second}`);
    rmSync(file);
    await controller.negotiate();
    expect(desk.shown.at(-1)).toBe(`Bearer ${second}`);
    replace('two words');
    await controller.negotiate();
    expect(desk.shown.at(-1)).toBe(`Bearer ${second}`);
    expect(JSON.stringify(desk.lines)).not.toContain(second);
  });
});

describe('metrics', () => {
  it('are there at 0 from the start, then count by endpoint and result', async () => {
    const { controller, probes } = await controllerOf(whole);
    const samples = async () => (await (await fetch(`${probes}/metrics`)).text()).split('\n');
    const counts = async () =>
      (await samples()).filter((line) => line.startsWith('svc_external_dns_requests_total{'));
    const before = await counts();
    expect(before).toHaveLength(16);
    expect(before.every((line) => line.endsWith(' 0'))).toBe(true);
    for (const endpoint of ['negotiate', 'records_get', 'records_apply', 'adjustendpoints']) {
      expect(before).toContain(
        `svc_external_dns_requests_total{endpoint="${endpoint}",result="ok"} 0`,
      );
      expect(await samples()).toContain(
        `svc_external_dns_request_duration_seconds_count{endpoint="${endpoint}"} 0`,
      );
    }
    await controller.negotiate();
    await controller.records();
    await failure(controller.adjust({} as never));
    desk.fault = { kind: 'cut-off' };
    await failure(controller.apply({ create: [a('www.example.com')] }));
    desk.fault = undefined;
    const moved = (await counts()).filter((line) => !line.endsWith(' 0'));
    expect(moved).toEqual([
      'svc_external_dns_requests_total{endpoint="negotiate",result="ok"} 1',
      'svc_external_dns_requests_total{endpoint="records_get",result="ok"} 1',
      'svc_external_dns_requests_total{endpoint="records_apply",result="upstream_error"} 1',
      'svc_external_dns_requests_total{endpoint="adjustendpoints",result="client_error"} 1',
    ]);
    expect((await fetch(`${probes}/nothing`)).status).toBe(404);
    expect((await fetch(`${probes}/healthz`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${probes}/healthz`, { method: 'HEAD' })).status).toBe(200);
  });
});
