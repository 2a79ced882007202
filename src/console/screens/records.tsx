/** The records of a zone at the moment of the page, by pages. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, type Listed, type Zone, type ZoneRecord } from '../api.ts';
import { counted } from '../counted.ts';
import { isBlameOn } from '../blame.ts';
import { basketOf } from '../basket.ts';
import { collectedOf, isSame } from '../collected.ts';
import { useLoaded } from '../loading.ts';
import { at, isEarlier } from '../moment.ts';
import { Blame } from '../parts/blame.tsx';
import { askedFilter, RecordFilterField } from '../parts/record-filter.tsx';
import { RecordForm } from '../parts/record-form.tsx';
import { Lint } from '../parts/lint.tsx';
import { Pages, pageSize } from '../parts/pages.tsx';
import { SelectionBar } from '../parts/selection-bar.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { relativeName, Value, valueText, visible } from '../parts/text.tsx';
import { may } from '../permissions.ts';
import { readFilter } from '../record-filter.ts';
import { parameter } from '../router.ts';
import { type Selected, toggled } from '../selection.ts';
import { pending } from '../write.ts';

export function Records({ zone }: { readonly zone: Zone }) {
  const text = askedFilter();
  const filter = readFilter(text);
  const offset = Number(parameter('offset')) || 0;
  const [edited, setEdited] = useState<ZoneRecord | 'new'>();
  const query = { zone_name: zone.name, ...filter.query, at: at.value };
  const loaded = useLoaded(
    (signal) => get<Listed<ZoneRecord>>('/records', { ...query, offset, limit: pageSize }, signal),
    [zone.name, zone.serial, text, offset, at.value],
  );
  const [selected, setSelected] = useState<Selected>(new Set());
  useEffect(() => setSelected(new Set()), [text, offset, at.value]);
  return (
    <section aria-label="Records">
      {!isEarlier.value && <Lint zone={zone} />}
      <div class="filters">
        <RecordFilterField zone={zone} text={text} filter={filter} />
        {!isEarlier.value && may(zone.name, 'record:create') && (
          <button type="button" data-new onClick={() => setEdited('new')}>
            New record
          </button>
        )}
      </div>
      {edited !== undefined && (
        <RecordForm
          zone={zone}
          record={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      <Answered loaded={loaded}>
        {({ items, pagination: { total } }) =>
          items.length === 0 ? (
            <Empty>
              <p>No records match.</p>
            </Empty>
          ) : (
            <>
              <SelectionBar
                zone={zone}
                records={items.filter(({ id }) => id !== undefined && selected.has(id))}
                clear={() => setSelected(new Set())}
              />
              <RecordTable
                zone={zone}
                records={items}
                total={total}
                edit={setEdited}
                selected={selected}
                select={setSelected}
              />
              <Pages offset={offset} total={total} noun="records" />
            </>
          )
        }
      </Answered>
    </section>
  );
}

interface RecordTableProps {
  readonly zone: Zone;
  readonly records: readonly ZoneRecord[];
  readonly total: number;
  readonly edit: (record: ZoneRecord) => void;
  readonly selected: Selected;
  readonly select: (selected: Selected) => void;
}

function RecordTable({ zone, records, total, edit, selected, select }: RecordTableProps) {
  const anchor = useRef<number>(undefined);
  const toggle = (id: number, isRange: boolean) => {
    select(toggled(records, selected, id, isRange ? anchor.current : undefined));
    anchor.current = id;
  };
  return (
    <table class="rows">
      <caption class="unseen">{counted(total, 'record')}</caption>
      <thead>
        <tr>
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
            <tr key={record.id ?? index} data-row class={isRepeated ? 'repeated' : ''}>
              {!isEarlier.value && (
                <td class="pick">
                  <Pick zone={zone} record={record} selected={selected} toggle={toggle} />
                </td>
              )}
              <th scope="row">{visible(name)}</th>
              <td data-label="Type">{record.type}</td>
              <td class="number" data-label="TTL">
                {record.ttl}
              </td>
              <td data-label="Value">
                <Value text={valueText(record.value, record.priority)} />
              </td>
              {isBlameOn.value && (
                <td data-label="Last change">
                  {record.id !== undefined && <Blame zone={zone} record={record} />}
                </td>
              )}
              <td class="action">
                {!isEarlier.value && <RowActions zone={zone} record={record} edit={edit} />}
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
