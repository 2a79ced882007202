/**
 * Secondaries that serve serials which leave too few after them, of every zone and of the catalog. A new epoch
 * ignores these, and everything can be changed afterwards.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';
import { type AnswerChanges, soaAnswer } from '../support/soa-answer.ts';

const zone = 'example.com';
const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
const jump = 65_536;

/** Serves every zone that it is asked for, and acknowledges NOTIFY. */
async function secondary(serial: number, changes: AnswerChanges = {}) {
  const socket = createSocket('udp4');
  socket.on('message', (request, from) => {
    socket.send(soaAnswer(request, serial, changes), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    [Symbol.dispose]: () => void socket.close(),
  };
}

async function serialAfterChange(service: RunningService, name: string): Promise<number> {
  await service.must('POST', '/records', { zone_name: zone, name, type: 'A', value: '192.0.2.1' });
  return (await service.must('GET', `/zones/${zone}`)).zone.serial;
}

it('leads neither a restore nor a recovery to serials that leave too few', async () => {
  await using service = await startService();
  using last = await secondary(2_146_483_646);
  using past = await secondary(4_294_967_295);
  using honest = await secondary(300_000);
  using chaos = await secondary(7, { chaosBytes: 0 });
  await service.must('POST', '/zones', { name: zone, ...soa });
  const addresses = { last, past, honest, chaos };
  for (const [name, { address }] of Object.entries(addresses)) {
    await service.must('POST', '/secondaries', { name, address });
  }
  const backup = join(service.dataDir, 'backup.db');
  const { dataDir } = service;
  expect((await run(['backup', backup], { dataDir })).code).toBe(0);
  await service.end();

  const text = await run(['restore', backup, '--dry-run'], { dataDir });
  expect([text.code, text.err]).toEqual([0, '']);
  expect(text.out).toContain(
    `ignored serial 4294967295 of catalog.invalid and 1 more, as secondary past says: too few are left after it`,
  );
  const restored = await run(['restore', backup, '-o', 'json'], { dataDir });
  expect([restored.code, restored.err]).toEqual([0, '']);
  const { ignored_serials: ignored, zones, catalog } = JSON.parse(restored.out);
  for (const name of [zone, 'catalog.invalid']) {
    expect(ignored).toContainEqual({ secondary: 'last', zone: name, serial: 2_146_483_646 });
    expect(ignored).toContainEqual({ secondary: 'past', zone: name, serial: 4_294_967_295 });
  }
  expect(ignored).toHaveLength(4);
  expect(zones[0].next_serial).toBe(300_000 + jump);
  expect(catalog.next_serial).toBe(300_000 + jump);
  expect(zones[0].secondaries).toEqual([
    { secondary: 'chaos', serial: null },
    { secondary: 'honest', serial: 300_000 },
    { secondary: 'last', serial: 2_146_483_646 },
    { secondary: 'past', serial: 4_294_967_295 },
  ]);
  await service.start();
  expect(await serialAfterChange(service, 'www')).toBe(300_000 + jump + 1);

  await service.end();
  await service.start('--recover');
  expect(service.output).toContain('secondary.serials-ignored');
  expect(await serialAfterChange(service, 'api')).toBe(300_000 + 2 * jump + 2);
  // The catalog moves on, and is served.
  await service.must('POST', '/zones', { name: 'other.example', ...soa });
  expect((await run(['journal', 'verify'], { dataDir })).code).toBe(0);
  expect(service.output).not.toContain('notify.lost');
});
