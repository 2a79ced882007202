/** The form of one record, new or changed: the fields of its type, and always the value that they make. */
import { useRef, useState } from 'preact/hooks';
import type { Zone, ZoneRecord } from '../api.ts';
import { collectedOf } from '../collected.ts';
import {
  finished,
  hintOf,
  isPrioritised,
  type Part,
  partsOf,
  segmentsText,
  taken,
  textsOf,
  unfinishedName,
  valueFrom,
} from '../record-parts.ts';
import type { CollectedRecord, Write } from '../write.ts';
import { Field, FormDialog } from './form.tsx';
import { relativeName, valueText, visible } from './text.tsx';

interface RecordFormProps {
  readonly zone: Zone;
  /** Undefined for a new one. */
  readonly record?: ZoneRecord | undefined;
  readonly onClose: () => void;
}

/** The segments of a TXT as JSON; other values are text. */
function valueField({ value, priority }: ZoneRecord): string {
  return typeof value === 'string' ? valueText(value, priority) : JSON.stringify(value);
}

function typedValue(text: string): string | readonly string[] {
  if (!text.startsWith('["')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The priority apart from the value, as a record has it. */
function apart(type: string, text: string) {
  const [, priority, rest] = (isPrioritised(type) && /^(\d+)\s+(.*)$/s.exec(text)) || [];
  return priority === undefined
    ? { value: typedValue(text) }
    : { value: rest!, priority: Number(priority) };
}

export function RecordForm({ zone, record, onClose }: RecordFormProps) {
  const [name, setName] = useState(record ? relativeName(record.name, zone.name) : '');
  const [type, setType] = useState<string>(record?.type ?? 'A');
  const [value, setValue] = useState(record ? valueField(record) : '');
  const [ttl, setTtl] = useState(record ? String(record.ttl) : '');
  const writeOf = (field: (name: string) => string): Write => {
    const type = field('type').toUpperCase();
    const name = field('name') || '@';
    const ttl = field('ttl') === '' ? {} : { ttl: Number(field('ttl')) };
    const body = { name, type, ...apart(type, field('value')), ...ttl };
    const after: CollectedRecord = { name, type, value: typedValue(field('value')), ...ttl };
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
    const before = collectedOf(record, relativeName(record.name, zone.name));
    return {
      title: `Change ${what}`,
      button: 'Change record',
      method: 'PUT',
      path: `/records/${record.id}`,
      body,
      zone: zone.name,
      edits: { zone: zone.name, list: [{ before, after }] },
    };
  };
  const shownType = type.trim().toUpperCase();
  return (
    <FormDialog
      title={
        record === undefined
          ? `New record in ${zone.name}`
          : visible(`Edit ${relativeName(record.name, zone.name)} ${record.type} in ${zone.name}`)
      }
      writeOf={writeOf}
      canCollect
      onClose={onClose}
    >
      <Field
        name="name"
        label="Name"
        value={name}
        onText={setName}
        hint="Relative to the zone; @ or empty is the zone itself."
      />
      <Field name="type" label="Type" value={type} onText={setType} isNeeded />
      <Parts key={shownType} type={shownType} value={value} change={setValue} />
      <Field
        name="value"
        label="Value"
        value={value}
        onText={setValue}
        isNeeded
        hint={hintOf(shownType)}
      />
      <Unfinished type={shownType} value={value} zone={zone.name} change={setValue} />
      <Field
        name="ttl"
        label="TTL in seconds"
        isNumber
        value={ttl}
        onText={setTtl}
        hint={`${zone.default_ttl} when empty.`}
      />
      <p class="as-line">
        <span class="muted">As a line of a zone file:</span>{' '}
        <output class="name">
          {visible(
            `${name.trim() || '@'} ${ttl.trim() || zone.default_ttl} IN ${shownType} ${lineValue(shownType, value)}`,
          )}
        </output>
      </p>
    </FormDialog>
  );
}

function lineValue(type: string, text: string): string {
  if (type !== 'TXT') return taken(type, text);
  const value = typedValue(text.trim());
  return typeof value === 'string' ? segmentsText(value) : value.map(segmentsText).join(' ');
}

interface PartsProps {
  readonly type: string;
  /** In master-file form. */
  readonly value: string;
  readonly change: (value: string) => void;
}

/** A field for each part of the value, for types that have several. */
function Parts({ type, value, change }: PartsProps) {
  // What was typed here stays as it is, though the value that it makes can be taken apart in another way.
  const typed = useRef({ value: '', texts: textsOf(type, '') });
  const wanted = partsOf(type);
  if (wanted.length === 0) return null;
  const texts = typed.current.value === value ? typed.current.texts : textsOf(type, value);
  const take = (index: number, text: string) => {
    const all = texts.with(index, text);
    typed.current = { value: valueFrom(type, all), texts: all };
    change(typed.current.value);
  };
  return (
    <fieldset class="parts">
      <legend>Fields of {visible(type)}</legend>
      {wanted.map((part, index) => (
        <PartField
          key={part.label}
          part={part}
          text={texts[index] ?? ''}
          change={(text) => take(index, text)}
        />
      ))}
    </fieldset>
  );
}

interface PartFieldProps {
  readonly part: Part;
  readonly text: string;
  readonly change: (text: string) => void;
}

function PartField({ part: { label, hint, isName }, text, change }: PartFieldProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        value={text}
        autocomplete="off"
        onInput={(event) => change(event.currentTarget.value)}
      />
      {(hint ?? isName) && <small class="muted">{hint ?? 'A name that ends with a dot.'}</small>}
    </label>
  );
}

/** A name without a dot at its end is taken as it stands, which is seldom what is meant. */
function Unfinished({ type, value, zone, change }: PartsProps & { readonly zone: string }) {
  const name = unfinishedName(type, value);
  if (name === undefined) return null;
  const better = finished(type, value, zone);
  return (
    <p class="warnings" role="status">
      {visible(name)} has no dot at its end: it would be {visible(name)}. and not in this zone.{' '}
      <button type="button" onClick={() => change(better)}>
        Make it {visible(better)}
      </button>
    </p>
  );
}
