/**
 * Events as rows: header columns, a JSON payload that people can read, and delta parts; and the
 * chain of hashes over them.
 *
 * The hash of an event covers the hash before it, its header, and the digest of its content: of
 * payload and delta. The digest stands in the row, so what it covers can be dropped by retention and
 * the chain still proves the rest.
 */
import { hash } from 'node:crypto';
import { ByteWriter } from '../base/byte-writer.ts';
import { type ZoneEventKind, zoneEventKinds } from '../base/event-kind.ts';
import { assert } from '../base/problem.ts';
import {
  administrationStream,
  type DomainEvent,
  isZoneEvent,
  type StandIn,
  type StoredZoneEvent,
  standInFrom,
  keepsSerial,
  type ZoneEvent,
  countsOf,
} from '../domain/event.ts';
import { desiredFrom, storedDesired } from '../domain/desired.ts';
import { roleFrom } from '../domain/access/model.ts';
import { signingOf, storedSigning } from '../domain/signing.ts';
import {
  changedSettings,
  settingsFrom,
  type StoredSettings,
  type ZoneSettings,
} from '../domain/zone.ts';
import { checksumOfPayload } from './checksum.ts';
import { damageIn } from './damage.ts';
import { type DeltaPart, decodeDelta } from './delta.ts';
import type { Connection } from './sqlite.ts';

/** Who caused an event, and by which listener or API. */
export interface Provenance {
  readonly changeSource: string;
  readonly actorKind: string | null;
  readonly actorName: string | null;
  /** The number of the local user; null for others, and where it is not known. */
  readonly actorUid: number | null;
  readonly requestId: string | null;
  /** Why it was done, in the words of who did it. */
  readonly reason: string | null;
  /** Where to read more about it, for example the number of a ticket. */
  readonly reference: string | null;
}

/** A row of the table `event`. */
export interface EventRow extends Provenance {
  readonly seq: number;
  readonly stream: number;
  readonly serial: number | null;
  readonly kind: string;
  /** Of events of zones: the name after it, or the one it was deleted with. */
  readonly zoneName: string | null;
  /** Whether the zone is enabled after it, 1 or 0; null when it is deleted. */
  readonly zoneEnabled: number | null;
  /** Milliseconds since 1970; never before the event before it. */
  readonly at: number;
  readonly payload: string | null;
  /** The number its parts stand under (delta.ts). */
  readonly delta: number;
  readonly contentDigest: Buffer;
  readonly prevHash: Buffer;
  readonly hash: Buffer;
  /** How many parts its delta has. */
  readonly partCount: number;
  readonly payloadChecksum: number;
}

/** The columns of a row, named as the fields of EventRow. */
export const eventColumns = `seq, stream, serial, kind, zone_name AS zoneName,
  zone_enabled AS zoneEnabled, at, change_source AS changeSource,
  actor_kind AS actorKind, actor_name AS actorName, actor_uid AS actorUid, request_id AS requestId,
  reason, reference, payload, delta,
  content_digest AS contentDigest, prev_hash AS prevHash, hash, parts AS partCount,
  payload_checksum AS payloadChecksum`;

/** The hash before the first event. */
export const genesisHash: Buffer = Buffer.alloc(32);

/** By way of a text: to be given bytes takes the runtime half as long again. */
export function sha256(data: string | Buffer): Buffer {
  return Buffer.from(hash('sha256', data, 'latin1'), 'latin1');
}

/** Stands for the length of what a part does not have. */
const noIds = 0xffff_ffff;

/** What is hashed is put together here: nothing of it outlives a call. */
const subject = new ByteWriter(16_384);

/** Bytes of a delta from which on it is digested by itself, before its payload is known. */
const largeDelta = 65_536;

/**
 * SHA-256 over the payload and the parts of a delta in order: of each part its place, half, layer,
 * counts and bytes. Lengths are hashed too, so that the end of one thing can not pass for the start of
 * the next. A large delta, or one that was staged, is there with its own digest, so that it can be
 * prepared ahead.
 */
export function digestOfContent(
  payload: string,
  parts: readonly DeltaPart[],
  isStaged = false,
): Buffer {
  let bytes = 0;
  for (const { records } of parts) bytes += records.length;
  if (isStaged || bytes >= largeDelta) {
    return digestOfStaged(payload, parts.length, digestOfParts(parts.map(digestOfPart)));
  }
  begin(payload, parts.length);
  for (const part of parts) addPart(part);
  return hashOfSubject();
}

