/**
 * The command line with authentication required, as an operator meets it: the first token over the
 * local socket, then everything from outside with tokens of different roles.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeCertificates } from '../support/certificates.ts';
import { type Ran, run } from '../support/command-line.ts';
import { needsPeers } from '../support/peers.ts';
import { program } from '../support/program.ts';
import { type RunningService, startService } from '../support/service.ts';
import { story } from '../support/story.ts';

const required = { ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true' };
const soa = ['--mname', 'ns1.example.net', '--rname', 'hostmaster@example.com'];

/** The words of a command that answers in JSON where its line says nothing else. */
function wordsOf(line: string): string[] {
  return line.includes(' -o ') ? line.split(' ') : [...line.split(' '), '-o', 'json'];
}

async function must(ran: Promise<Ran>): Promise<ReturnType<typeof JSON.parse>> {
  const { code, out, err } = await ran;
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
}

story('tokens, roles and grants (interface 4.6)', () => {
  let service: RunningService;
  let url = '';
  let root = '';
  let ci = '';
  beforeAll(async () => {
    service = await startService(required);
    url = `http://127.0.0.1:${service.apiPort}`;
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const local = (line: string) => run(line.split(' '), { dataDir: service.dataDir });
  const as = (token: string, line: string) =>
    run([...wordsOf(line), '--url', url, '--token', token]);

  it('make the first token over the local socket, and show its secret once', async () => {
    const { code, out } = await local('token create root --role admin -o table');
    expect(code).toBe(0);
    const secrets = out.split('\n').filter((line) => /^zb_[A-Za-z0-9]{32,}$/.test(line));
    expect(secrets).toHaveLength(1);
    root = secrets[0]!;
    expect(out.split(root)).toHaveLength(2);
    expect(out).toContain('can not be displayed again');
    for (const line of ['token list', 'token list -o table']) {
      expect((await local(line)).out).not.toContain(root);
    }
    expect((await local('token create root --role admin')).code).toBe(4);
    expect((await local('token create x --role nobody')).code).toBe(3);
  });

  it('let that token do everything from outside', async () => {
    const options = { env: { ZONEBOOK_URL: url, ZONEBOOK_TOKEN: root } };
    await must(run(['zone', 'create', 'example.com', ...soa, '-o', 'json'], options));
    await must(run(['zone', 'create', 'example.org', ...soa, '-o', 'json'], options));
    const { token } = await must(run(['token', 'self', '-o', 'json'], options));
    expect(token).toMatchObject({ name: 'root', role_name: 'admin', expires_at: null });
    expect(token.last_used_at).not.toBeNull();
    expect(token.last_used_from).toBe('127.0.0.1');
    const held = await must(run(['token', 'self', '--permissions', '-o', 'json'], options));
    expect(held.all_zones.actions).toHaveLength(14);
  });

  it('refuse no token, a wrong token and what is not granted with 5', async () => {
    const bare = await run(['zone', 'ls', '--url', url]);
    expect([bare.code, bare.err]).toEqual([5, expect.stringContaining('(UNAUTHORIZED)')]);
    const wrong = await as(`${root}x`, 'zone ls -o table');
    expect([wrong.code, wrong.err]).toEqual([5, expect.stringContaining('(INVALID_TOKEN)')]);
    const listed = await must(as(root, 'token list'));
    expect(listed.items).toMatchObject([{ name: 'root', last_used_from: '127.0.0.1' }]);

    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ token: `${root}x` });
    const refused = await fetch(`${url}/session`, { method: 'POST', headers, body });
    expect(refused.status).toBe(401);
    await expect
      .poll(async () => (await local('journal log -o table')).out)
      .toMatch(/ 127\.0\.0\.1 .*session\.refused unknown token, 1 refused/);

    await must(as(root, 'role create dns-ops --description on-call'));
    const days = '--expires-in-days 90 --description nightly';
    const made = await must(as(root, `token create ci --role dns-ops ${days}`));
    expect(made.token).toMatchObject({ name: 'ci', role_name: 'dns-ops', description: 'nightly' });
    expect(made.token.expires_at).not.toBeNull();
    ci = made.secret;
    expect((await must(as(ci, 'zone ls'))).pagination.total).toBe(0);
    expect((await as(ci, 'zone get example.com')).code).toBe(3);
    expect((await as(ci, 'token create more --role admin')).code).toBe(5);
    expect((await as(ci, 'role get dns-ops')).code).toBe(3);
    expect((await must(as(ci, 'token self'))).token.name).toBe('ci');
  });

  it('allow what is granted, in its zone, names and types, until it is revoked', async () => {
    const actions = 'zone:read,record:read,record:create,record:delete';
    const narrowing = '--zone example.com --name-pattern *.lab --types a,TXT';
    const grant = `role grant dns-ops --actions ${actions} ${narrowing}`;
    const { role_grant: granted } = await must(as(root, grant));
    expect(granted).toMatchObject({
      role_name: 'dns-ops',
      zone_name: 'example.com',
      actions: actions.split(','),
      record_name_pattern: '*.lab',
      record_types: 'A,TXT',
    });
    expect((await must(as(ci, 'zone ls'))).items).toHaveLength(1);
    expect((await as(ci, 'zone get example.org')).code).toBe(3);
    await must(as(ci, 'record create example.com a.lab A 192.0.2.1'));
    const outside = await as(ci, 'record create example.com www A 192.0.2.1');
    expect([outside.code, outside.err]).toEqual([5, expect.stringContaining('record:create')]);
    expect((await as(ci, 'record create example.com a.lab AAAA 2001:db8::1')).code).toBe(5);
    expect((await as(ci, 'zone delete example.com')).code).toBe(5);
    expect((await must(as(ci, 'record ls example.com'))).items).toHaveLength(1);
    expect((await must(as(ci, 'token self --grants'))).items).toEqual([granted]);
    expect((await must(as(root, 'role grants dns-ops'))).items).toEqual([granted]);
    const table = await as(root, 'role grants dns-ops -o table');
    expect(table.out).toMatch(/example\.com +\*\.lab +A,TXT +zone:read,record:read/);

    expect((await as(root, `role revoke dns-ops ${granted.id + 1}`)).code).toBe(3);
    await must(as(root, `role revoke dns-ops ${granted.id}`));
    expect((await must(as(ci, 'zone ls'))).items).toEqual([]);
    expect((await as(root, `role revoke dns-ops ${granted.id}`)).code).toBe(3);
  });

  it('refuse grants that mean nothing, and changes of the built-in role', async () => {
    const lines = [
      'role grant dns-ops --actions zone:fly',
      'role grant dns-ops --actions access:manage --zone example.com',
      'role grant dns-ops --actions zone:read --types A',
      'role grant admin --actions zone:read',
      'role rm admin',
    ];
    for (const line of lines) expect([line, (await as(root, line)).code]).toEqual([line, 1]);
    const lost = 'role grant dns-ops --actions zone:read --zone nowhere.example';
    expect((await as(root, lost)).code).toBe(3);
    const used = await as(root, 'role rm dns-ops -o table');
    expect([used.code, used.err]).toEqual([4, expect.stringContaining("token 'ci'")]);
  });

  it('end a token at once', async () => {
    await must(as(root, 'token rm ci'));
    expect((await as(ci, 'token self')).code).toBe(5);
    expect((await as(root, 'token rm ci')).code).toBe(3);
    await must(as(root, 'role rm dns-ops'));
    const { items } = await must(as(root, 'role ls'));
    expect(items).toMatchObject([{ name: 'admin', builtin: true, token_count: 1 }]);
  });
});

