import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CannedService } from '../../spec/support/canned-service.ts';
import { type RunOptions, run } from '../../spec/support/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'zonebook-cli-'));
const at = '2026-01-31T12:00:00.000Z';
const role = {
  id: 2,
  name: 'dns-ops',
  description: null,
  builtin: false,
  created_at: at,
  grant_count: 1,
  token_count: 3,
  tsig_key_count: 4,
};
const grant = {
  id: 7,
  role_name: 'dns-ops',
  zone_name: null,
  actions: ['record:read', 'record:create'],
  record_name_pattern: '*',
  record_types: '*',
  created_at: at,
};
const token = {
  id: 1,
  name: 'ci',
  description: 'nightly',
  role_name: 'dns-ops',
  created_at: at,
  expires_at: null,
  last_used_at: null,
  last_used_from: null,
};
const key = { id: 1, name: 'ns2', algorithm: 'hmac-sha512', created_at: at, role_name: 'dns-ops' };
const secret = 'c2VjcmV0IG9mIHR3ZW50eSBvY3RldHM=';
const listOf = (...items: object[]) => ({
  items,
  pagination: { limit: 1000, offset: 0, total: items.length },
  next_cursor: null,
});

let service: CannedService;
beforeAll(async () => {
  service = await CannedService.start(join(folder, 'zonebook.sock'));
});
afterAll(() => {
  service.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  service.asked.length = 0;
});

/** Runs a line against an answer; the line is taken apart at spaces. */
function cli(line: string, body: object, options: RunOptions = {}, status = 200) {
  service.reply = { status, body };
  return run(line.split(' '), { dataDir: folder, ...options });
}

const page = { limit: '1000', offset: '0' };

describe('requests', () => {
  it.each([
    ['role create dns-ops --description x', { role }, 'POST', '/roles'],
    ['role ls', listOf(role), 'GET', '/roles'],
    ['role get dns-ops', { role }, 'GET', '/roles/dns-ops'],
    ['role rm dns-ops', { message: "role 'dns-ops' deleted" }, 'DELETE', '/roles/dns-ops'],
    ['role grants dns-ops', listOf(grant), 'GET', '/roles/dns-ops/grants'],
    ['role revoke dns-ops 7', { message: 'revoked' }, 'DELETE', '/roles/dns-ops/grants/7'],
    ['token create ci --role dns-ops', { secret, token }, 'POST', '/tokens'],
    ['token ls', listOf(token), 'GET', '/tokens'],
    ['token rm ci', { message: "token 'ci' deleted" }, 'DELETE', '/tokens/ci'],
    ['tsig-key create ns2 --role dns-ops', { secret, tsig_key: key }, 'POST', '/tsig-keys'],
    ['tsig-key ls', listOf(key), 'GET', '/tsig-keys'],
    ['tsig-key get ns2', { secret, tsig_key: key }, 'GET', '/tsig-keys/ns2'],
    ['tsig-key rm ns2', { message: "TSIG key 'ns2' deleted" }, 'DELETE', '/tsig-keys/ns2'],
  ] as const)(
    'of %j are sent, and answers shown field for field',
    async (line, body, method, path) => {
      const { code, out, err } = await cli(`${line} -o json`, body);
      expect([code, err]).toEqual([0, '']);
      expect(JSON.parse(out)).toEqual(body);
      expect(service.asked).toHaveLength(1);
      expect(service.asked[0]).toMatchObject({ method, path });
      const table = await cli(line, body);
      expect([table.code, table.out]).toEqual([
        0,
        expect.stringMatching(/dns-ops|ci|ns2|revoked|all/),
      ]);
    },
  );

  it('of role grant carry every narrowing', async () => {
    const body = { role_grant: { ...grant, zone_name: 'example.com' } };
    const names = 'role grant dns-ops --actions record:read,record:create --actions zone:read';
    await cli(`${names} --zone example.com --name-pattern *.sub --types a,TXT`, body);
    expect(service.asked).toEqual([
      {
        method: 'POST',
        path: '/roles/dns-ops/grants',
        query: {},
        body: {
          actions: ['record:read', 'record:create', 'zone:read'],
          zone_name: 'example.com',
          record_name_pattern: '*.sub',
          record_types: 'a,TXT',
        },
      },
    ]);
    const table = await cli('role grant dns-ops --actions zone:read -o table', {
      role_grant: grant,
    });
    expect(service.asked[1]!.body).toEqual({ actions: ['zone:read'] });
    expect(table.out).toMatch(
      /^granted to role dns-ops\nID +ZONE .*\n7 +\(all zones\) +\* +\* +record:read,record:create\n$/,
    );
  });

  it('of token create and tsig-key create carry every setting', async () => {
    const days = '--description nightly --expires-in-days 90';
    await cli(`token create ci --role dns-ops ${days}`, { secret, token });
    expect(service.asked[0]!.body).toEqual({
      name: 'ci',
      role_name: 'dns-ops',
      description: 'nightly',
      expires_in_days: 90,
    });
    const line = 'tsig-key create ns2 --role dns-ops --algorithm hmac-sha512 --secret';
    for (const [given, stdin] of [
      [secret, ''],
      ['-', `${secret}\n`],
    ]) {
      await cli(`${line} ${given}`, { secret, tsig_key: key }, { stdin: stdin! });
      expect(service.asked.at(-1)!.body).toEqual({
        name: 'ns2',
        role_name: 'dns-ops',
        algorithm: 'hmac-sha512',
        secret,
      });
    }
    await cli('tsig-key create ns2 --role dns-ops', { secret, tsig_key: key });
    expect(service.asked.at(-1)!.body).toEqual({ name: 'ns2', role_name: 'dns-ops' });
  });

  it('of lists carry their filter', async () => {
    for (const group of ['token', 'tsig-key']) {
      const { out } = await cli(`${group} list --role dns-ops -o table`, listOf());
      expect(out).toMatch(/^no (tokens|TSIG keys)\n$/);
      expect(service.asked.at(-1)!.query).toEqual({ role_name: 'dns-ops', ...page });
    }
  });

  it('of token self need a URL, since the socket has no token', async () => {
    const local = await cli('token self', { token });
    expect([local.code, local.err]).toEqual([2, expect.stringContaining('has no token')]);
    expect(service.asked).toEqual([]);
  });
});

