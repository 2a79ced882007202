/** What can be done to the records that are chosen, all in one change. */
import { useState } from 'preact/hooks';
import type { Zone, ZoneRecord } from '../api.ts';
import { counted } from '../counted.ts';
import { isReachable } from '../reconnect.ts';
import { deletionOf, ttlChangeOf } from '../selection.ts';
import { pending } from '../write.ts';
import { Field, FormDialog } from './form.tsx';

interface SelectionBarProps {
  readonly zone: Zone;
  /** Those that are chosen. */
  readonly records: readonly ZoneRecord[];
  readonly clear: () => void;
}

export function SelectionBar({ zone, records, clear }: SelectionBarProps) {
  const [isAsking, setAsking] = useState(false);
  const may = (action: ZoneRecord['actions'][number]) =>
    isReachable.value && records.findIndex(({ actions }) => !actions.includes(action)) < 0;
  const remove = () => {
    pending.value = { ...deletionOf(zone, records), onDone: clear };
  };
  if (records.length === 0 && !isAsking) return null;
  return (
    <div class="selection">
      <span role="status">{counted(records.length, 'record')} selected</span>{' '}
      {may('record:delete') && (
        <button type="button" onClick={remove}>
          Delete selected
        </button>
      )}{' '}
      {may('record:update') && (
        <button type="button" onClick={() => setAsking(true)}>
          Change TTL of selected
        </button>
      )}{' '}
      <button type="button" class="quiet" onClick={clear}>
        Select none
      </button>
      {isAsking && (
        <FormDialog
          title={`TTL of ${counted(records.length, 'record')}`}
          onClose={() => setAsking(false)}
          writeOf={(field) => ({
            ...ttlChangeOf(zone, records, Number(field('ttl'))),
            onDone: clear,
          })}
        >
          <Field
            name="ttl"
            label="TTL in seconds"
            isNumber
            isNeeded
            hint="Of their whole RRsets: a TTL is never of one record alone."
          />
        </FormDialog>
      )}
    </div>
  );
}
