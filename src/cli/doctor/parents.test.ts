import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../spec/support/ports.ts';
import { Client } from '../client.ts';
import type { CheckResult } from './check-result.ts';
import { checkParents } from './parents.ts';

const parent = '127.0.0.1:53';
const unsigned = {
  expired_signatures: 0,
  future_signatures: 0,
  parent_ns_addrs: [parent],
  withdrawing: false,
  foreign_ds_since: null as string | null,
};
const active = {
  state: 'active',
  key_tag: 7,
  ds_published: true,
  ds_digest_unsupported: false,
  ds_missing: null as string | null,
};
const missing = `parent server ${parent} serves the DS of key 7 only with SHA-1: '7 13 2 AB' is missing`;
const delegation = {
  ds_state: 'published',
  ds_key_tags: [7],
  servers: [{ address: parent, ds_key_tags: [7], error: null }],
  keys: [active],
};
const signed = { ...unsigned, delegation, ds_records: [{ presentation: '7 13 2 AB' }] };

let status: object = signed;
let check: { status: number; body: object } | undefined;
let server: Server;
let client: Client;

beforeAll(async () => {
  const port = await freePort();
  server = createServer((request, response) => {
    const path = request.url ?? '';
    const zones = { items: [{ name: 'a.example' }], pagination: { limit: 1, offset: 0, total: 3 } };
    const isCheck = path.endsWith('/check-ds');
    const answer = isCheck && check !== undefined ? check : { status: 200, body: status };
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(path.startsWith('/zones?') ? zones : answer.body));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  client = new Client({
    kind: 'url',
    url: new URL(`http://127.0.0.1:${port}`),
    token: undefined,
  });
});
afterAll(() => {
  client.close();
  server.close();
});

async function findings(): Promise<CheckResult[]> {
  return Array.fromAsync(checkParents(client, 1));
}

describe('the parents of signed zones', () => {
  it('serve the DS of an active key, or the zone fails', async () => {
    const [good, left] = await findings();
    expect(good).toMatchObject({ check: 'ds a.example', result: 'OK' });
    expect(good!.message).toBe('every parent server serves the DS of key 7');
    expect(left).toMatchObject({ result: 'SKIP', what_to_do: 'give --zones' });
  });

  it.each([
    [
      { ...signed, delegation: { ...delegation, ds_state: 'hidden', keys: [], ds_key_tags: [] } },
      ['FAIL', 'the parent serves no DS', 'give the parent: 7 13 2 AB'],
    ],
    [
      {
        ...signed,
        delegation: {
          ...delegation,
          ds_key_tags: [9],
          keys: [{ ...active, ds_published: false }],
        },
      },
      ['FAIL', 'serves a DS of key 9, none of an active key', 'validators turn the zone away'],
    ],
    [
      {
        ...signed,
        delegation: {
          ...delegation,
          keys: [{ ...active, ds_published: false, ds_missing: missing }],
        },
      },
      ['FAIL', missing, 'give the parent 7 13 2 AB, and no other DS'],
    ],
    [
      {
        ...signed,
        foreign_ds_since: '2026-02-01T00:00:00.000Z',
        delegation: {
          ...delegation,
          keys: [{ ...active, ds_published: false, ds_missing: missing }],
        },
      },
      ['FAIL', `${missing}, seen since 2026-02-01`, 'and no other DS'],
    ],
    [
      { ...signed, foreign_ds_since: '2026-02-01T00:00:00.000Z' },
      ['FAIL', 'DS of key 7: that of an algorithm names no key of a.example', 'no other DS'],
    ],
    [
      {
        ...signed,
        withdrawing: true,
        foreign_ds_since: '2026-02-01T00:00:00.000Z',
        delegation: { ...delegation, ds_key_tags: [9] },
      },
      ['FAIL', 'DS of key 9, none of a key of a.example, seen since 2026-02-01', 'give the parent'],
    ],
    [
      {
        ...signed,
        delegation: {
          ...delegation,
          keys: [{ ...active, ds_published: false, ds_digest_unsupported: true }],
        },
      },
      ['SKIP', 'whose digest can not be computed', ''],
    ],
    [
      {
        ...signed,
        delegation: {
          ...delegation,
          servers: [{ address: parent, ds_key_tags: null, error: 'did not answer' }],
        },
      },
      ['FAIL', `${parent}: did not answer`, 'reached from here'],
    ],
    [{ ...signed, withdrawing: true }, ['OK', 'being withdrawn; it is published', '']],
    [{ ...signed, delegation: null }, ['SKIP', 'was not asked', '']],
    [{ ...signed, parent_ns_addrs: [] }, ['SKIP', 'no server of the parent', 'dnssec set']],
  ])('of %j are judged', async (given, [result, says, advice]) => {
    status = given;
    const [finding] = await findings();
    status = signed;
    expect([finding!.result, finding!.message]).toEqual([result, expect.stringContaining(says!)]);
    expect(finding!.what_to_do ?? '').toContain(advice);
  });

  it('that can not be asked fail, and signatures that have expired', async () => {
    check = {
      status: 409,
      body: { error: `${parent} did not answer`, code: 'DNSSEC_DS_UNVERIFIED' },
    };
    status = {
      ...signed,
      expired_signatures: 12,
      future_signatures: 3,
      foreign_ds_since: '2026-02-01T00:00:00.000Z',
    };
    const found = await findings();
    status = signed;
    check = undefined;
    expect(found.splice(1, 1)).toMatchObject([
      {
        check: 'signatures a.example',
        result: 'FAIL',
        message: '3 signatures of a.example are not valid yet: the clock was ahead',
      },
    ]);
    expect(found.slice(0, 2)).toMatchObject([
      {
        check: 'signatures a.example',
        result: 'FAIL',
        message: '12 signatures of a.example have expired',
      },
      {
        check: 'ds a.example',
        result: 'FAIL',
        message: `${parent} did not answer (DNSSEC_DS_UNVERIFIED); a DS set that names no key is seen since 2026-02-01T00:00:00.000Z`,
      },
    ]);
  });

  it('that the caller may not ask are skipped', async () => {
    check = { status: 403, body: { error: 'dnssec:read is missing', code: 'FORBIDDEN' } };
    const [finding] = await findings();
    check = undefined;
    expect(finding).toMatchObject({
      result: 'SKIP',
      message: expect.stringContaining('dnssec:read'),
    });
  });
});
