/**
 * Endpoints, the controller's word for RRsets, and records, ours.
 *
 * Names stand without closing dot on the controller's side, also in values. A TTL of 0 means none is
 * asked for. An endpoint that can be no record is left out by its reason: no name, a type we do not manage,
 * no target, several targets of a CNAME, a set identifier (routing policies are not ours), a TTL outside
 * 0 to 2147483647. Fields that we do not know are passed over: a newer controller may send more.
 */
import { limits } from '../base/limits.ts';
import { badRequest, type Unfit } from './problem.ts';

/** An endpoint as it was sent, as far as it can be read. */
export interface Endpoint {
  readonly dnsName: string;
  /** In capitals. */
  readonly recordType: string;
  readonly targets: readonly string[];
  /** Seconds; undefined when none is asked for. */
  readonly recordTTL: number | undefined;
  /** The controller's own notes, which come back as they are. */
  readonly labels: unknown;
  /** Why it can be no record; undefined when it may be one. */
  readonly unfit: Unfit | undefined;
}

/** A record as our HTTP interface takes and gives it. */
export interface ServiceRecord {
  readonly name: string;
  readonly type: string;
  readonly ttl?: number | null | undefined;
  readonly values: readonly string[];
}

/** An endpoint as it goes over the wire; without a TTL the field is left out, as the controller does. */
export interface SentEndpoint {
  readonly dnsName: string;
  readonly targets: readonly string[];
  readonly recordType: string;
  readonly recordTTL?: number;
  readonly labels?: unknown;
}

const managedTypes: ReadonlySet<string> = new Set(['A', 'AAAA', 'CNAME', 'TXT']);

/** A list of endpoints under the name `list`; what is no list is no call of the webhook. */
export function parseEndpoints(value: unknown, list: string): Endpoint[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw badRequest(`${list}: must be an array of endpoints`);
  return value.map(parseEndpoint);
}

function parseEndpoint(value: unknown): Endpoint {
  const fields: Readonly<Record<string, unknown>> =
    typeof value === 'object' && value !== null ? { ...value } : {};
  const { dnsName, recordType, targets, recordTTL, labels } = fields;
  const isList = Array.isArray(targets) && targets.every((each) => typeof each === 'string');
  return {
    dnsName: typeof dnsName === 'string' ? dnsName : '',
    recordType: typeof recordType === 'string' ? recordType.toUpperCase() : '',
    targets: isList ? targets : [],
    recordTTL: typeof recordTTL === 'number' && recordTTL !== 0 ? recordTTL : undefined,
    labels,
    unfit: unfitOf(fields, isList),
  };
}

function unfitOf(fields: Readonly<Record<string, unknown>>, isList: boolean): Unfit | undefined {
  const { dnsName, recordType, setIdentifier, recordTTL } = fields;
  if (typeof dnsName !== 'string' || dnsName.trim() === '') {
    return { reason: 'name', message: 'it has no dnsName' };
  }
  const type = typeof recordType === 'string' ? recordType.toUpperCase() : '';
  if (!managedTypes.has(type)) {
    const types = [...managedTypes].join(', ');
    const given = String(recordType).slice(0, 60);
    return { reason: 'type', message: `recordType '${given}' is not one of ${types}` };
  }
  if ((setIdentifier ?? '') !== '') {
    const message = 'setIdentifier is not supported: there are no routing policies';
    return { reason: 'set_identifier', message };
  }
  const count = isList ? (fields.targets as readonly string[]).length : 0;
  if (count === 0) return { reason: 'targets', message: 'there are no targets' };
  if (type === 'CNAME' && count > 1) {
    return { reason: 'targets', message: `a CNAME has one target, not ${count}` };
  }
  const ttl = recordTTL ?? 0;
  if (Number.isInteger(ttl) && Number(ttl) >= 0 && Number(ttl) <= limits.ttl) return undefined;
  const given = String(recordTTL).slice(0, 60);
  return { reason: 'ttl', message: `recordTTL ${given} is outside 0..${limits.ttl}` };
}

export function recordOf({ dnsName, recordType, recordTTL, targets }: Endpoint): ServiceRecord {
  const values = recordType === 'TXT' ? targets.map(inSegments) : targets;
  const record = { name: dnsName, type: recordType, values };
  return recordTTL === undefined ? record : { ...record, ttl: recordTTL };
}

export function endpointOf({ name, type, ttl, values }: ServiceRecord): SentEndpoint {
  const endpoint = {
    dnsName: withoutDot(name),
    targets: values.map((value) => targetOf(type, value)),
    recordType: type,
  };
  return ttl === undefined || ttl === null ? endpoint : { ...endpoint, recordTTL: ttl };
}

function targetOf(type: string, value: string): string {
  if (type === 'CNAME') return withoutDot(value);
  return type === 'TXT' ? asOneText(value) : value;
}

/** A name as names are compared: `WWW.example.com.` and `www.example.com` are one. */
export function comparable(name: string): string {
  return withoutDot(name.trim().toLowerCase());
}

function withoutDot(name: string): string {
  return name.length > 1 && name.endsWith('.') ? name.slice(0, -1) : name;
}

/**
 * Quoted texts longer than a TXT segment (RFC 1035 3.3: 255 bytes), which the controller writes all the
 * same, for ownership of things with long names.
 *
 * Such a text is stored in segments and presented as the one text it was, so that the controller finds what it
 * wrote. Only plain ASCII is treated so; segments of other lengths are somebody's own and stay.
 */

const segmentBytes = 255;

/** Printable ASCII without what has to be escaped between quotes. */
const longText = /^"([\x20\x21\x23-\x5b\x5d-\x7e]{256,})"$/;
const segments =
  /^"[\x20\x21\x23-\x5b\x5d-\x7e]{255}"(?: "[\x20\x21\x23-\x5b\x5d-\x7e]{255}")*(?: "[\x20\x21\x23-\x5b\x5d-\x7e]{1,255}")$/;

/** Quoted segments for one text that is too long for a segment; any other text as it is. */
function inSegments(target: string): string {
  const text = longText.exec(target)?.[1];
  if (text === undefined) return target;
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += segmentBytes) {
    parts.push(`"${text.slice(at, at + segmentBytes)}"`);
  }
  return parts.join(' ');
}

/** The way back. */
function asOneText(value: string): string {
  return segments.test(value) ? value.replaceAll('" "', '') : value;
}
