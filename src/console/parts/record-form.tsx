/** The form of one record, new or changed. */
import type { Zone, ZoneRecord } from '../api.ts';
import { collectedOf } from '../collected.ts';
import type { CollectedRecord, Write } from '../write.ts';
import { Field, FormDialog } from './form.tsx';
import { relativeName } from './text.tsx';

const prioritised = new Set(['MX', 'SRV']);

interface RecordFormProps {
  readonly zone: Zone;
  /** Undefined for a new one. */
  readonly record?: ZoneRecord | undefined;
  readonly onClose: () => void;
}

/** The segments of a TXT as JSON; other values are text. */
function valueField(value: string | readonly string[]): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function typedValue(text: string): string | readonly string[] {
  if (!text.startsWith('["')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function RecordForm({ zone, record, onClose }: RecordFormProps) {
  const writeOf = (field: (name: string) => string): Write => {
    const type = field('type').toUpperCase();
    const name = field('name') || '@';
    const ttl = field('ttl');
    const priority = field('priority');
    const body = {
      name,
      type,
      value: typedValue(field('value')),
      ...(ttl !== '' && { ttl: Number(ttl) }),
      ...(priority !== '' && prioritised.has(type) && { priority: Number(priority) }),
    };
    const after: CollectedRecord = {
      name,
      type,
      value: body.priority === undefined ? body.value : `${body.priority} ${body.value}`,
      ...(ttl !== '' && { ttl: Number(ttl) }),
    };
    if (record === undefined) {
      const title = `Create ${name} ${type} in ${zone.name}`;
      const given = { zone_name: zone.name, ...body };
      const edits = { zone: zone.name, list: [{ after }] };
      const what = { title, button: 'Create record', zone: zone.name, edits } as const;
      return { ...what, method: 'POST', path: '/records', body: given };
    }
    const title = `Change ${name} ${type} in ${zone.name}`;
    const before = collectedOf(record, relativeName(record.name, zone.name));
    const edits = { zone: zone.name, list: [{ before, after }] };
    const what = { title, button: 'Change record', zone: zone.name, edits } as const;
    return { ...what, method: 'PUT', path: `/records/${record.id}`, body };
  };
  return (
    <FormDialog
      title={record === undefined ? `New record in ${zone.name}` : 'Change the record'}
      writeOf={writeOf}
      canCollect
      onClose={onClose}
    >
      <Field
        name="name"
        label="Name"
        value={record === undefined ? '' : relativeName(record.name, zone.name)}
        hint="Relative to the zone; @ or empty is the zone itself."
      />
      <Field name="type" label="Type" value={record?.type ?? 'A'} isNeeded />
      <Field
        name="value"
        label="Value"
        value={record === undefined ? '' : valueField(record.value)}
        isNeeded
        hint="A name without a dot at its end is taken as it stands: end it with one."
      />
      <Field
        name="ttl"
        label="TTL in seconds"
        isNumber
        value={record === undefined ? '' : String(record.ttl)}
        hint={`${zone.default_ttl} when empty.`}
      />
      <Field
        name="priority"
        label="Priority"
        isNumber
        value={record?.priority === null ? '' : String(record?.priority ?? '')}
        hint="MX and SRV only."
      />
    </FormDialog>
  );
}
