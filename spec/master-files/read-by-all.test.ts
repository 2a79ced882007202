/**
 * What exported files hold is read by BIND, Knot, NSD and PowerDNS: every byte in owners and in names and texts of
 * values, every type, and the forms of values that servers differ about. BIND reads it to the same records. What may be
 * stored is read again, too, from the file that each of them writes.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import examples from '../../fixtures/rdata/examples.json' with { type: 'json' };
import { emptyName, keyFromLabels, labelsOf, parseAbsoluteName } from '../../src/dns/name.ts';
import { parseRdataText } from '../../src/dns/rdata/rdata.ts';
import { compareRecords, packRecords, type ResourceRecord } from '../../src/dns/record.ts';
import { isStorable, parseType, printType, rrtype } from '../../src/dns/rrtype.ts';
import { escapedByte } from '../../src/dns/tokens.ts';
import { printZoneFile } from '../../src/dns/zonefile/print.ts';
import { ZoneFileReader } from '../../src/dns/zonefile/reader.ts';
import { powerDnsSchema } from '../support/moving.ts';
import { knotPatience, patienceMs } from '../support/patience.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';
import { endProcess } from '../support/processes.ts';

const apex = parseAbsoluteName('example');
const bytes = Array.from({ length: 256 }, (_, byte) => byte);
const escaped = bytes.map((byte) => `\\${String(byte).padStart(3, '0')}`);
const upTo = (last: number) => Array.from({ length: last + 1 }, (_, number) => number);

/** Types with a name in their value, the name left out. */
const named = [
  ...[
    'PTR #',
    'CNAME #',
    'MX 10 #',
    'SRV 1 2 3 #',
    'KX 1 #',
    'AFSDB 1 #',
    'RT 1 #',
    'LP 1 #',
    'RP # #',
  ],
  ...['NAPTR 1 1 "" "" "" #', 'SVCB 0 #', 'HTTPS 1 # port=1', 'MINFO # #', 'PX 1 # #', 'DNAME #'],
  ...['NXT # A', 'DSYNC CDS NOTIFY 1 #', 'TALINK # #', 'HIP 2 AB AwEA #', 'AMTRELAY 10 0 3 #'],
];

/** Types with text in their value, the text left out. */
const texts = [
  ...['TXT "#" "a#b"', 'HINFO "#" "a#"', 'SPF "#"', 'CAA 0 issue "#x"', 'CAA 0 issue "x#"'],
  ...['URI 1 2 "#"', 'URI 1 2 "x#y"', 'NAPTR 1 2 "" "#" "" .', 'HTTPS 1 . key667="#a#"'],
  ...['SVCB 1 . key667="#"', 'AVC "#"'],
];

function oddValues(): string[] {
  const certificates = [1, 2, 3, 4, 5, 6, 7, 8, 253, 254, 255, 65_280, 65_535];
  const keys = [...upTo(40), 255, 256, 65_279, 65_280, 65_534];
  const types = [...upTo(264).slice(1), 32_768, 32_769, 65_280].filter((type) => isStorable(type));
  return [
    ...certificates.map((type) => `CERT ${type} 0 0 AQID`),
    ...bytes.flatMap((byte) => [
      ...[`CERT 3 1 ${byte} AQID`, `SSHFP ${byte} 200 AB`, `TLSA 3 1 ${byte < 3 ? 3 : byte} AB`],
      ...[
        `TLSA ${byte} 1 0 AB`,
        `TLSA 3 ${byte} 0 AB`,
        `SMIMEA ${byte} 1 0 AB`,
        `CAA ${byte} issue "x"`,
      ],
      ...[`DOA 0 1 ${byte} "a" AQID`, `WKS 192.0.2.1 6 ${byte}`, `DSYNC CDS ${byte} 1 a.`],
      ...[`HIP ${byte} AB AwEA`, `KEY 512 ${byte} 8 AQID`],
    ]),
    ...keys
      .filter((key) => key > 8)
      .flatMap((key) => [
        ...[
          `SVCB 1 . key${key}`,
          `SVCB 1 . key${key}="a b"`,
          `HTTPS 1 . mandatory=key${key} key${key}`,
        ],
      ]),
    ...types.map((type) => `CSYNC 0 0 TYPE${type}`),
    ...types.map((type) => `DSYNC TYPE${type} NOTIFY 1 a.`),
    ...[
      '1 . ohttp',
      '1 . dohpath="/q{?dns}"',
      '1 . mandatory=ohttp,dohpath ohttp dohpath="/(;){?dns}"',
    ].flatMap((value) => [`SVCB ${value}`, `HTTPS ${value}`]),
    ...[
      'SVCB 1 . alpn=h2 no-default-alpn ech=AAEC ipv4hint=192.0.2.1 ipv6hint=::',
      'SVCB 1 . alpn=b',
    ],
    ...['LOC 90 0 0.000 S 180 0 0.000 W 42849672.95m 90000000m 90000000m 90000000m'],
    ...[
      'APL 1:0.0.0.0/0 !2:::/0',
      'CSYNC 0 0',
      'CSYNC 1 3 A RT HIP TYPE65280',
      'TXT ""',
      'HINFO "" ""',
    ],
    ...[
      'TYPE65280 \\# 0',
      'TYPE65534 \\# 1 00',
      'EUI48 FF-FF-FF-FF-FF-FF',
      'URI 0 0 " "',
      'RT 1 a.',
    ],
  ];
}

