/**
 * Types that are rare in files, as other programs see them: generated values of each are read to the same
 * bytes by dnspython, BIND and ldns, where they know the type, and a file with every type that can be
 * stored is taken by BIND, Knot and NSD, because it names only what all of them know.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import examples from '../../fixtures/rdata/examples.json' with { type: 'json' };
import { parseAbsoluteName } from '../../src/dns/name.ts';
import { rdataFormatOf } from '../../src/dns/rdata/formats.ts';
import { parseRdataText, printPortable, printRdata } from '../../src/dns/rdata/rdata.ts';
import { compareRecords, packRecords, type ResourceRecord } from '../../src/dns/record.ts';
import { isStorable, parseType, printType, rrtype } from '../../src/dns/rrtype.ts';
import { printZoneFile } from '../../src/dns/zonefile/print.ts';
import { ZoneFileReader } from '../../src/dns/zonefile/reader.ts';
import { needsPeers, peer } from '../support/peers.ts';

const valuesOfEach = 30;

const u8 = fc.nat(0xff);
const u16 = fc.nat(0xffff);
const u32 = fc.nat(0xffff_ffff);
const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/);
const host = fc
  .array(label, { minLength: 1, maxLength: 4 })
  .map((labels) => `${labels.join('.')}.`);
const name = fc.oneof({ arbitrary: host, weight: 9 }, { arbitrary: fc.constant('.'), weight: 1 });
const bytes = (minLength: number, maxLength = 40) => fc.uint8Array({ minLength, maxLength });
const hex = (minLength: number, maxLength = 40) =>
  bytes(minLength, maxLength).map((bytes) => Buffer.from(bytes).toString('hex'));
const base64 = bytes(1, 80).map((bytes) => Buffer.from(bytes).toString('base64'));
const text = fc
  .uint8Array({ maxLength: 40 })
  .map((bytes) => `"${[...bytes].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`);
const texts = fc.array(text, { minLength: 1, maxLength: 5 });
const digits = (minLength: number) => fc.stringMatching(new RegExp(`^[0-9]{${minLength},15}$`));
const ipv4 = fc.tuple(u8, u8, u8, u8).map((bytes) => bytes.join('.'));
const group = fc.nat(0xffff).map((number) => number.toString(16));
const ipv6 = fc.tuple(...Array.from({ length: 8 }, () => group)).map((groups) => groups.join(':'));
const fullGroup = group.map((digitsOf) => digitsOf.padStart(4, '0'));
const groups = fc.tuple(fullGroup, fullGroup, fullGroup, fullGroup).map((all) => all.join(':'));
const degrees = fc
  .tuple(fc.integer({ min: -89, max: 89 }), fc.nat(999_999))
  .map(([whole, part]) => `"${whole}.${part}"`);
const typeNames = fc.constantFrom('A', 'NS', 'MX', 'TXT', 'AAAA', 'SRV', 'HIP', 'NXT');
const algorithm = fc.constantFrom(5, 8, 13, 15, 200);
/** Keys of private algorithms: of a name `a.`, and of an object identifier (RFC 4034 A.1.1). */
const privateKeys = fc.constantFrom('253 AWEAAQ==', '254 BAYCKgMB');

/** Fields with blanks between them. */
function line(...fields: readonly (fc.Arbitrary<unknown> | string)[]): fc.Arbitrary<string> {
  const all = fields.map((field) => (typeof field === 'string' ? fc.constant(field) : field));
  return fc.tuple(...all).map((parts) => parts.flat().join(' ').trim());
}

const gateways: readonly (fc.Arbitrary<string> | string)[] = ['.', ipv4, ipv6, host];

function gatewayLine(
  before: readonly fc.Arbitrary<unknown>[],
  form: (type: number, gateway: fc.Arbitrary<string> | string) => fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  const lines = gateways.map((gateway, type) => line(...before, form(type, gateway)));
  return fc.oneof(...lines);
}

const digest = fc.oneof(line('2', hex(32, 32)), line('4', hex(48, 48)), line('200', hex(1)));
const serviceParameters = fc.constantFrom(
  '',
  'port=1',
  'alpn=h2,h3 no-default-alpn',
  'key667="a b"',
);
const stringTypes = ['SPF', 'NINFO', 'AVC', 'RESINFO', 'WALLET', 'CLA'];

