import { expect, it } from 'vitest';
import { dayMs, hourMs } from '../../src/base/clock.ts';
import { InProcessService } from '../support/in-process.ts';

it('sessions and codes end as soon where the clock was ahead when they were made', async () => {
  const service = new InProcessService({ authenticationRequired: true });
  try {
    const token = await service.tokenOf('boss', 'admin');
    service.pass(365 * dayMs);
    const opened = await service.fetch('POST', '/session', { token });
    const cookie = opened.headers.get('set-cookie')!.split(';')[0]!;
    const { code } = await service.call('POST', '/session/codes', undefined, 201, token);
    service.pass(-365 * dayMs);
    expect((await service.fetch('POST', '/session', { code })).status).toBe(401);
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    const status = async () => (await service.request('/zones', { headers })).status;
    expect(await status()).toBe(200);
    service.pass(12 * hourMs);
    expect(await status()).toBe(401);
  } finally {
    await service.close();
  }
});
