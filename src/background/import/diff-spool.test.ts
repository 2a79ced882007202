import { tmpdir } from 'node:os';
import { afterEach, expect, it } from 'vitest';
import type { NameKey } from '../../dns/name.ts';
import { rrtype } from '../../dns/rrtype.ts';
import { fullRights } from '../../domain/access/rights.ts';
import { ReadableRecords } from '../../query/record-scope.ts';
import { DiffSpool } from './diff-spool.ts';

const open: DiffSpool[] = [];
afterEach(() => {
  for (const spool of open.splice(0)) spool.close();
});

/** With an entry for each of some texts. */
function spoolOf(texts: readonly string[]): DiffSpool {
  const spool = new DiffSpool(tmpdir(), new ReadableRecords(fullRights).in(0));
  const of = { owner: '' as NameKey, type: rrtype.TXT };
  for (const text of texts) {
    const rdata = Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
    const record = { ...of, ttl: 60, rdata, id: 1, createdAt: 0 };
    spool.add('' as NameKey, [{ ...of, change: 'added', from: [], to: [record] }], []);
  }
  return spool;
}

function textOf(spool: DiffSpool): string {
  const pieces: Uint8Array[] = [];
  for (let piece = spool.next(); piece !== undefined; piece = spool.next()) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const valuesIn = (text: string) =>
  (JSON.parse(`[${text}]`) as { to: [{ value: string }] }[]).map(({ to }) => to[0].value);

it('gives back what it took, of which much was on the disk', () => {
  const texts = Array.from({ length: 3000 }, (_, index) => `${index} ${'x'.repeat(200)}`);
  const spool = spoolOf(texts);
  open.push(spool);
  expect(valuesIn(textOf(spool))).toEqual(texts.map((text) => expect.stringContaining(text)));
  expect(spool.next()).toBe(undefined);
});

it('needs no disk for what it has in memory', () => {
  const spool = spoolOf(['a', 'b']);
  spool.close();
  expect(valuesIn(textOf(spool))).toHaveLength(2);
});