/** The digest of a content whose large delta was digested before. */
export function digestOfStaged(payload: string, partCount: number, partsDigest: Buffer): Buffer {
  begin(payload, partCount);
  subject.add(partsDigest);
  return hashOfSubject();
}

/** The digest of one part of a large delta. */
export function digestOfPart(part: DeltaPart): Buffer {
  subject.length = 0;
  addPart(part);
  return hashOfSubject();
}

/** The digest of a large delta, from those of its parts in order. */
export function digestOfParts(digests: readonly Buffer[]): Buffer {
  return sha256(Buffer.concat(digests));
}

function begin(payload: string, partCount: number): void {
  subject.length = 0;
  addNumber(Buffer.byteLength(payload));
  addNumber(partCount);
  addText(payload);
}

function addPart({ part, change, layer, count, records, ids }: DeltaPart): void {
  addNumber(part);
  addNumber(change);
  addNumber(layer);
  addNumber(count);
  addNumber(records.length);
  addNumber(ids?.length ?? noIds);
  subject.add(records);
  if (ids !== null) subject.add(ids);
}

function addNumber(value: number): void {
  subject.length = subject.room(4).writeUInt32BE(value, subject.length);
}

function addText(text: string): void {
  const into = subject.room(Buffer.byteLength(text));
  subject.length += into.utf8Write(text, subject.length);
}

/** The hash of what was put together. */
function hashOfSubject(): Buffer {
  return sha256(subject.buffer.subarray(0, subject.length));
}

type Header = Omit<
  EventRow,
  'hash' | 'payload' | 'delta' | 'contentDigest' | 'prevHash' | 'partCount' | 'payloadChecksum'
>;

/** The hash of an event: SHA-256 over the hash before it, its content's digest and its header. */
export function hashOfEvent(event: Header, contentDigest: Buffer, prevHash: Buffer): Buffer {
  const { seq, stream, serial, kind, zoneName, zoneEnabled, at } = event;
  const { changeSource, actorKind, actorName, requestId } = event;
  const header = [seq, stream, serial, kind, zoneName, zoneEnabled, at];
  const { actorUid, reason, reference } = event;
  // Where there is none of them the header is as it was before there were any.
  const why = actorUid ?? reason ?? reference;
  const more = why === null ? [] : [actorUid, reason, reference];
  subject.length = 0;
  subject.add(prevHash);
  subject.add(contentDigest);
  addText(JSON.stringify([...header, changeSource, actorKind, actorName, requestId, ...more]));
  return hashOfSubject();
}

/** Whether the hash of a row is that of its header. */
export function hasRightHash(row: EventRow): boolean {
  return hashOfEvent(row, row.contentDigest, row.prevHash).equals(row.hash);
}

export function streamOf(event: DomainEvent): number {
  return isZoneEvent(event) ? event.zoneId : administrationStream;
}

/** The serial an event stamps; null when it takes no step. */
export function serialOf(event: DomainEvent): number | null {
  if (!isZoneEvent(event) || keepsSerial(event.kind)) return null;
  return event.after?.serial ?? null;
}

/** What an event says of a zone even when its payload is deleted. */
export function zoneHeaderOf(event: DomainEvent): Pick<EventRow, 'zoneName' | 'zoneEnabled'> {
  if (!isZoneEvent(event)) return { zoneName: null, zoneEnabled: null };
  const { before, after } = event;
  return {
    zoneName: (after ?? before)?.name ?? null,
    zoneEnabled: after === null ? null : Number(after.enabled),
  };
}

export function encodePayload(event: DomainEvent): string {
  if (!isZoneEvent(event)) {
    const { kind: _, ...payload } = event;
    return JSON.stringify(payload);
  }
  const { before, after } = event;
  const { removed, added } = countsOf(event);
  const payload: StoredZoneEvent = {
    zone: after,
    before: before === null || after === null ? before : differing(before, after),
    removed,
    added,
    ...(event.standIn === undefined ? {} : { standIn: event.standIn }),
    ...(event.tag === undefined ? {} : { tag: event.tag }),
    ...(event.forgotten === undefined ? {} : { forgotten: event.forgotten }),
    ...(event.rolesLost === undefined ? {} : { rolesLost: event.rolesLost }),
    ...(event.desired === undefined ? {} : { desired: storedDesired(event.desired) }),
    ...(event.signing === undefined
      ? {}
      : { signing: { ...event.signing, state: storedSigning(event.signing.state) } }),
  };
  return JSON.stringify(payload);
}

