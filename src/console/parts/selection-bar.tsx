/** What can be done to the records that are chosen, all in one change. */
import { useState } from 'preact/hooks';
import type { Zone, ZoneRecord } from '../api.ts';
import { counted } from '../counted.ts';
import { may, mayAnywhere } from '../permissions.ts';
import { isReachable } from '../reconnect.ts';
import { deletionOf } from '../selection.ts';
import { pending } from '../write.ts';
import { type Asked, SelectionForm } from './selection-form.tsx';
import { visible } from './text.tsx';

interface SelectionBarProps {
  readonly zone: Zone;
  /** Those that are chosen. */
  readonly records: readonly ZoneRecord[];
  /** Chooses all that the filter finds. */
  readonly selectMatching: () => Promise<void>;
  readonly clear: () => void;
}

export function SelectionBar({ zone, records, selectMatching, clear }: SelectionBarProps) {
  const [asked, setAsked] = useState<Asked>();
  const [said, setSaid] = useState('');
  const mayAll = (action: ZoneRecord['actions'][number]) =>
    isReachable.value && records.every(({ actions }) => actions.includes(action));
  const mayReplace = mayAll('record:delete') && may(zone.name, 'record:create');
  const offered: readonly (readonly [Asked, string, boolean])[] = [
    ['ttl', 'Change TTL of selected', mayAll('record:update')],
    ['replace', 'Replace in values', mayReplace],
    ['move', 'Move to another name', mayReplace],
    ['copy', 'Copy to another zone', mayAnywhere('record:create')],
  ];
  const remove = () => {
    pending.value = { ...deletionOf(zone, records), onDone: clear };
  };
  const selectAll = async () => {
    setSaid('Looking for them…');
    setSaid(
      await selectMatching().then(
        () => '',
        (error: Error) => error.message,
      ),
    );
  };
  if (records.length === 0 && asked === undefined) return null;
  return (
    <div class="selection">
      <span role="status">
        {counted(records.length, 'record')} selected{said !== '' && `. ${visible(said)}`}
      </span>{' '}
      {mayAll('record:delete') && (
        <button type="button" onClick={remove}>
          Delete selected
        </button>
      )}{' '}
      {offered.map(
        ([id, label, isAllowed]) =>
          isAllowed && (
            <button key={id} type="button" onClick={() => setAsked(id)}>
              {label}
            </button>
          ),
      )}{' '}
      <button type="button" class="quiet" onClick={() => void selectAll()}>
        Select all that match
      </button>
      <button type="button" class="quiet" onClick={clear}>
        Select none
      </button>
      {asked !== undefined && (
        <SelectionForm
          asked={asked}
          zone={zone}
          records={records}
          onDone={clear}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  );
}
