/**
 * AXFR from real servers (RFC 5936; decisions, section 7): what named, knotd and nsd send of a zone
 * is what its master file says, whatever they compress and however they cut it into messages. 20,000
 * records; `npm run test:long` takes 100,000.
 */
import { expect, it } from 'vitest';
import { openOutbound } from '../support/destination.ts';
import { type NameKey, parseAbsoluteName, printRelativeName } from '../../src/dns/name.ts';
import { printRdata } from '../../src/dns/rdata/rdata.ts';
import { parseType, printType } from '../../src/dns/rrtype.ts';
import { fetchZone } from '../../src/outbound/zone-fetch.ts';
import { isLong } from '../support/long.ts';
import { patienceMs } from '../support/patience.ts';
import { needsPeers } from '../support/peers.ts';
import { type PrimaryKind, startPrimary } from '../support/primaries.ts';

const records = isLong ? 100_000 : 20_000;
const zone = 'fetch.example';
const apex = parseAbsoluteName(zone);
const soa = `ns1.${zone}. hostmaster.${zone}. 4294967295 7200 900 1209600 300`;

/** One record of the zone as the file has it: owner, TTL, type and value. */
type FileRecord = readonly [owner: string, ttl: number, type: string, value: string];

/** Values with as many names in them as can be, inside and outside the zone. */
const makers: readonly ((index: number) => FileRecord)[] = [
  (index) => [`host-${index}`, 3600, 'A', `10.${(index >> 16) & 255}.${(index >> 8) & 255}.7`],
  (index) => [`host-${index}`, 3600, 'AAAA', `2001:db8::${(index & 0xffff || 1).toString(16)}`],
  (index) => [`mail-${index}`, 300, 'MX', `${index % 65_536} MX-${index}.mail.${zone}.`],
  (index) => [`sub-${index}`, 86_400, 'NS', `ns1.sub-${index}.${zone}.`],
  (index) => [`_sip._tcp.s${index}`, 60, 'SRV', `0 5 5060 sip-${index}.elsewhere.test.`],
  (index) => [`Alias-${index}`, 0, 'CNAME', `host-${index}.${zone}.`],
  (index) => [
    `text-${index}`,
    2_147_483_647,
    'TXT',
    `"number ${index}" "${'x'.repeat(index % 256)}"`,
  ],
  (index) => [`ptr-${index}.deep.er.down`, 3600, 'PTR', `host-${index}.${zone}.`],
  (index) => [
    `t${index}`,
    3600,
    'TYPE65280',
    `\\# 4 ${index.toString(16).toUpperCase().padStart(8, '0')}`,
  ],
  (index) => [`caa-${index}`, 3600, 'CAA', `0 issue "ca-${index}.example"`],
];

/** The zone with one TXT record of so many strings, 256 bytes each. */
function fileWith(strings: number): readonly FileRecord[] {
  return [
    ['@', 3600, 'NS', `ns1.${zone}.`],
    ['ns1', 3600, 'A', '192.0.2.1'],
    ['*.wild', 3600, 'A', '192.0.2.2'],
    ['text', 3600, 'TXT', `"${'y'.repeat(255)}" `.repeat(strings).trim()],
    ...Array.from({ length: records - 4 }, (_, index) => makers[index % makers.length]!(index)),
  ];
}

function textOf(file: readonly FileRecord[]): string {
  const lines = file.map(([owner, ttl, type, value]) => `${owner} ${ttl} IN ${type} ${value}\n`);
  return `$ORIGIN ${zone}.\n@ 3600 IN SOA ${soa}\n${lines.join('')}`;
}

/** Names come lower-case from us, in owners and in the values that hold them. */
function lineOf([owner, ttl, type, value]: FileRecord): string {
  const shown = ['TXT', 'CAA', 'TYPE65280'].includes(type) ? value : value.toLowerCase();
  return `${owner.toLowerCase()} ${ttl} ${type} ${shown}`;
}

async function fetched(port: number, name: NameKey = apex) {
  const lines: string[] = [];
  const soas: string[] = [];
  const server = `127.0.0.1:${port}`;
  const bounds = { timeoutMs: patienceMs, totalMs: 600_000, maxRecords: 5e6, maxBytes: 1e9 };
  const terms = { ...bounds, outbound: openOutbound() };
  const options = { server, apex: name, reach: 'private', ...terms } as const;
  for await (const part of fetchZone(options)) {
    if (part.kind === 'soa') {
      expect(lines).toEqual([]);
      soas.push(`${part.ttl} ${printRdata(parseType('SOA')!, part.rdata)}`);
      continue;
    }
    for (const { owner, type, ttl, rdata } of part.records) {
      lines.push(
        `${printRelativeName(owner)} ${ttl} ${printType(type)} ${printRdata(type, rdata)}`,
      );
    }
  }
  return { lines, soas };
}

/** Messages of NSD stay below 16 KiB; the others send a large record in a message of its own. */
const greatestStrings = { named: 255, knotd: 255, nsd: 60 } as const;

const kinds: readonly PrimaryKind[] = ['named', 'knotd', 'nsd'];

for (const kind of kinds) {
  needsPeers(kind, 'dig')(`a zone from ${kind}`, () => {
    it(`has the ${records} records of its file, names uncompressed`, async () => {
      const file = fileWith(greatestStrings[kind]);
      await using primary = await startPrimary(kind, zone, textOf(file));
      const { lines, soas } = await fetched(primary.port);
      expect(soas).toEqual([`3600 ${soa}`]);
      expect(lines).toHaveLength(records);
      // Sets, because a diff of all the lines would say too much.
      const expected = new Set(file.map(lineOf));
      expect([...new Set(lines).symmetricDifference(expected)].slice(0, 10)).toEqual([]);
    });

    it('is refused, with the RCODE, when it does not send the zone or has none', async () => {
      const little = `$ORIGIN ${zone}.\n@ 60 IN SOA ${soa}\n@ 60 IN NS ns1.elsewhere.test.\n`;
      await using primary = await startPrimary(kind, zone, little, { sendsZone: false });
      const place = `from_server: 127.0.0.1:${primary.port}: the server`;
      for (const name of [zone, 'other.example']) {
        await expect(fetched(primary.port, parseAbsoluteName(name))).rejects.toMatchObject({
          code: 'INVALID_INPUT',
          message: expect.stringMatching(
            new RegExp(`^${place} refused the transfer \\((REFUSED|NOTAUTH)\\)$`),
          ),
        });
      }
    });
  });
}

needsPeers('nsd', 'dig')('a record that nsd can not send', () => {
  it('fails the transfer instead of reading empty messages for ever (case 37)', async () => {
    const text = textOf(fileWith(200).slice(0, 5));
    await using primary = await startPrimary('nsd', zone, text);
    await expect(fetched(primary.port)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});
