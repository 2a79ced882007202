import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { needsPeers, peer } from '../../../spec/support/peers.ts';
import { type KeyFormat, keyFor } from './tsig-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'zonebook-tsig-key-'));
afterAll(() => rmSync(folder, { recursive: true }));

const secret = Buffer.alloc(48, 0xfb).toString('base64');
const name = 'ns2._tsig.example.com';
const tsig_key = { id: 1, name, algorithm: 'hmac-sha384', created_at: '', role_name: 'r' };

function write(form: KeyFormat, rest = ''): string {
  const file = join(folder, form);
  writeFileSync(file, `${keyFor(form, { secret, tsig_key })}${rest}`);
  return file;
}

function check(program: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(peer(program)!, words, { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  return stdout + stderr;
}

it('is the form each program documents', () => {
  expect(keyFor('named', { secret, tsig_key })).toBe(
    `key "${name}" {\n  algorithm hmac-sha384;\n  secret "${secret}";\n};\n`,
  );
  expect(keyFor('key-file', { secret, tsig_key })).toBe(keyFor('named', { secret, tsig_key }));
});

needsPeers('named-checkconf')('BIND', () => {
  it('takes it as a statement of named.conf', () => {
    const shown = check('named-checkconf', '-p', write('named'));
    expect(shown).toContain(`key "${name}" {`);
    expect(shown).toContain('algorithm "hmac-sha384";');
  });
});

needsPeers('knotc')('Knot DNS', () => {
  it('takes it as a section of knot.conf', () => {
    check('knotc', '-c', write('knot'), 'conf-check');
  });
});

needsPeers('nsd-checkconf')('NSD', () => {
  it('takes it as a section of nsd.conf', () => {
    const file = write('nsd', 'server:\n  zonesdir: "/tmp"\n');
    expect(check('nsd-checkconf', '-s', name, file).trim()).toBe(secret);
    expect(check('nsd-checkconf', '-a', name, file).trim()).toBe('hmac-sha384');
  });
});

needsPeers('dig')('dig', () => {
  it('takes the file with -k', () => {
    // Nothing listens there: the key is read before anything is sent.
    const words = ['@127.0.0.1', '-p', '1', '+tries=1', '+time=1', 'example.com', 'SOA'];
    const file = write('key-file');
    const { stdout, stderr } = spawnSync(peer('dig')!, ['-k', file, '+qr', ...words], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(stdout).toContain(`${name}.`);
    expect(stdout).toContain('hmac-sha384.');
  });
});