const values: Readonly<Record<string, fc.Arbitrary<string>>> = {
  MB: name,
  MG: name,
  MR: name,
  MINFO: line(name, name),
  WKS: line(ipv4, fc.constantFrom(6, 17), fc.array(fc.nat(0xffff), { minLength: 1, maxLength: 8 })),
  X25: digits(4).map((number) => `"${number}"`),
  ISDN: line(
    digits(1).map((number) => `"${number}"`),
    fc.constantFrom('', '"004"'),
  ),
  RT: line(u16, name),
  NSAP: hex(1).map((bytes) => `0x${bytes}`),
  'NSAP-PTR': name,
  KEY: fc.oneof(
    line(fc.constantFrom(0, 512, 0x8000), u8, algorithm, base64),
    line('512', '3', privateKeys),
  ),
  PX: line(u16, name, name),
  GPOS: line(degrees, degrees, degrees),
  NXT: line(name, fc.uniqueArray(typeNames, { minLength: 1 })),
  EID: hex(1),
  NIMLOC: hex(1),
  ATMA: fc.oneof(
    hex(1, 20),
    digits(1).map((number) => `+${number}`),
  ),
  A6: fc.oneof(
    line('0', ipv6),
    line(fc.integer({ min: 1, max: 127 }), ipv6, name),
    line('128', name),
  ),
  SINK: line(u8, u8, u8, fc.oneof(base64, fc.constant(''))),
  IPSECKEY: gatewayLine([u8], (type, gateway) =>
    line(String(type), fc.constantFrom(1, 2, 3), gateway, base64),
  ),
  HIP: line(u8, hex(1, 255), base64, fc.array(host, { maxLength: 3 })),
  RKEY: line('0', u8, algorithm, base64),
  TALINK: line(name, name),
  DSYNC: line(typeNames, fc.constantFrom('NOTIFY', '0', '5', '255'), u16, name),
  CSYNC: line(u32, u16, fc.uniqueArray(typeNames)),
  HHIT: base64,
  BRID: base64,
  SVCB: line(u16, name, serviceParameters),
  HTTPS: line(u16, name, serviceParameters),
  NID: line(u16, groups),
  L32: line(u16, ipv4),
  L64: line(u16, groups),
  LP: line(u16, name),
  DOA: line(u32, u32, u8, text, fc.oneof(base64, fc.constant('-'))),
  AMTRELAY: gatewayLine([u8, fc.nat(1)], (type, gateway) => line(String(type), gateway)),
  IPN: fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn }).map(String),
  TA: line(u16, algorithm, digest),
  DLV: line(u16, algorithm, digest),
  ...Object.fromEntries(
    stringTypes.map((mnemonic) => [mnemonic, texts.map((all) => all.join(' '))]),
  ),
};

interface Sample {
  readonly mnemonic: string;
  readonly text: string;
  readonly rdata: Buffer;
}

function samplesOf(mnemonic: string): Sample[] {
  return fc.sample(values[mnemonic]!, valuesOfEach).map((one) => {
    return { mnemonic, text: one, rdata: parseRdataText(parseType(mnemonic)!, one) };
  });
}

const samples = Object.keys(values).flatMap(samplesOf);

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'zonebook-types-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function write(file: string, content: string): string {
  const path = join(folder, file);
  writeFileSync(path, content);
  return path;
}

/** What a program that must succeed prints, bytes as characters. */
function run(program: string, args: readonly string[], input?: string): string {
  const options = { encoding: 'latin1', maxBuffer: 1 << 28, ...(input && { input }) } as const;
  const { status, stdout, stderr } = spawnSync(peer(program)!, args, options);
  expect(status, `${program} ${args.join(' ')}: ${stdout}${stderr}`).toBe(0);
  return stdout;
}

const apexLines = [
  '$ORIGIN example.',
  '@ 60 IN SOA ns hostmaster 1 300 60 3600000 86400',
  '@ 60 IN NS ns',
  'ns 60 IN A 192.0.2.53',
];

