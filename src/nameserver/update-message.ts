/**
 * The sections of an UPDATE message to prerequisites and steps (RFC 2136 2.4, 2.5, 3.2, 3.4.1).
 *
 * A fault is FORMERR for TTLs, RDATA, classes and types that can not be where they are, NOTZONE for owners
 * outside the zone. It counts where it stands: a prerequisite before it that does not hold is answered first, and
 * what stands behind it is not read. Too many records are REFUSED before anything is read. What the decoder can
 * not read, broken RDATA and class ANY with RDATA among it, never comes here.
 */
import { type NameKey, printAbsoluteName, relativeTo } from '../dns/name.ts';
import { readRdata } from '../dns/rdata/rdata.ts';
import { isMetaType, printType, rrtype } from '../dns/rrtype.ts';
import { recordClass } from '../dns/wire/header.ts';
import type { Message, WireRecord } from '../dns/wire/message.ts';
import type { Prerequisite, UpdateErrorCode, UpdateOperation } from '../domain/dynamic-update.ts';
import { nameserverLimits } from './limits.ts';

/** What is wrong with a record of an update: its RCODE, and a clause for people. */
export class UpdateError extends Error {
  override readonly name = 'UpdateError';
  readonly rcode: UpdateErrorCode;

  constructor(code: UpdateErrorCode, message: string) {
    super(message);
    this.rcode = code;
  }
}

export interface UpdateSections {
  readonly prerequisites: readonly Prerequisite[];
  /** None of them is done when there is a fault. */
  readonly operations: readonly UpdateOperation[];
  /** The first fault of the message. */
  readonly messageError?: UpdateError;
}

/** Why a message has too many records, or undefined. */
export function excessOf({ answers, authorities }: Message): string | undefined {
  const max = nameserverLimits.updateRecords;
  const count = answers.length + authorities.length;
  return count > max ? `${count} records in one update (at most ${max})` : undefined;
}

/** Reads an update of the zone whose apex is given. */
export function readUpdate({ answers, authorities }: Message, apex: NameKey): UpdateSections {
  const prerequisites: Prerequisite[] = [];
  const operations: UpdateOperation[] = [];
  try {
    readPrerequisites(answers, apex, prerequisites);
  } catch (error) {
    // RRsets that were still being collected are never judged then.
    const inTurn = prerequisites.filter(({ kind }) => kind !== 'rrset-equals');
    return { prerequisites: inTurn, operations, messageError: updateErrorOf(error) };
  }
  try {
    for (const record of authorities) operations.push(readOperation(record, apex));
  } catch (error) {
    return { prerequisites, operations, messageError: updateErrorOf(error) };
  }
  return { prerequisites, operations };
}

function updateErrorOf(error: unknown): UpdateError {
  if (error instanceof UpdateError) return error;
  throw error;
}

function readPrerequisites(
  records: readonly WireRecord[],
  apex: NameKey,
  prerequisites: Prerequisite[],
): void {
  /** RDATA by owner and type: records of the zone's class mean whole RRsets together. */
  const wanted = new Map<string, Buffer[]>();
  for (const record of records) {
    const { type, rdata } = record;
    if (record.ttl !== 0) throw malformed(record, 'is a prerequisite with a TTL');
    const owner = ownerOf(record, apex);
    if (type !== rrtype.ANY) requireDataType(record);
    switch (record.class) {
      case recordClass.ANY:
        prerequisites.push(
          type === rrtype.ANY
            ? { kind: 'name-in-use', owner }
            : { kind: 'rrset-exists', owner, type },
        );
        break;
      case recordClass.NONE:
        if (rdata.length > 0) throw malformed(record, 'is a prerequisite of class NONE with data');
        prerequisites.push(
          type === rrtype.ANY
            ? { kind: 'name-not-in-use', owner }
            : { kind: 'rrset-absent', owner, type },
        );
        break;
      case recordClass.IN: {
        requireDataType(record);
        const key = `${type} ${owner}`;
        const others = wanted.get(key);
        if (others !== undefined) {
          others.push(rdata);
          break;
        }
        const rdatas = [rdata];
        wanted.set(key, rdatas);
        prerequisites.push({ kind: 'rrset-equals', owner, type, rdatas });
        break;
      }
      default:
        throw malformed(record, `is a prerequisite of class ${record.class}`);
    }
  }
}

function readOperation(record: WireRecord, apex: NameKey): UpdateOperation {
  const owner = ownerOf(record, apex);
  const { type, ttl, rdata } = record;
  switch (record.class) {
    case recordClass.IN:
      requireDataType(record);
      return { kind: 'add', record: { owner, type, ttl, rdata } };
    case recordClass.ANY:
      if (ttl !== 0) throw malformed(record, 'is a deletion with a TTL');
      if (type === rrtype.ANY) return { kind: 'delete-name', owner };
      requireDataType(record);
      return { kind: 'delete-rrset', owner, type };
    case recordClass.NONE:
      if (ttl !== 0) throw malformed(record, 'is a deletion with a TTL');
      requireDataType(record);
      if (rdata.length === 0) requireEmptyRdata(record);
      return { kind: 'delete-record', owner, type, rdata };
    default:
      throw malformed(record, `is an update of class ${record.class}`);
  }
}

function ownerOf(record: WireRecord, apex: NameKey): NameKey {
  const owner = relativeTo(record.name, apex);
  if (owner === undefined) {
    throw new UpdateError('NOTZONE', `${textOf(record)} is outside the zone`);
  }
  return owner;
}

/** Only types that a zone can hold stand in an update: none of the query types, nor type 0. */
function requireDataType(record: WireRecord): void {
  if (record.type === 0 || isMetaType(record.type)) {
    throw malformed(record, 'is of a type that is no data');
  }
}

/** The decoder lets a record of class NONE pass without RDATA; one that is deleted has some. */
function requireEmptyRdata(record: WireRecord): void {
  try {
    readRdata(record.type, record.rdata, 0, 0);
  } catch {
    throw malformed(record, 'is the deletion of one record without its data');
  }
}

function malformed(record: WireRecord, what: string): UpdateError {
  return new UpdateError('FORMERR', `${textOf(record)} ${what}`);
}

function textOf({ name, type }: WireRecord): string {
  return `${printAbsoluteName(name)} ${printType(type)}`;
}