story('TSIG keys (interface 4.5)', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService(required);
  });
  afterAll(() => service[Symbol.asyncDispose]());
  const cli = (line: string, stdin = '') => run(wordsOf(line), { dataDir: service.dataDir, stdin });

  it('are made with a random secret or one from elsewhere, and shown again', async () => {
    await must(cli('role create transfer'));
    const made = await must(cli('tsig-key create NS2.Keys. --role transfer'));
    expect(made.tsig_key).toMatchObject({ name: 'ns2.keys', algorithm: 'hmac-sha256' });
    expect(Buffer.from(made.secret, 'base64')).toHaveLength(32);
    expect(await must(cli('tsig-key get ns2.keys'))).toEqual(made);
    const { items } = await must(cli('tsig-key ls --role transfer'));
    expect(items).toEqual([made.tsig_key]);

    const secret = Buffer.alloc(20, 7).toString('base64');
    const line = 'tsig-key create ddns --role transfer --algorithm hmac-sha512 --secret -';
    expect((await must(cli(line, `${secret}\n`))).secret).toBe(secret);
    expect((await cli('tsig-key get ddns --format nsd')).out).toBe(
      `key:\n  name: "ddns"\n  algorithm: hmac-sha512\n  secret: "${secret}"\n`,
    );
    expect((await cli('tsig-key create k --role transfer --secret AAAA')).code).toBe(1);
    expect((await cli('tsig-key create ddns --role transfer')).code).toBe(4);
    expect((await cli('tsig-key get nowhere')).code).toBe(3);
    expect((await cli('tsig-key rm nowhere')).code).toBe(3);
  });

  it('sign the NOTIFY to a secondary, and stay while they do', async () => {
    const line = 'secondary create ns2 --address 127.0.0.1:9 --notify-key';
    expect((await cli(`${line} nowhere`)).code).toBe(3);
    const { secondary } = await must(cli(`${line} ns2.keys`));
    expect(secondary.notify_key_name).toBe('ns2.keys');
    const used = await cli('tsig-key rm ns2.keys');
    expect([used.code, used.err]).toEqual([4, expect.stringContaining('ns2')]);
    const words = ['secondary', 'update', 'ns2', '--notify-key', '', '-o', 'json'];
    const changed = await must(run(words, { dataDir: service.dataDir }));
    expect(changed.secondary.notify_key_name).toBeNull();
    await must(cli('secondary update ns2 --notify-key ddns'));
    await must(cli('tsig-key rm ns2.keys'));
  });
});