function zoneOf(lines: readonly string[]): string {
  return [...apexLines, ...lines, ''].join('\n');
}

/** The same records twice: as they are written, and as our bytes. */
function bothForms(known: (mnemonic: string) => boolean): [native: string, generic: string] {
  const own = samples.filter(({ mnemonic }) => known(mnemonic));
  const owner = (index: number) => `r${index} 60 IN`;
  const native = own.map((one, index) => `${owner(index)} ${one.mnemonic} ${one.text}`);
  const generic = own.map(({ mnemonic, rdata }, index) => {
    return `${owner(index)} TYPE${parseType(mnemonic)} \\# ${rdata.length} ${rdata.toString('hex')}`;
  });
  return [zoneOf(native), zoneOf(generic)];
}

it('values of every type that came after generic form are generated', () => {
  const later = Object.values(rrtype).filter(
    (type) => isStorable(type) && rdataFormatOf(type)?.isLater,
  );
  expect(Object.keys(values).sort()).toEqual(later.map(printType).sort());
});

it('generated values have one form', () => {
  for (const { mnemonic, rdata } of samples) {
    const type = parseType(mnemonic)!;
    expect(parseRdataText(type, printRdata(type, rdata)), printRdata(type, rdata)).toEqual(rdata);
  }
});

needsPeers('dnspython')('dnspython', () => {
  const program = `
import dns.rdata, dns.rdatatype, json, sys
answers = []
for mnemonic, text, ours in json.load(sys.stdin):
    rdtype = dns.rdatatype.from_text(mnemonic)
    wire = dns.rdata.from_text('IN', rdtype, text, relativize=False).to_wire()
    bytes = bytes.fromhex(ours)
    answers.append([wire.hex(), dns.rdata.from_wire('IN', rdtype, bytes, 0, len(bytes)).to_text()])
json.dump(answers, sys.stdout)
`;
  const known = new Set(
    'WKS X25 ISDN RT NSAP NSAP-PTR PX GPOS IPSECKEY HIP NINFO SPF NID L32 L64 LP AVC AMTRELAY DLV'.split(
      ' ',
    ),
  );

  it('reads generated values to our bytes, and our bytes to the same values', () => {
    const asked = samples.filter(({ mnemonic }) => known.has(mnemonic));
    const input = asked.map((one) => [one.mnemonic, one.text, one.rdata.toString('hex')]);
    const answers: [string, string][] = JSON.parse(
      run('dnspython', ['-c', program], JSON.stringify(input)),
    );
    expect(answers).toHaveLength(known.size * valuesOfEach);
    for (const [index, [wire, theirs]] of answers.entries()) {
      const { mnemonic, text: ours, rdata } = asked[index]!;
      expect(wire, `${mnemonic} ${ours}`).toBe(rdata.toString('hex'));
      expect(parseRdataText(parseType(mnemonic)!, theirs), `${mnemonic} ${theirs}`).toEqual(rdata);
    }
  });
});

/** BIND 9.18 does not know these. */
const notForBind = new Set(['CLA', 'IPN']);

needsPeers('named-compilezone')('BIND', () => {
  function compiled(file: string, content: string): string {
    const output = join(folder, `${file}.compiled`);
    const args = ['-i', 'none', '-k', 'ignore', '-s', 'full', '-o', output, 'example'];
    run('named-compilezone', [...args, write(file, content)]);
    return readFileSync(output, 'latin1');
  }

  it('reads generated values to our bytes, and prints values that we read to them', () => {
    const [native, generic] = bothForms((mnemonic) => !notForBind.has(mnemonic));
    const printed = compiled('native', native);
    expect(printed).toBe(compiled('generic', generic));
    expect(readZone(printed).map(textOf).sort()).toEqual(readZone(native).map(textOf).sort());
  });
});

needsPeers('ldns-read-zone')('ldns', () => {
  const known = new Set(
    'MB MG MR MINFO X25 ISDN RT PX TALINK IPSECKEY HIP SPF NID L32 L64 LP'.split(' '),
  );

  it('reads generated values to our bytes', () => {
    const [native, generic] = bothForms((mnemonic) => known.has(mnemonic));
    const ours = run('ldns-read-zone', ['-z', write('generic', generic)]);
    expect(run('ldns-read-zone', ['-z', write('native', native)])).toBe(ours);
  });
});

