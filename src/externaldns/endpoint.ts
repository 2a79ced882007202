/**
 * Endpoints, the controller's word for RRsets, and records, ours.
 *
 * Names stand without closing dot on the controller's side, also in values. A TTL of 0 means none is
 * asked for. Refused: an empty name, a type we do not manage, no target, several targets of a CNAME,
 * a set identifier (routing policies are not ours), a TTL outside 0 to 2147483647. Fields that we
 * do not know are passed over: a newer controller may send more.
 */
import { limits } from '../base/limits.ts';
import { asOneText, inSegments } from './long-text.ts';
import { badRequest } from './refusal.ts';

/** An endpoint that can be a record. */
export interface Endpoint {
  readonly dnsName: string;
  readonly recordType: string;
  readonly targets: readonly string[];
  /** Seconds; undefined when none is asked for. */
  readonly recordTTL: number | undefined;
  /** The controller's own notes, which come back as they are. */
  readonly labels: unknown;
}

/** A record as our HTTP interface takes and gives it. */
export interface ServiceRecord {
  readonly name: string;
  readonly type: string;
  readonly ttl?: number | null | undefined;
  readonly values: readonly string[];
}

/** An endpoint as it goes over the wire; without a TTL the field is left out, as the controller does. */
export interface WrittenEndpoint {
  readonly dnsName: string;
  readonly targets: readonly string[];
  readonly recordType: string;
  readonly recordTTL?: number;
  readonly labels?: unknown;
}

const managedTypes: ReadonlySet<string> = new Set(['A', 'AAAA', 'CNAME', 'TXT']);

/** `place` says which of many it is, for the message of a refusal. */
export function parseEndpoints(value: unknown, place: string): Endpoint[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw badRequest(`${place}: must be an array of endpoints`);
  return value.map((each, index) => parseEndpoint(each, `${place}[${index}]`));
}

function parseEndpoint(value: unknown, place: string): Endpoint {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest(`${place}: must be an endpoint`);
  }
  const { dnsName, recordType, targets, recordTTL, setIdentifier, labels } = value as Record<
    string,
    unknown
  >;
  if (typeof dnsName !== 'string' || dnsName.trim() === '') {
    throw badRequest(`${place}: dnsName is empty`);
  }
  const which = `${place} (${dnsName.slice(0, 300)})`;
  const type = typeof recordType === 'string' ? recordType.toUpperCase() : '';
  if (!managedTypes.has(type)) {
    const types = [...managedTypes].join(', ');
    throw badRequest(`${which}: recordType '${String(recordType)}' is not one of ${types}`);
  }
  const isList = Array.isArray(targets) && targets.every((each) => typeof each === 'string');
  if (!isList || targets.length === 0) throw badRequest(`${which}: there are no targets`);
  if (type === 'CNAME' && targets.length > 1) {
    throw badRequest(`${which}: a CNAME has one target, not ${targets.length}`);
  }
  if ((setIdentifier ?? '') !== '') {
    throw badRequest(`${which}: setIdentifier is not supported: there are no routing policies`);
  }
  return { dnsName, recordType: type, targets, recordTTL: parseTtl(recordTTL, which), labels };
}

function parseTtl(value: unknown, which: string): number | undefined {
  if (value === undefined || value === null || value === 0) return undefined;
  const isTtl = Number.isInteger(value) && (value as number) > 0;
  if (isTtl && (value as number) <= limits.ttl) return value as number;
  throw badRequest(`${which}: recordTTL ${String(value)} is outside 0..${limits.ttl}`);
}

export function recordOf({ dnsName, recordType, recordTTL, targets }: Endpoint): ServiceRecord {
  const values = recordType === 'TXT' ? targets.map(inSegments) : targets;
  const record = { name: dnsName, type: recordType, values };
  return recordTTL === undefined ? record : { ...record, ttl: recordTTL };
}

export function endpointOf({ name, type, ttl, values }: ServiceRecord): WrittenEndpoint {
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

function withoutDot(name: string): string {
  return name.length > 1 && name.endsWith('.') ? name.slice(0, -1) : name;
}
