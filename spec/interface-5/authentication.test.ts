import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FailureLimit } from '../../src/http/login.ts';
import { InProcessService } from '../support/in-process.ts';
import { jsonOf } from '../support/json.ts';

const dayMs = 86_400_000;

describe('rights are read again in the writing transaction', () => {
  let service: InProcessService;
  beforeAll(async () => {
    service = new InProcessService({ authenticationRequired: true });
    await service.createZone('example.com');
  });
  afterAll(() => service.close());

  /** A request whose token is checked now and whose body ends only after `meanwhile`. */
  async function interrupted(secret: string, meanwhile: () => Promise<unknown>) {
    const body = { zone_name: 'example.com', name: 'late', type: 'A', value: '192.0.2.1' };
    const stream = new TransformStream<Uint8Array, Uint8Array>();
    const sent = service.request('/records', {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: stream.readable,
      duplex: 'half',
    } as RequestInit);
    const writer = stream.writable.getWriter();
    const text = JSON.stringify(body);
    await writer.write(Buffer.from(text.slice(0, 10)));
    await meanwhile();
    const head = service.events();
    await writer.write(Buffer.from(text.slice(10)));
    await writer.close();
    const response = await sent;
    return { status: response.status, code: (await jsonOf(response)).code, head };
  }

  it('so the end of its only grant stops what was on its way', async () => {
    const grant = { actions: ['record:create'], zone_name: 'example.com' };
    const secret = await service.tokenOf('w0', [grant]);
    const { items } = await service.call('GET', '/roles/w0/grants', undefined, 200, 'local');
    const late = await interrupted(secret, () =>
      service.call('DELETE', `/roles/w0/grants/${items[0].id}`, undefined, 200, 'local'),
    );
    expect(late).toMatchObject({ status: 404, code: 'ZONE_NOT_FOUND' });
    expect(service.events()).toBe(late.head);
  });

  it('so a grant that goes while another stays is FORBIDDEN', async () => {
    const secret = await service.tokenOf('w1', [
      { actions: ['zone:read'] },
      { actions: ['record:create'] },
    ]);
    const { items } = await service.call('GET', '/roles/w1/grants', undefined, 200, 'local');
    const late = await interrupted(secret, () =>
      service.call('DELETE', `/roles/w1/grants/${items[1].id}`, undefined, 200, 'local'),
    );
    expect(late).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });

  it('so a token that is deleted or expires on the way is INVALID_TOKEN', async () => {
    const deleted = await service.tokenOf('w2', 'admin');
    const late = await interrupted(deleted, () =>
      service.call('DELETE', '/tokens/w2', undefined, 200, 'local'),
    );
    expect(late).toMatchObject({ status: 401, code: 'INVALID_TOKEN' });
    const expiring = await service.tokenOf('w3', 'admin', { expires_in_days: 1 });
    const expired = await interrupted(expiring, async () => service.pass(dayMs));
    expect(expired).toMatchObject({ status: 401, code: 'INVALID_TOKEN' });
    expect(service.events()).toBe(expired.head);
  });

  it('so what waits in the queue behind a revoke is refused', async () => {
    const secret = await service.tokenOf('w4', [{ actions: ['record:create'] }]);
    const { token } = await service.call('GET', '/tokens/self', undefined, 200, secret);
    const { items } = await service.call('GET', '/roles/w4/grants', undefined, 200, 'local');
    const options = { source: 'api', requestId: null, dryRun: false } as const;
    const revoke = service.writer.submit(
      { kind: 'delete-grant', roleName: 'w4', id: items[0].id },
      { ...options, actor: null },
    );
    const records = [{ name: 'queued', type: 'A', value: '192.0.2.1' }];
    const write = service.writer.submit(
      { kind: 'create-records', zoneName: 'example.com', records },
      { ...options, actor: { kind: 'token', id: token.id, name: token.name } },
    );
    await expect(write).rejects.toMatchObject({ code: 'ZONE_NOT_FOUND' });
    await revoke;
  });
});

describe('brute force', () => {
  const wrong = (index: number) => `zb_${String(index).padStart(40, '0')}`;

  it('ends in 429 with Retry-After, for failing attempts only', async () => {
    const service = new InProcessService({
      authenticationRequired: true,
      authFailuresPerMinute: 5,
    });
    const good = await service.tokenOf('good', 'admin');
    const expired = await service.tokenOf('old', 'admin', { expires_in_days: 1 });
    service.pass(dayMs);
    const status = async (secret?: string) =>
      (await service.fetch('GET', '/zones', undefined, secret)).status;
    for (let index = 0; index < 3; index++) {
      // What is no attempt at a secret is not counted, nor is a secret that is known.
      expect(await status()).toBe(401);
      expect(await status(expired)).toBe(401);
      expect(await status(good)).toBe(200);
    }
    for (let index = 0; index < 5; index++) expect(await status(wrong(index))).toBe(401);
    const refused = await service.fetch('GET', '/zones', undefined, wrong(6));
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect((await jsonOf(refused)).code).toBe('RATE_LIMITED');
    expect(await status(expired)).toBe(429);
    expect(await status()).toBe(401);
    expect(await status(good)).toBe(200);
    expect(await status('local')).toBe(200);
    await service.close();
  });

  it('is counted for a whole /64 of IPv6, as one host has it', async () => {
    const failures = new FailureLimit(2);
    const codeOf = (address: string) =>
      failures.refuse(address, 'unknown').catch(({ code }) => code);
    expect(await codeOf('2001:db8::1')).toBe('INVALID_TOKEN');
    expect(await codeOf('2001:db8::2:1')).toBe('INVALID_TOKEN');
    expect(await codeOf('2001:db8:0:0:3::1')).toBe('RATE_LIMITED');
    expect(await codeOf('2001:db8:0:1::1')).toBe('INVALID_TOKEN');
  });

  it('is not counted when the limit is 0', async () => {
    const service = new InProcessService({ authenticationRequired: true });
    for (let index = 0; index < 50; index++) {
      await service.refused('GET', '/zones', undefined, 'INVALID_TOKEN', '', wrong(index));
    }
    await service.close();
  });
});