describe('usage', () => {
  it.each([
    ['token create ci', 'missing required argument: role'],
    ['token create ci --role admin --expires-in-days soon', 'takes a whole number'],
    ['tsig-key create k --role r --algorithm hmac-md5', '--algorithm is one of hmac-sha256'],
    ['tsig-key get k --format bind9', '--format is one of named, knot, nsd, key-file'],
    ['role grant dns-ops', 'give at least one action with --actions'],
    ['role grant dns-ops --actions ,', 'give at least one action with --actions'],
    ['role revoke dns-ops all', "'all' is no id of a grant"],
    ['role revoke dns-ops', 'an argument is missing: <role> <grant-id>'],
    ['zone ls --ca-file x', '--ca-file goes with --url'],
    ['zone ls --ca-file x --url http://127.0.0.1:1', '--ca-file goes with an https URL'],
    ['serve --ca-file x', 'takes no --url'],
  ])('refuses %j with 2', async (line, says) => {
    const { code, out, err } = await cli(line, {});
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(says);
    expect(service.asked).toEqual([]);
  });
});

describe('secrets', () => {
  it('of a token are shown once, alone on a line, with the word that they never will be again', async () => {
    const { out } = await cli(
      'token create ci --role dns-ops',
      { secret, token },
      { terminal: true },
    );
    expect(out.split(secret)).toHaveLength(2);
    expect(out.split('\n')).toContain(secret);
    expect(out).toContain('can not be displayed again');
    const json = await cli('token create ci --role dns-ops -o json', { secret, token });
    expect(JSON.parse(json.out)).toEqual({ secret, token });
  });

  it('of a TSIG key are refused to names that could leave the quotes', async () => {
    const odd = { secret, tsig_key: { ...key, name: 'a\\"b' } };
    const { code, out, err } = await cli('tsig-key get k --format named', odd);
    expect([code, out, err]).toEqual([1, '', expect.stringContaining('unusual characters')]);
  });
});

describe('refusals', () => {
  it.each([
    [404, 'ROLE_NOT_FOUND', 3, "'zonebook role list' shows the roles"],
    [404, 'ROLE_GRANT_NOT_FOUND', 3, "'zonebook role grants ROLE'"],
    [404, 'TOKEN_NOT_FOUND', 3, "'zonebook token list'"],
    [404, 'TSIG_KEY_NOT_FOUND', 3, "'zonebook tsig-key list'"],
    [409, 'ROLE_IN_USE', 4, 'no'],
    [403, 'FORBIDDEN', 5, 'no'],
    [401, 'UNAUTHORIZED', 5, '--token or ZONEBOOK_TOKEN'],
  ] as const)('with %i %s end with %s', async (status, code, expected, says) => {
    const refused = await cli('role get dns-ops', { error: 'no', code }, {}, status);
    expect([refused.code, refused.out]).toEqual([expected, '']);
    expect(refused.err).toContain(`no (${code})`);
    expect(refused.err).toContain(says);
  });
});

describe('a data folder whose socket no system would open', () => {
  const deep = `/tmp/${'d'.repeat(100)}`;

  it('is refused with 6, naming data_dir and the limit', async () => {
    const { code, err } = await run(['zone', 'ls'], { dataDir: deep });
    expect(code).toBe(6);
    expect(err).toBe(
      `zonebook: data_dir: its socket would be ${deep}/zonebook.sock, a path of 119 bytes; ` +
        'allowed: a folder whose socket has a path of at most 107 bytes\n',
    );
  });

  it('does not matter with --url', async () => {
    const words = ['zone', 'ls', '--url', 'http://127.0.0.1:1'];
    expect((await run(words, { dataDir: deep })).code).toBe(7);
  });
});
