/**
 * Zones held in memory, for tests of what reads zones: the same questions that the projection
 * answers, from records written as text.
 */
import { isWithin, type NameKey, parentOf, parseAbsoluteName } from '../../src/dns/name.ts';
import { parseRdataText } from '../../src/dns/rdata/rdata.ts';
import { compareRecords, packRecords, type ResourceRecord } from '../../src/dns/record.ts';
import { parseType, rrtype } from '../../src/dns/rrtype.ts';
import { parseOwner } from '../../src/domain/record.ts';
import { apexOf, type Zone } from '../../src/domain/zone.ts';
import type { NodeSource } from '../../src/nameserver/answer.ts';
import { outlineOf } from '../../src/query/node-reader.ts';

export interface MemoryZone {
  readonly zone: Zone;
  readonly records: readonly ResourceRecord[];
}

let nextId = 1;

export function makeZone(name: string, fields: Partial<Zone> = {}): Zone {
  return {
    id: nextId++,
    name,
    mname: `ns1.${name}`,
    rname: `hostmaster@${name}`,
    defaultTtl: 3600,
    minimumTtl: 300,
    refresh: 300,
    retry: 60,
    expire: 3_600_000,
    serial: 1,
    description: null,
    enabled: true,
    guard: null,
    createdAt: 0,
    recordCount: 0,
    dnssecCount: 0,
    historyFromSerial: 1,
    ...fields,
  };
}

/** A record from `owner [ttl] type rdata`; names in RDATA are absolute. */
export function makeRecord(zone: Zone, line: string): ResourceRecord {
  const [, owner, ttl, type, rdata] = /^(\S+)\s+(?:(\d+)\s+)?(\S+)\s+(.*)$/.exec(line.trim())!;
  const number = parseType(type!)!;
  return {
    owner: parseOwner(owner!, apexOf(zone)),
    type: number,
    ttl: Number(ttl ?? zone.defaultTtl),
    rdata: parseRdataText(number, rdata!),
  };
}

/** A zone of records written one a line. */
export function memoryZone(name: string, text: string, fields: Partial<Zone> = {}): MemoryZone {
  const bare = makeZone(name, fields);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const records = lines.map((line) => makeRecord(bare, line)).sort(compareRecords);
  return { zone: { ...bare, recordCount: records.length }, records };
}

/** Answers what NodeReader answers. */
export function memoryNodes(zones: readonly MemoryZone[]): NodeSource {
  const findZone = (name: NameKey): Zone | undefined => {
    for (let apex: NameKey | undefined = name; apex !== undefined; apex = parentOf(apex)) {
      const found = zones.find(({ zone }) => apexOf(zone) === apex);
      if (found !== undefined) return found.zone;
    }
    return undefined;
  };
  const recordsOf = (id: number) => zones.find(({ zone }) => zone.id === id)!.records;
  return {
    findZone,
    findZoneAbove(apex) {
      const above = parentOf(apex);
      return above === undefined ? undefined : findZone(above);
    },
    node: (id, owner) => recordsOf(id).filter((record) => record.owner === owner),
    outline(id, owner) {
      const here = recordsOf(id).filter((record) => record.owner === owner);
      return outlineOf(here.map(({ type }) => type));
    },
    hasBelow: (id, owner) =>
      recordsOf(id).some((record) => record.owner !== owner && isWithin(record.owner, owner)),
    ownerUpTo: (id, owner) => recordsOf(id).findLast((record) => record.owner <= owner)?.owner,
    nsec3OwnerUpTo(id, owner) {
      const chain = recordsOf(id).filter(({ type }) => type === rrtype.NSEC3);
      return (chain.findLast((record) => record.owner <= owner) ?? chain.at(-1))?.owner;
    },
  };
}

/** Packed records in blocks of `size`, as a snapshot gives them. */
export function packedBlocks(records: readonly ResourceRecord[], size: number) {
  const blocks: { count: number; records: Buffer }[] = [];
  for (let at = 0; at < records.length; at += size) {
    const some = records.slice(at, at + size);
    blocks.push({ count: some.length, records: packRecords(some) });
  }
  return blocks;
}

export function absolute(name: string): NameKey {
  return parseAbsoluteName(name);
}