/** Every value at an owner of its own. */
function recordsOf(values: readonly string[]): ResourceRecord[] {
  return values.map((text, index) => {
    const [mnemonic = '', ...rest] = text.split(' ');
    const type = parseType(mnemonic)!;
    const owner = keyFromLabels([`r${index}`]);
    return { owner, type, ttl: 60, rdata: parseRdataText(type, rest.join(' ')) };
  });
}

function everything(): ResourceRecord[] {
  // DS need a delegation, and Knot looks for the addresses of name servers.
  const apart = new Set(['DS', 'NS']);
  const ofExamples = examples.filter(
    ({ type }) => isStorable(parseType(type)!) && !apart.has(type),
  );
  const values = [
    ...ofExamples.map(({ type, text }) => `${type} ${text}`),
    ...named.flatMap((form) => escaped.map((byte) => form.replaceAll('#', `a${byte}b.${byte}.`))),
    ...texts.flatMap((form) => escaped.map((byte) => form.replaceAll('#', byte))),
    ...escaped
      .filter((_, byte) => !'();'.includes(String.fromCharCode(byte)))
      .map((byte) => `SVCB 1 . alpn="aa${byte}bb"`),
    ...oddValues(),
  ];
  const owners = bytes.flatMap((byte) => {
    const label = String.fromCharCode(byte);
    return [keyFromLabels([`p${label}q`, 'byte']), keyFromLabels([label, 'byte'])];
  });
  const address = { type: rrtype.A, ttl: 60, rdata: Buffer.of(192, 0, 2, 1) };
  const atOwners = [...new Set(owners)].map((owner) => ({ owner, ...address }));
  return [...recordsOf(values), ...atOwners];
}

const server = keyFromLabels(['ns']);
const frame = [
  { owner: emptyName, type: rrtype.NS, ttl: 60, rdata: Buffer.from('\x02ns\x07example\0') },
  { owner: server, type: rrtype.A, ttl: 60, rdata: Buffer.of(192, 0, 2, 53) },
];
const soa = parseRdataText(rrtype.SOA, 'ns.example. dns\\043ops.example. 1 300 60 3600000 86400');

function exported(records: readonly ResourceRecord[]): string {
  const all = [...frame, ...records].sort(compareRecords);
  const head = { apex, serial: 1, defaultTtl: 60, soa };
  return [...printZoneFile(head, [packRecords(all)])].join('');
}

/** The same in the form of RFC 3597 and with every byte of owners escaped. */
function generic(records: readonly ResourceRecord[]): string {
  const lines = [{ owner: emptyName, type: rrtype.SOA, rdata: soa }, ...frame, ...records].map(
    ({ owner, type, rdata }) => {
      const labels = labelsOf(owner).map((label) => [...label].map(escapedByte).join(''));
      const data = `\\# ${rdata.length} ${rdata.toString('hex')}`;
      return `${labels.join('.') || '@'} 60 IN TYPE${type} ${data}\n`;
    },
  );
  return `$ORIGIN example.\n${lines.join('')}`;
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'zonebook-read-by-all-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function write(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content, 'latin1');
  return path;
}

function run(program: string, ...args: string[]): string {
  const options = { encoding: 'latin1', maxBuffer: 1 << 28 } as const;
  const { status, stdout, stderr } = spawnSync(peer(program)!, args, options);
  expect(status, `${program}: ${stdout.slice(-2000)}${stderr.slice(-2000)}`).toBe(0);
  return stdout;
}

