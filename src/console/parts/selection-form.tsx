/** The forms of what is done to several records: each leads to one change. */
import type { ComponentChildren } from 'preact';
import type { Zone, ZoneRecord } from '../api.ts';
import { counted } from '../counted.ts';
import { copyOf, moveOf, replacementOf, ttlChangeOf } from '../selection.ts';
import type { Write } from '../write.ts';
import { Field, FormDialog } from './form.tsx';

export type Asked = 'ttl' | 'replace' | 'move' | 'copy';

type Fields = (name: string) => string;

interface Form {
  /** Before how many records it is about. */
  readonly title: string;
  readonly fields: ComponentChildren;
  readonly writeOf: (zone: Zone, records: readonly ZoneRecord[], field: Fields) => Write;
}

const forms: Readonly<Record<Asked, Form>> = {
  ttl: {
    title: 'TTL of',
    fields: (
      <Field
        name="ttl"
        label="TTL in seconds"
        isNumber
        isNeeded
        hint="Of their whole RRsets: a TTL is never of one record alone."
      />
    ),
    writeOf: (zone, records, field) => ttlChangeOf(zone, records, Number(field('ttl'))),
  },
  replace: {
    title: 'Replace in the values of',
    fields: (
      <>
        <Field
          name="from"
          label="Text to replace"
          isNeeded
          hint="In small and capital letters as it stands; records without it stay."
        />
        <Field name="to" label="By" hint="Nothing when empty." />
      </>
    ),
    writeOf: (zone, records, field) => replacementOf(zone, records, field('from'), field('to')),
  },
  move: {
    title: 'Another name for',
    fields: (
      <Field name="name" label="Name" isNeeded hint="Relative to the zone; @ is the zone itself." />
    ),
    writeOf: (zone, records, field) => moveOf(zone, records, field('name')),
  },
  copy: {
    title: 'Another zone for copies of',
    fields: (
      <Field
        name="zone"
        label="Zone"
        isNeeded
        hint="Their names are relative to it then; values stay as they are."
      />
    ),
    writeOf: (zone, records, field) =>
      copyOf(zone, records, field('zone').toLowerCase().replace(/\.$/, '')),
  },
};

interface SelectionFormProps {
  readonly asked: Asked;
  readonly zone: Zone;
  readonly records: readonly ZoneRecord[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function SelectionForm({ asked, zone, records, onDone, onClose }: SelectionFormProps) {
  const { title, fields, writeOf } = forms[asked];
  return (
    <FormDialog
      title={`${title} ${counted(records.length, 'record')}`}
      onClose={onClose}
      writeOf={(field) => ({ ...writeOf(zone, records, field), onDone })}
      canCollect={asked === 'replace' || asked === 'move'}
    >
      {fields}
    </FormDialog>
  );
}
