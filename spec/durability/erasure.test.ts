/** What is deleted for good is in no file of a service that goes on running; judged by the bytes of the files. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getTableName } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { erasing } from '../../src/journal/erasure.ts';
import { openReader } from '../../src/journal/reader-connection.ts';
import * as keystoreTables from '../../src/keystore/schema.ts';

import { patienceMs } from '../support/patience.ts';
import { untilSearchable } from '../support/raw-http.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A word that stands nowhere else. */
const newWord = () => `w${randomBytes(8).toString('hex')}`;

/** Of a file that may have been renamed since it was listed. */
function contentOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

/** How many of these bytes a file of the data folder has, by file. */
function found(...sought: readonly (string | Buffer)[]): Record<string, number> {
  const files = readdirSync(service.dataDir, { withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  const counts = files.map(({ name }) => {
    const content = contentOf(join(service.dataDir, name));
    return [name, sought.filter((bytes) => content.includes(bytes)).length] as const;
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** Once all that was written is in the database file itself. */
const becomesErased = (sought: readonly (string | Buffer)[]) =>
  expect.poll(() => found(...sought), { timeout: patienceMs }).toEqual({});

async function createZone(name: string): Promise<void> {
  await service.must('POST', '/zones', {
    name,
    mname: 'ns1.example.net',
    rname: 'hostmaster@example.net',
  });
}

/** Records whose owners and texts have words of their own; returns the words. */
async function fill(zone_name: string, count: number): Promise<string[]> {
  const words: string[] = [];
  for (let at = 0; at < count; at++) {
    const [owner, text] = [newWord(), newWord()];
    words.push(owner, text);
    const value = `${text} ${'x'.repeat((at * 37) % 700)}`;
    await service.must('POST', '/records', { zone_name, name: owner, type: 'TXT', value });
  }
  return words;
}

async function restart(): Promise<void> {
  await service.end();
  await service.start();
}

it('what a purged zone held', async () => {
  const name = `${newWord()}.example`;
  await createZone(name);
  const words = await fill(name, 60);
  // The index of searches has them too.
  await untilSearchable(service);
  const { records } = await service.must('GET', `/search?q=${words[0]}`);
  expect(records).toHaveLength(1);
  expect(found(...words)).not.toEqual({});
  await restart();
  expect(found(...words)).toEqual({ 'zonebook.db': words.length });
  await service.must('DELETE', `/zones/${name}`);
  await service.must('POST', `/zones/${name}/purge`);
  await becomesErased(words);
});

it('versions that were forgotten', async () => {
  const name = `${newWord()}.example`;
  await createZone(name);
  const [kept, ...words] = await fill(name, 20);
  const { items } = await service.must('GET', `/records?zone_name=${name}&type=TXT&limit=100`);
  const gone = items.filter((record: { name: string }) => !record.name.startsWith(kept!));
  expect(gone).toHaveLength(19);
  for (const { id } of gone) await service.must('DELETE', `/records/${id}`);
  await restart();
  const sought = words.slice(1);
  expect(found(...sought)).toEqual({ 'zonebook.db': sought.length });
  const before = new Date().toISOString();
  await service.must('POST', `/zones/${name}/forget-history`, { before });
  await becomesErased(sought);
  expect(found(kept!)).not.toEqual({});
});

/** What a column of the database holds. */
function bytesOf(table: string, column: string): Buffer[] {
  const connection = openReader(join(service.dataDir, 'zonebook.db'));
  try {
    return connection.prepare(`SELECT ${column} FROM ${table}`).pluck().all() as Buffer[];
  } finally {
    connection.close();
  }
}

const zone = `${newWord()}.example`;

it.each([
  ['the hash of a token', 'token_secret', 'hash', '/tokens', { name: 'gone', role_name: 'admin' }],
  ['a TSIG key', 'tsig_secret', 'sealed', '/tsig-keys', { name: 'gone', role_name: 'admin' }],
  [
    'the secret of a webhook',
    'webhook_secret',
    'sealed',
    '/webhooks',
    { name: 'gone', url: 'http://127.0.0.1:9/' },
  ],
])('%s that is deleted', async (_, table, column, path, body) => {
  const before = bytesOf(table, column);
  await service.must('POST', path, body);
  const secrets = bytesOf(table, column).filter((one) => !before.some((old) => old.equals(one)));
  expect(secrets).toHaveLength(1);
  await restart();
  expect(found(...secrets)).toEqual({ 'zonebook.db': 1 });
  await service.must('DELETE', `${path}/gone`);
  await becomesErased(secrets);
});

it('private keys of a zone that is no longer signed', async () => {
  await createZone(zone);
  await service.must('POST', `/zones/${zone}/dnssec`, { parent_ns_addrs: ['127.0.0.1:9'] });
  const keys = bytesOf('signing_key_secret', 'sealed');
  expect(keys).toHaveLength(1);
  await restart();
  expect(found(...keys)).toEqual({ 'zonebook.db': 1 });
  await service.must('DELETE', `/zones/${zone}/dnssec?skip_ds_check=true`);
  await becomesErased(keys);
});

it('what is deleted while somebody reads, once the reader has ended', async () => {
  const name = `${newWord()}.example`;
  await createZone(name);
  const words = await fill(name, 3);
  const reader = openReader(join(service.dataDir, 'zonebook.db'));
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM event').get();
  await service.must('DELETE', `/zones/${name}`);
  await service.must('POST', `/zones/${name}/purge`);
  const purged = () => bytesOf('stage', 'number').length;
  await expect.poll(purged, { timeout: patienceMs }).toBe(0);
  expect(found(...words)).not.toEqual({});
  reader.exec('COMMIT');
  reader.close();
  await becomesErased(words);
});

it('what was deleted right before a kill, after the next start', async () => {
  const name = `${newWord()}.example`;
  await createZone(name);
  const words = await fill(name, 3);
  await service.must('DELETE', `/zones/${name}`);
  await service.must('POST', `/zones/${name}/purge`);
  await service.end('SIGKILL');
  await service.start();
  await becomesErased(words);
});

it('no table of secrets is left out', () => {
  const names = Object.values(keystoreTables).map((table) => getTableName(table));
  const secrets = names.filter((name) => name !== 'key_file_check');
  const noted = erasing.filter(({ change }) => change === 'DELETE').map(({ table }) => table);
  expect(noted).toEqual(expect.arrayContaining(secrets));
});
