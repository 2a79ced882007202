/**
 * Case 70 and the fixtures of fixtures/zones: what is read is printed, what is printed is read again,
 * and other programs take original and print for the same zone.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAbsoluteName } from '../../src/dns/name.ts';
import { compareRecords, packRecords, type ResourceRecord } from '../../src/dns/record.ts';
import { isStorable, printType, rrtype } from '../../src/dns/rrtype.ts';
import { printZoneFile } from '../../src/dns/zonefile/print.ts';
import { ZoneFileReader } from '../../src/dns/zonefile/reader.ts';
import type { FileSoa } from '../../src/dns/zonefile/zone-file.ts';
import { needsPeers, peer } from '../support/peers.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/zones');
const zones: Record<string, string> = JSON.parse(
  readFileSync(join(fixtures, 'index.json'), 'utf8'),
);

interface ReadZone {
  readonly name: string;
  readonly soa: FileSoa;
  /** In canonical order. */
  readonly records: readonly ResourceRecord[];
  readonly errors: readonly string[];
}

function readZone(name: string, content: Uint8Array | string): ReadZone {
  const apex = parseAbsoluteName(name);
  const reader = new ZoneFileReader({ apex, defaultTtl: 3600, skipUnsupported: false });
  const records = [...reader.read(content), ...reader.end()].flat().sort(compareRecords);
  return {
    name,
    soa: reader.soa!,
    records: records.map(({ owner, type, ttl, rdata }) => ({ owner, type, ttl, rdata })),
    errors: reader.errors.lines,
  };
}

function printZone({ name, soa, records }: ReadZone): string {
  const { serial, ttl: defaultTtl, rdata } = soa;
  const head = { apex: parseAbsoluteName(name), serial, defaultTtl, soa: rdata };
  return [...printZoneFile(head, [packRecords(records)])].join('');
}

function fixture(file: string): Buffer {
  return readFileSync(join(fixtures, file));
}

describe.each(Object.entries(zones))('%s', (file, name) => {
  it('is read without an error', () => {
    const { errors, soa, records } = readZone(name, fixture(file));
    expect(errors).toEqual([]);
    expect(soa).toBeDefined();
    expect(records.length).toBeGreaterThan(0);
  });

  it('case 70: is the same after print and read, and prints the same again', () => {
    const first = readZone(name, fixture(file));
    const text = printZone(first);
    const second = readZone(name, text);
    expect(second.errors).toEqual([]);
    expect(second.records).toEqual(first.records);
    expect(second.soa).toEqual({ ...first.soa, line: second.soa.line });
    expect(printZone(second)).toBe(text);
  });
});

describe('the fixtures', () => {
  it('hold every storable type that has a form of its own', () => {
    const types = Object.keys(zones).flatMap((file) =>
      readZone(zones[file]!, fixture(file)).records.map(({ type }) => printType(type)),
    );
    const storable = Object.keys(rrtype).filter((name) =>
      isStorable(rrtype[name as keyof typeof rrtype]),
    );
    expect([...new Set(types)]).toEqual(expect.arrayContaining(storable));
  });
});

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'zonebook-files-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function write(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Standard output of a program that must succeed, bytes as characters. */
function run(program: string, args: readonly string[]): string {
  const options = { encoding: 'latin1', maxBuffer: 1 << 28 } as const;
  const { status, stdout, stderr } = spawnSync(peer(program)!, args, options);
  expect(status, `${program} ${args.join(' ')}: ${stdout}${stderr}`).toBe(0);
  return stdout;
}

needsPeers('named-checkzone', 'named-compilezone')('BIND', () => {
  /** One record a line. BIND keeps the case of names, we do not: the comparison is without it. */
  function compiled(name: string, path: string): string[] {
    const output = join(folder, 'compiled');
    const args = ['-i', 'none', '-k', 'ignore', '-s', 'full', '-o', output, name, path];
    run('named-compilezone', args);
    const lines = readFileSync(output, 'latin1').toLowerCase().split('\n');
    return lines.map((line) => line.replaceAll(/\s+/g, ' ')).sort();
  }

  it.each(Object.entries(zones))('%s: takes the print for the same zone', (file, name) => {
    const printed = write('printed', printZone(readZone(name, fixture(file))));
    expect(run('named-checkzone', ['-i', 'local', name, printed])).toMatch(/\nOK\n$/);
    const ours = compiled(name, printed);
    expect(ours.length).toBeGreaterThan(2);
    expect(ours).toEqual(compiled(name, join(fixtures, file)));
  });
});

/** Originals that ldns 1.8 reads otherwise or not at all; it reads all our prints. */
const notForLdns = new Map([
  ['8.b.d.0.1.0.0.2.ip6.arpa.zone', 'takes a relative $ORIGIN for an absolute one'],
  ['authority.example.zone', 'wants the value of CAA in quotes'],
  ['layout.example.zone', 'has no parentheses around an owner'],
  ['rare.example.zone', 'does not know all types of IANA'],
  ['minimum.example.zone', 'has a default of its own where no TTL is given'],
]);

needsPeers('ldns-read-zone')('ldns', () => {
  /** In canonical form and order. */
  function canonical(path: string): string {
    return run('ldns-read-zone', ['-z', path]);
  }

  it.each(Object.entries(zones))('%s: takes the print for the same zone', (file, name) => {
    const ours = canonical(write('printed', printZone(readZone(name, fixture(file)))));
    expect(ours).toMatch(/\tSOA\t/);
    if (notForLdns.has(file)) return;
    // It does not learn the name of the zone by itself.
    const origin = Buffer.from(`$ORIGIN ${name}.\n`);
    expect(ours).toBe(canonical(write('original', Buffer.concat([origin, fixture(file)]))));
  });
});