it('an export is read back to the same records', () => {
  const records = everything();
  const reader = new ZoneFileReader({ apex, defaultTtl: 60, skipUnsupported: false });
  const read = [...reader.read(exported(records)), ...reader.end()].flat();
  expect(reader.errors.lines).toEqual([]);
  const inOrder = [...frame, ...records].sort(compareRecords);
  expect(read.map(({ line: _, ...each }) => each).sort(compareRecords)).toEqual(inOrder);
});

needsPeers('named-compilezone')('BIND', () => {
  function compiled(name: string, content: string): string {
    const output = join(folder, `${name}.compiled`);
    const quiet = ['-i', 'none', '-k', 'ignore', '-s', 'full', '-o', output];
    run('named-compilezone', ...quiet, 'example', write(name, content));
    return readFileSync(output, 'latin1');
  }

  it('reads an export to the records that it was made of', () => {
    const records = everything();
    expect(compiled('exported', exported(records))).toBe(compiled('generic', generic(records)));
  });

  it.each(['text', 'raw'])('reads its own file in the format %s', (format) => {
    const own = join(folder, `own.${format}`);
    const quiet = ['-i', 'none', '-k', 'ignore'];
    const source = write('for-bind', generic(everything()));
    run('named-compilezone', ...quiet, '-F', format, '-o', own, 'example', source);
    run('named-compilezone', ...quiet, '-f', format, '-o', `${own}.text`, 'example', own);
  });
});

needsPeers(
  'kzonecheck',
  'knotd',
  'knotc',
)('Knot', () => {
  it('reads an export', () => {
    run('kzonecheck', '-o', 'example', write('for-knot', exported(everything())));
  });

  it('reads its own file', async () => {
    const own = join(folder, 'own');
    mkdirSync(own);
    write('knot.zone', generic(everything()));
    const section = (name: string, lines: string[]) => `${name}:\n    ${lines.join('\n    ')}\n`;
    const lines = [
      section('server', [
        `rundir: ${folder}`,
        `listen: 127.0.0.1@${await freePort()}`,
        knotPatience,
      ]),
      section('database', [`storage: ${folder}`]),
      section('log', ['target: stderr', 'any: warning']).replace('    target', '  - target'),
      `zone:\n  - domain: example\n    storage: ${folder}\n    file: knot.zone\n`,
    ];
    const child = spawn(peer('knotd')!, ['-c', write('knot.conf', lines.join(''))]);
    try {
      const args = ['-s', join(folder, 'knot.sock'), '-b', 'zone-flush', '+outdir', own];
      const flushed = () => spawnSync(peer('knotc')!, args, { encoding: 'utf8' });
      await expect.poll(() => flushed().status, { timeout: patienceMs }).toBe(0);
    } finally {
      await endProcess(child);
    }
    run('kzonecheck', '-o', 'example', join(own, 'knot.zone'));
  });
});

needsPeers('nsd-checkzone')('NSD', () => {
  it('reads an export', () => {
    run('nsd-checkzone', 'example', write('for-nsd', exported(everything())));
  });

  it('reads its own file', () => {
    const own = run('nsd-checkzone', '-p', 'example', write('nsd.zone', generic(everything())));
    run('nsd-checkzone', 'example', write('own.nsd', own));
  });
});

/**
 * Types that PowerDNS 4.7 reads by name alone, which Knot does not, and values that it has no form for. It takes
 * all of them by transfer.
 */
const notForPowerDns = new Set(['MB', 'MG', 'MR', 'RKEY', 'DLV', 'IPSECKEY']);

needsPeers('pdnsutil')('PowerDNS', () => {
  it('reads an export', () => {
    const database = new Database(join(folder, 'pdns.sqlite3'));
    database.exec(readFileSync(powerDnsSchema, 'utf8'));
    database.close();
    const settings = `launch=gsqlite3\ngsqlite3-database=${folder}/pdns.sqlite3\ngsqlite3-pragma-synchronous=0\n`;
    write('pdns.conf', settings);
    const records = everything().filter(({ type }) => !notForPowerDns.has(printType(type)));
    const file = write('for-powerdns', exported(records));
    run('pdnsutil', `--config-dir=${folder}`, 'load-zone', 'example', file);
  });
});
