/** What the form of a record means: a new record, a changed one, and maybe the PTR of its address. */
import type { Zone, ZoneRecord } from './api.ts';
import { bodyOf, collectedOf } from './collected.ts';
import { relativeName } from './owner-name.ts';
import { valueText } from './parts/text.tsx';
import { finished, isPrioritised } from './record-parts.ts';
import { reverseName } from './reverse.ts';
import type { CollectedRecord, Write } from './write.ts';

/** As it was typed; each may be ''. */
export interface TypedRecord {
  readonly name: string;
  readonly type: string;
  readonly value: string;
  readonly ttl: string;
}

/** The segments of a TXT as JSON; other values are text. */
function valueField({ value, priority }: ZoneRecord): string {
  return typeof value === 'string' ? valueText(value, priority) : JSON.stringify(value);
}

/** A stored record as an edit of its zone names it. */
export function collectedIn(zone: Zone, record: ZoneRecord): CollectedRecord {
  return collectedOf(record, relativeName(record.name, zone.name));
}

/** What the form begins with. */
export function typedOf(zone: Zone, record: ZoneRecord | undefined): TypedRecord {
  if (record === undefined) return { name: '', type: 'A', value: '', ttl: '' };
  const name = relativeName(record.name, zone.name);
  return { name, type: record.type, value: valueField(record), ttl: String(record.ttl) };
}

export function typedValue(text: string): string | readonly string[] {
  if (!text.startsWith('["')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The priority apart from the value, as a record has it. */
function dividedValue(type: string, text: string) {
  const [, priority, rest] = (isPrioritised(type) && /^(\d+)\s+(.*)$/s.exec(text)) || [];
  return priority === undefined
    ? { value: typedValue(text) }
    : { value: rest!, priority: Number(priority) };
}

/** @param record The one that is changed; undefined for a new one. */
export function recordWrite(zone: Zone, record: ZoneRecord | undefined, typed: TypedRecord): Write {
  const { type, ttl, after } = read(typed);
  const { name } = after;
  const body = { name, type, ...dividedValue(type, typed.value.trim()), ...ttl };
  const what = `${name} ${type} in ${zone.name}`;
  if (record === undefined) {
    return {
      title: `Create ${what}`,
      button: 'Create record',
      method: 'POST',
      path: '/records',
      body: { zone_name: zone.name, ...body },
      zone: zone.name,
      edits: { zone: zone.name, list: [{ after }] },
    };
  }
  const before = collectedIn(zone, record);
  return {
    title: `Change ${what}`,
    button: 'Change record',
    method: 'PUT',
    path: `/records/${record.id}`,
    body,
    zone: zone.name,
    edits: { zone: zone.name, list: [{ before, after }] },
  };
}

function read(typed: TypedRecord) {
  const type = typed.type.trim().toUpperCase();
  const ttl = typed.ttl.trim() === '' ? {} : { ttl: Number(typed.ttl) };
  const name = typed.name.trim() || '@';
  const after: CollectedRecord = { name, type, value: typedValue(typed.value.trim()), ...ttl };
  return { type, ttl, after };
}

/** The same with the PTR of its address in a reverse zone, as one change of both zones. */
export function withPtr(
  zone: Zone,
  record: ZoneRecord | undefined,
  typed: TypedRecord,
  reverseZone: string,
): Write {
  const { title, button } = recordWrite(zone, record, typed);
  const { type, ttl, after } = read(typed);
  const pointer = (address: string, target: string) => {
    const name = relativeName(`${reverseName(type, address)}.`, reverseZone);
    return { name, type: 'PTR', value: target };
  };
  const { value } = after;
  const target = finished('PTR', after.name, zone.name);
  const { value: ptr, ...owner } = pointer(String(value), target);
  const before = record && { before: collectedIn(zone, record) };
  const old = record?.type === type ? [pointer(String(record.value), record.name)] : [];
  return {
    title: `${title}, and its PTR in ${reverseZone}`,
    button,
    method: 'POST',
    path: '/changes',
    body: {
      zones: [
        { name: zone.name, ...bodyOf([{ ...before, after }]) },
        {
          name: reverseZone,
          delete: old.filter(({ name }) => !name.endsWith('.')),
          add: [{ ...owner, ...ttl, values: [ptr] }],
        },
      ],
    },
  };
}
