/** The rows of the records of a zone, and what can be done with each. */
import { useRef } from 'preact/hooks';
import type { Zone, ZoneRecord } from '../api.ts';
import { isReachable } from '../reconnect.ts';
import { basketOf } from '../basket.ts';
import { isBlameOn } from '../blame.ts';
import { collectedOf, isSame } from '../collected.ts';
import { counted } from '../counted.ts';
import { isEarlier } from '../moment.ts';
import { recordLine } from '../record-line.ts';
import { type Selected, toggled } from '../selection.ts';
import { pending, say } from '../write.ts';
import { Blame } from './blame.tsx';
import { type PageOfRows, rowCount, rowIndex } from './table.tsx';
import { relativeName } from '../owner-name.ts';
import { Unicode, Value, valueText, visible } from './text.tsx';

/** DNSSEC records, which the service makes, have no id. */
const isGenerated = ({ id }: ZoneRecord) => id === undefined;

interface RecordTableProps {
  readonly zone: Zone;
  readonly records: readonly ZoneRecord[];
  readonly page: PageOfRows;
  readonly edit: (record: ZoneRecord) => void;
  readonly selected: Selected;
  readonly select: (selected: Selected) => void;
}

export function RecordTable(props: RecordTableProps) {
  const { zone, records, page, edit, selected, select } = props;
  const anchor = useRef<number>(undefined);
  const toggle = (id: number, isRange: boolean) => {
    select(toggled(records, selected, id, isRange ? anchor.current : undefined));
    anchor.current = id;
  };
  return (
    <table class="rows" aria-rowcount={rowCount(page, records.length)}>
      <caption class="unseen">{counted(page.total, 'record')}</caption>
      <thead>
        <tr aria-rowindex={rowIndex(page, records.length, -1)}>
          {!isEarlier.value && (
            <th scope="col">
              <span class="unseen">Selected</span>
            </th>
          )}
          <th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col" class="number">
            TTL
          </th>
          <th scope="col">Value</th>
          {isBlameOn.value && <th scope="col">Last change</th>}
          <th scope="col">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {records.map((record, index) => {
          const name = relativeName(record.name, zone.name);
          const before = records[index - 1];
          const isRepeated = before?.name === record.name && before.type === record.type;
          return (
            <tr
              key={record.id ?? index}
              data-row
              aria-rowindex={rowIndex(page, records.length, index)}
              class={`${isRepeated ? 'repeated' : ''} ${isGenerated(record) ? 'generated' : ''}`}
            >
              {!isEarlier.value && (
                <td class="pick">
                  <Pick zone={zone} record={record} selected={selected} toggle={toggle} />
                </td>
              )}
              <th scope="row">
                {visible(name)}
                <Unicode text={name} />
              </th>
              <td data-label="Type">{record.type}</td>
              <td class="number" data-label="TTL">
                {record.ttl}
              </td>
              <td data-label="Value">
                <Value text={valueText(record.value, record.priority)} />
                <Unicode text={valueText(record.value, null)} />
              </td>
              {isBlameOn.value && (
                <td data-label="Last change">
                  {record.id !== undefined && <Blame zone={zone} record={record} />}
                </td>
              )}
              <td class="action">
                {isGenerated(record) && <span class="muted">generated</span>}
                <CopyLine record={record} what={`${visible(name)} ${record.type}`} />
                {!isEarlier.value && isReachable.value && (
                  <RowActions zone={zone} record={record} edit={edit} />
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface PickProps {
  readonly zone: Zone;
  readonly record: ZoneRecord;
  readonly selected: Selected;
  /** With Shift all from the one before. */
  readonly toggle: (id: number, isRange: boolean) => void;
}

/** Takes a record into what is done to several at once, where the caller may do anything to it. */
function Pick({ zone, record, selected, toggle }: PickProps) {
  const { id, name, type, value, priority, actions } = record;
  if (id === undefined || actions.length === 0) return null;
  const what = `${relativeName(name, zone.name)} ${type} ${valueText(value, priority)}`;
  return (
    <input
      type="checkbox"
      aria-label={`Select ${visible(what.slice(0, 100))}`}
      checked={selected.has(id)}
      onClick={(event) => toggle(id, event.shiftKey)}
    />
  );
}

/** Copies the record as a line of a zone file. */
function CopyLine({ record, what }: { readonly record: ZoneRecord; readonly what: string }) {
  const copy = () => {
    const line = recordLine(record);
    navigator.clipboard.writeText(line).then(
      () => void say(`Copied: ${line.slice(0, 200)}`),
      () => void say('The browser does not let the page copy.'),
    );
  };
  return (
    <button type="button" class="quiet" aria-label={`Copy ${what}`} onClick={copy}>
      Copy
    </button>
  );
}

interface RowActionsProps {
  readonly zone: Zone;
  readonly record: ZoneRecord;
  readonly edit: (record: ZoneRecord) => void;
}

/** What the caller may do with a record; what it may not is not there. */
function RowActions({ zone, record, edit }: RowActionsProps) {
  if (record.id === undefined) return null;
  const name = relativeName(record.name, zone.name);
  const what = `${visible(name)} ${record.type}`;
  const before = collectedOf(record, name);
  if (basketOf(zone.name).some((item) => isSame(item.before, before))) {
    return <span class="muted">in the basket</span>;
  }
  const remove = () => {
    const title = `Delete ${what} from ${zone.name}`;
    pending.value = {
      title,
      button: 'Delete record',
      method: 'DELETE',
      path: `/records/${record.id}`,
      zone: zone.name,
      edits: { zone: zone.name, list: [{ before }] },
    };
  };
  return (
    <>
      {record.actions.includes('record:update') && (
        <button
          type="button"
          class="quiet"
          aria-label={`Edit ${what}`}
          onClick={() => edit(record)}
        >
          Edit
        </button>
      )}
      {record.actions.includes('record:delete') && (
        <button type="button" class="quiet" aria-label={`Delete ${what}`} onClick={remove}>
          Delete
        </button>
      )}
    </>
  );
}
