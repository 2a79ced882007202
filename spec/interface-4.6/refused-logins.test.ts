import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { jsonOf } from '../support/json.ts';

let service: InProcessService;
let admin: string;
beforeAll(async () => {
  service = new InProcessService({ authenticationRequired: true });
  admin = await service.tokenOf('boss', 'admin');
});
afterAll(() => service.close());

const hourMs = 3_600_000;

const guess = (given: object) => service.fetch('POST', '/session', given).then(jsonOf);

async function refusedLoginsSeenBy(token: string) {
  const path = '/events?kind=session.refused&order=asc';
  const { items } = await service.call('GET', path, undefined, 200, token);
  return items;
}

it('are events: the first of an address at once, the others once an hour, for who manages access', async () => {
  const short = await service.tokenOf('short', 'admin', { expires_in_days: 1 });
  service.pass(24 * hourMs);
  const { code, error } = await guess({ token: 'zb_a-guess-that-stays-outside' });
  expect(await guess({ token: short })).toMatchObject({ code, error });
  expect(await guess({ code: 'no-code' })).toMatchObject({ code, error });
  expect(await guess({ token: short })).toMatchObject({ code, error });
  await service.refusedLogins.flush();
  const first = { address: '', reason: 'unknown', count: 1 };
  expect(await refusedLoginsSeenBy(admin)).toMatchObject([
    { actor: null, source: 'system', zone: null, details: { login: first } },
  ]);
  service.pass(hourMs);
  await service.refusedLogins.flush();
  const seen = await refusedLoginsSeenBy(admin);
  const others = { address: '', reason: 'expired', count: 3 };
  expect(seen).toMatchObject([{ details: { login: first } }, { details: { login: others } }]);
  expect(JSON.stringify(seen)).not.toMatch(/guess|no-code/);
  expect(JSON.stringify(seen)).not.toContain(short);
  const reader = await service.tokenOf('reader', [{ actions: ['zone:read', 'record:read'] }]);
  expect(await refusedLoginsSeenBy(reader)).toEqual([]);
  expect(await service.verify()).toEqual([]);
});

it('are refused as before when the journal can not be written', async () => {
  const away = new InProcessService({ authenticationRequired: true });
  try {
    away.writer.submit = async () => {
      throw new Error('the disk is full');
    };
    const answer = await away.fetch('POST', '/session', { token: 'zb_wrong' });
    expect(answer.status).toBe(401);
    await away.refusedLogins.flush();
  } finally {
    await away.close();
  }
});
