/** Clients that ask for large answers and take none of them: memory is bounded, and others are answered. */
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { residentMebibytes } from '../support/crowd.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import { startService } from '../support/service.ts';

const zone = 'large.example';
const value = Array.from({ length: 230 }, () => `"${'x'.repeat(250)}"`).join(' ');
const clients = 20;
const behind = 10;
/** All of their answers would take three times as much. */
const mebibytesAllowed = 800;

it('answers that nobody takes do not end the service', async () => {
  await using service = await startService({
    ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true',
    ZONEBOOK_LOGGING_LEVEL: 'error',
  });
  const soa = { mname: 'ns1.example.net', rname: 'h@example.net' };
  await callLocally(service, 'POST', '/zones', { name: zone, ...soa });
  const records = Array.from({ length: 200 }, (_, index) => {
    return { name: `h${index}`, type: 'TXT', value };
  });
  await callLocally(service, 'POST', '/records/bulk', { zone_name: zone, records });
  const [one, other] = await Promise.all([tokenOf(service, 'one'), tokenOf(service, 'other')]);
  const head = (token: string, path: string) =>
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const sockets: Socket[] = [];
  for (let client = 0; client < clients; client++) {
    const socket = connect(service.apiPort, '127.0.0.1').pause();
    sockets.push(socket);
    socket.write(head(one, '/records?limit=1000').repeat(behind));
  }
  const headers = { Authorization: `Bearer ${other}` };
  const ask = (path: string) => fetch(`http://127.0.0.1:${service.apiPort}${path}`, { headers });
  let most = 0;
  for (let asked = 0; asked < 20; asked++) {
    expect((await ask('/zones')).status).toBe(200);
    most = Math.max(most, residentMebibytes(service.pid));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  console.log(`${clients} clients that take nothing: at most ${Math.round(most)} MiB`);
  expect(most).toBeLessThan(mebibytesAllowed);
  const mine = await fetch(`http://127.0.0.1:${service.apiPort}/records?limit=1000`, {
    headers: { Authorization: `Bearer ${one}` },
  });
  expect([mine.status, mine.headers.get('retry-after')]).toEqual([503, '5']);
  const whole = await ask('/records?limit=1000');
  const { items } = (await whole.json()) as { readonly items: readonly object[] };
  expect(items).toHaveLength(201);
  for (const socket of sockets) socket.destroy();
  expect(await service.end()).toBe(0);
});