const apex = parseAbsoluteName('example');

function readZone(content: string): ResourceRecord[] {
  const reader = new ZoneFileReader({ apex, defaultTtl: 60, skipUnsupported: false });
  const records = [...reader.read(content), ...reader.end()].flat();
  expect(reader.errors.lines).toEqual([]);
  return records;
}

function textOf({ owner, type, rdata }: ResourceRecord): string {
  return `${owner} ${printType(type)} ${printRdata(type, rdata)}`;
}

/** One record of each storable type, and types that are named inside others. */
function zoneOfEveryType(): ResourceRecord[] {
  const seen = new Set<string>();
  const lines: string[] = [];
  for (const { type, text: value } of examples) {
    if (!isStorable(parseType(type)!) || seen.has(type)) continue;
    seen.add(type);
    const below = ['CNAME', 'DNAME', 'NS', 'DS'].includes(type) ? 'own' : 'x';
    lines.push(`${below}${type.toLowerCase()} 60 IN ${type} ${value}`);
    if (type === 'DS') lines.push(`${below}ds 60 IN NS ns`);
  }
  lines.push('bits 60 IN CSYNC 1 3 A HIP AMTRELAY TYPE65280', 'odd 60 IN TYPE65280 \\# 2 FFFF');
  lines.push('service 60 IN HTTPS 1 . alpn="h2" ohttp');
  expect(seen.size).toBeGreaterThan(70);
  return readZone(zoneOf(lines)).sort(compareRecords);
}

function exported(records: readonly ResourceRecord[]): string {
  const soa = parseRdataText(rrtype.SOA, 'ns.example. hostmaster.example. 1 300 60 3600000 86400');
  const head = { apex, serial: 1, defaultTtl: 60, soa };
  return [...printZoneFile(head, [packRecords(records)])].join('');
}

describe('a file with every type', () => {
  it('is read back to the same records, and has one rule for what others can not name', () => {
    const records = zoneOfEveryType();
    const file = exported(records);
    expect(readZone(file).map(textOf)).toEqual(expect.arrayContaining(records.map(textOf)));
    expect(readZone(file)).toHaveLength(records.length);
    expect(file).toMatch(/^xhip\t60\tIN\tTYPE55\t\\# \d+ [0-9A-F]+$/m);
    expect(file).toContain('bits\t60\tIN\tCSYNC\t1 3 A TYPE55 TYPE260 TYPE65280\n');
    expect(file).toContain('service\t60\tIN\tHTTPS\t1 . alpn="h2" key8=""\n');
    expect(file).toMatch(/^xspf\t60\tIN\tSPF\t"v=spf1 -all"$/m);
  });

  needsPeers(
    'named-checkzone',
    'kzonecheck',
    'nsd-checkzone',
  )('other servers', () => {
    it('is taken by BIND, Knot and NSD', () => {
      const whole = write('whole', exported(zoneOfEveryType()));
      run('kzonecheck', ['-o', 'example', whole]);
      run('nsd-checkzone', ['example', whole]);
      run('named-checkzone', ['-i', 'none', 'example', whole]);
    });

    it('names no type that Knot could read by its name in generic form', () => {
      const unnamed = Object.entries(rrtype).filter(([, type]) => {
        // PowerDNS alone does not know RT.
        return isStorable(type) && type !== rrtype.RT && rdataFormatOf(type)?.isPortable === false;
      });
      for (const [mnemonic, type] of unnamed) {
        const example = examples.find((one) => one.type === mnemonic)!;
        const content = zoneOf([`x 60 IN ${mnemonic} ${example.text}`]);
        const args = ['-o', 'example', write('named', content)];
        const { status } = spawnSync(peer('kzonecheck')!, args);
        expect([mnemonic, status]).toEqual([mnemonic, 1]);
        const rdata = Buffer.from(example.hex, 'hex');
        expect(printPortable(type, rdata)).toMatch(/^TYPE\d+\t\\# /);
      }
      expect(unnamed.length).toBeGreaterThan(30);
    });
  });
});