function differing(before: ZoneSettings, after: ZoneSettings): Partial<ZoneSettings> {
  return Object.fromEntries(changedSettings(before, after).map((name) => [name, before[name]]));
}

/** A payload that is served, with what tells whether it is right. */
export type ServedPayload = Pick<EventRow, 'payload' | 'partCount' | 'payloadChecksum' | 'delta'>;

/** The payload of an event, which is what was written; null once retention has dropped it. Throws StoredDamage. */
export function payloadOf(connection: Connection, row: ServedPayload): string | null {
  const { payload, partCount, payloadChecksum, delta } = row;
  if (payload === null) return null;
  const isText = typeof payload === 'string';
  if (isText && checksumOfPayload(payload, partCount) === payloadChecksum) return payload;
  throw damageIn(connection, { table: 'event_delta', delta });
}

/** The settings before and after an event, from its payload alone. */
export function decodeSettings(payload: string): {
  before: ZoneSettings | null;
  after: ZoneSettings | null;
} {
  const { zone, before } = JSON.parse(payload) as StoredZoneEvent;
  if (zone === null) {
    return { before: before && settingsFrom(before as StoredSettings), after: null };
  }
  return { before: before && settingsFrom({ ...zone, ...before }), after: settingsFrom(zone) };
}

/** True for events after which the content of earlier ones of their stream can be deleted. */
export function isStandIn(kind: string): boolean {
  return kind === 'zone.checkpointed' || kind === 'zone.purged';
}

/** What a checkpoint or a purge stands in with, from its payload alone. */
export function decodeStandIn(payload: string): StandIn {
  const { standIn } = JSON.parse(payload) as StoredZoneEvent;
  assert(standIn !== undefined, 'a checkpoint or a purge says what it replaces');
  return standInFrom(standIn);
}

/** The event a row and its parts tell of. The row must still have its payload. */
export function decodeEvent(row: EventRow, parts: Iterable<DeltaPart>): DomainEvent {
  if (row.payload === null) throw new Error(`event ${row.seq} has no payload any more`);
  if ((zoneEventKinds as readonly string[]).includes(row.kind)) {
    const event: ZoneEvent = {
      kind: row.kind as ZoneEventKind,
      zoneId: row.stream,
      ...decodeSettings(row.payload),
      delta: decodeDelta(parts),
      ...signingIn(row.payload),
      ...tagIn(row),
      ...forgottenIn(row),
      ...(row.kind === 'zone.deleted' ? lossIn(row.payload) : {}),
      ...desiredIn(row.payload),
    };
    return isStandIn(row.kind) ? { ...event, standIn: decodeStandIn(row.payload) } : event;
  }
  const event = { kind: row.kind, ...JSON.parse(row.payload) };
  return 'role' in event ? { ...event, role: roleFrom(event.role) } : event;
}

function tagIn({ kind, payload }: Pick<EventRow, 'kind' | 'payload'>): Pick<ZoneEvent, 'tag'> {
  if (kind !== 'zone.tagged' || payload === null) return {};
  const { tag } = JSON.parse(payload) as StoredZoneEvent;
  return tag === undefined ? {} : { tag };
}

function forgottenIn({
  kind,
  payload,
}: Pick<EventRow, 'kind' | 'payload'>): Pick<ZoneEvent, 'forgotten'> {
  if (kind !== 'zone.history-forgotten' || payload === null) return {};
  const { forgotten } = JSON.parse(payload) as StoredZoneEvent;
  return forgotten === undefined ? {} : { forgotten };
}

/** What else went with a deleted zone, from the payload alone. Events of earlier versions do not say. */
export function lossIn(payload: string): Pick<ZoneEvent, 'rolesLost'> {
  const { rolesLost } = JSON.parse(payload) as StoredZoneEvent;
  return rolesLost === undefined ? {} : { rolesLost };
}

function desiredIn(payload: string): Pick<ZoneEvent, 'desired'> {
  if (!payload.includes('"desired":')) return {};
  const { desired } = JSON.parse(payload) as StoredZoneEvent;
  return desired === undefined ? {} : { desired: desiredFrom(desired) };
}

function signingIn(payload: string): Pick<ZoneEvent, 'signing'> {
  if (!payload.includes('"signing":')) return {};
  const { signing } = JSON.parse(payload) as StoredZoneEvent;
  if (signing === undefined) return {};
  return { signing: { ...signing, state: signingOf(signing.state) } };
}