needsPeers('openssl')('over https (interface 5.7)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zonebook-https-'));
  let service: RunningService;
  let authority = '';
  let words: string[] = [];
  beforeAll(async () => {
    const files = makeCertificates(folder, 'IP:127.0.0.1');
    authority = files.authority;
    service = await startService({
      ...required,
      ZONEBOOK_API_TLS_CERT_FILE: files.certificate,
      ZONEBOOK_API_TLS_KEY_FILE: files.key,
    });
    const created = ['token', 'create', 'root', '--role', 'admin', '-o', 'json'];
    const { secret } = await must(run(created, { dataDir: service.dataDir }));
    const at = `https://127.0.0.1:${service.apiPort}`;
    words = ['token', 'self', '--url', at, '--token', secret, '-o', 'json'];
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  it('a certificate nobody knows is refused, and trusted with --ca-file', async () => {
    const refused = await run(words);
    expect([refused.code, refused.err]).toEqual([7, expect.stringContaining('is not trusted')]);
    expect((await must(run([...words, '--ca-file', authority]))).token.name).toBe('root');
  });

  it('a certificate is trusted with NODE_EXTRA_CA_CERTS', async () => {
    const env = { NODE_EXTRA_CA_CERTS: authority };
    const stdout = await new Promise<string>((resolve, reject) => {
      execFile(program.file, [...program.args, ...words], { env }, (error, out) => {
        if (error === null) resolve(out);
        else reject(error);
      });
    });
    expect(JSON.parse(stdout).token.name).toBe('root');
  });
});
