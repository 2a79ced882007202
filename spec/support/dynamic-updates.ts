/**
 * Dynamic updates of the law, written as text:
 *
 *   update('example.com', ['yxrrset www A'], ['add www 300 A 192.0.2.1', 'delete old', 'delete www TXT'])
 */
import {
  keyFromLabels,
  type NameKey,
  printRelativeName,
  splitNameText,
} from '../../src/dns/name.ts';
import { parseRdataText, printRdata } from '../../src/dns/rdata/rdata.ts';
import type { ResourceRecord } from '../../src/dns/record.ts';
import { parseType, printType } from '../../src/dns/rrtype.ts';
import type {
  DynamicUpdate,
  Prerequisite,
  UpdateOperation,
} from '../../src/domain/dynamic-update.ts';

/** Forms: nxdomain NAME, yxdomain NAME, nxrrset NAME TYPE, yxrrset NAME TYPE [RDATA | RDATA ...]. */
export function prerequisite(text: string): Prerequisite {
  const [, form, name, type, data] = /^(\S+) (\S+)(?: (\S+))?(?: (.*))?$/.exec(text)!;
  const owner = ownerOf(name!);
  switch (form) {
    case 'nxdomain':
      return { kind: 'name-not-in-use', owner };
    case 'yxdomain':
      return { kind: 'name-in-use', owner };
    case 'nxrrset':
      return { kind: 'rrset-absent', owner, type: parseType(type!)! };
    case 'yxrrset': {
      const number = parseType(type!)!;
      if (data === undefined) return { kind: 'rrset-exists', owner, type: number };
      const rdatas = data.split(' | ').map((one) => parseRdataText(number, one));
      return { kind: 'rrset-equals', owner, type: number, rdatas };
    }
    default:
      throw new Error(`no prerequisite: ${text}`);
  }
}

/** Forms: add NAME TTL TYPE RDATA, delete NAME [TYPE [RDATA]]. */
export function step(text: string): UpdateOperation {
  const add = /^add (\S+) (\d+) (\S+) (.*)$/.exec(text);
  if (add !== null) {
    const type = parseType(add[3]!)!;
    const rdata = parseRdataText(type, add[4]!);
    return { kind: 'add', record: { owner: ownerOf(add[1]!), type, ttl: Number(add[2]), rdata } };
  }
  const [, name, typeName, data] = /^delete (\S+)(?: (\S+))?(?: (.*))?$/.exec(text)!;
  const owner = ownerOf(name!);
  if (typeName === undefined) return { kind: 'delete-name', owner };
  const type = parseType(typeName)!;
  if (data === undefined) return { kind: 'delete-rrset', owner, type };
  return { kind: 'delete-record', owner, type, rdata: parseRdataText(type, data) };
}

export function update(
  zoneName: string,
  prerequisites: readonly string[],
  steps: readonly string[],
): DynamicUpdate {
  return {
    kind: 'dynamic-update',
    zoneName,
    prerequisites: prerequisites.map(prerequisite),
    operations: steps.map(step),
  };
}

export function ownerOf(name: string): NameKey {
  return keyFromLabels(name === '@' ? [] : splitNameText(name).labels);
}

/** `www 300 A 192.0.2.1` */
export function lineOf({ owner, ttl, type, rdata }: ResourceRecord): string {
  return `${printRelativeName(owner)} ${ttl} ${printType(type)} ${printRdata(type, rdata)}`;
}
