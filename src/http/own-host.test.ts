import { expect, it } from 'vitest';
import { fakeServices } from '../../spec/support/fake-services.ts';
import { expectProblem } from '../../spec/support/http-door.ts';
import { createApp } from './app.ts';

type Door = 'local' | 'network';

function ask(options: Parameters<typeof fakeServices>[0], headers: object, via: Door = 'network') {
  const app = createApp(fakeServices(options));
  const given = new Headers(headers as Record<string, string>);
  return (path: string) => app.request(path, { headers: given }, { via });
}

const open = { authenticationRequired: false, hostName: 'dns.example.org' };

it('without tokens the service is reached by addresses, localhost and its configured name', async () => {
  for (const host of [
    '127.0.0.1:3000',
    '192.0.2.1',
    '[::1]:3000',
    '[2001:db8::1]',
    'localhost:3000',
    'dns.example.org',
    'DNS.Example.org.:3000',
  ]) {
    expect([host, (await ask(open, { host })('/zones')).status]).toEqual([host, 200]);
  }
});

it('without tokens no other name leads to it, on any path', async () => {
  for (const host of [
    'rebound.example',
    '127.0.0.1.example:3000',
    'localhost.example',
    '[x]',
    '',
  ]) {
    for (const path of ['/zones', '/health', '/metrics', '/openapi.json', '/nothing']) {
      await expectProblem(await ask(open, { host })(path), 403, 'FORBIDDEN', 'api.host_name');
    }
  }
  const unnamed = { ...open, hostName: undefined };
  const host = 'dns.example.org';
  await expectProblem(await ask(unnamed, { host })('/zones'), 403, 'FORBIDDEN', 'Host');
});

it('without tokens a page of another origin may not ask', async () => {
  const host = '127.0.0.1:3000';
  for (const origin of [
    'http://evil.example',
    'null',
    'http://127.0.0.1',
    'http://127.0.0.1:3001',
  ]) {
    const answer = await ask(open, { host, origin })('/zones');
    await expectProblem(answer, 403, 'FORBIDDEN', 'Origin');
  }
  for (const origin of ['http://127.0.0.1:3000', 'https://127.0.0.1:3000']) {
    expect((await ask(open, { host, origin })('/zones')).status).toBe(200);
  }
});

it('with tokens, and on the local socket, any name and origin will do', async () => {
  const foreign = { host: 'rebound.example', origin: 'http://evil.example' };
  expect((await ask({ authenticationRequired: true }, foreign)('/health')).status).toBe(200);
  expect((await ask(open, foreign, 'local')('/zones')).status).toBe(200);
});
