/** The form of one record, new or changed: the fields of its type, and always the value that they make. */
import { useRef, useState } from 'preact/hooks';
import type { Zone, ZoneRecord } from '../api.ts';
import {
  finished,
  hintOf,
  type Part,
  partsOf,
  segmentsText,
  taken,
  textsOf,
  unfinishedName,
  valueFrom,
} from '../record-parts.ts';
import { recordWrite, type TypedRecord, typedOf, typedValue, withPtr } from '../record-write.ts';
import { useTypedCheck } from '../typed-check.ts';
import { pending } from '../write.ts';
import { Warnings } from './checked.tsx';
import { Field, FormDialog } from './form.tsx';
import { Reverse } from './reverse.tsx';
import { relativeName } from '../owner-name.ts';
import { visible } from './text.tsx';

interface RecordFormProps {
  readonly zone: Zone;
  /** Undefined for a new one. */
  readonly record?: ZoneRecord | undefined;
  readonly onClose: () => void;
}

export function RecordForm({ zone, record, onClose }: RecordFormProps) {
  const [typed, setTyped] = useState(() => typedOf(zone, record));
  const [reverseZone, setReverseZone] = useState('');
  const { name, type, value, ttl } = typed;
  const take = (field: keyof TypedRecord) => (text: string) =>
    setTyped((before) => ({ ...before, [field]: text }));
  const write =
    reverseZone === ''
      ? recordWrite(zone, record, typed)
      : withPtr(zone, record, typed, reverseZone);
  // The preview says the same.
  const isAsked = pending.value === undefined && value.trim() !== '';
  const { errors, warnings } = useTypedCheck(write, isAsked);
  const shownType = type.trim().toUpperCase();
  return (
    <FormDialog
      title={
        record === undefined
          ? `New record in ${zone.name}`
          : visible(`Edit ${relativeName(record.name, zone.name)} ${record.type} in ${zone.name}`)
      }
      writeOf={() => write}
      canCollect={write.edits !== undefined}
      onClose={onClose}
    >
      <Field
        name="name"
        label="Name"
        value={name}
        onText={take('name')}
        error={errors.name}
        hint="Relative to the zone; @ or empty is the zone itself."
      />
      <Field
        name="type"
        label="Type"
        value={type}
        onText={take('type')}
        isNeeded
        error={errors.type}
      />
      <Parts key={shownType} type={shownType} value={value} change={take('value')} />
      <Field
        name="value"
        label="Value"
        value={value}
        onText={take('value')}
        isNeeded
        error={errors.value}
        hint={hintOf(shownType)}
      />
      <Unfinished type={shownType} value={value} zone={zone.name} change={take('value')} />
      <Reverse type={shownType} address={value} chosen={reverseZone} choose={setReverseZone} />
      <Field
        name="ttl"
        label="TTL in seconds"
        isNumber
        value={ttl}
        onText={take('ttl')}
        error={errors.ttl}
        hint={`${zone.default_ttl} when empty.`}
      />
      {errors[''] !== undefined && (
        <p class="field-error" role="status">
          {visible(errors[''])}
        </p>
      )}
      <Warnings warnings={warnings} />
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
