/** The records of a zone at the moment of the page, by pages. */
import { useEffect, useState } from 'preact/hooks';
import { get, type Listed, type Zone, type ZoneRecord } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { at, isEarlier } from '../moment.ts';
import {
  askedFilter,
  findsGenerated,
  RecordFilterField,
  recordQuery,
} from '../parts/record-filter.tsx';
import { RecordForm } from '../parts/record-form.tsx';
import { Lint } from '../parts/lint.tsx';
import { Pages, pageSize } from '../parts/pages.tsx';
import { RecordTable } from '../parts/record-table.tsx';
import { SelectionBar } from '../parts/selection-bar.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { may } from '../permissions.ts';
import { readFilter } from '../record-filter.ts';
import { go, hrefWith, parameter } from '../router.ts';
import { readMatching, type Selected } from '../selection.ts';

export function Records({ zone }: { readonly zone: Zone }) {
  const text = askedFilter();
  const filter = readFilter(text);
  const offset = Number(parameter('offset')) || 0;
  const [edited, setEdited] = useState<ZoneRecord | 'new'>();
  const query = { zone_name: zone.name, ...recordQuery(), at: at.value };
  const { signed = '' } = recordQuery();
  const loaded = useLoaded(
    (signal) => get<Listed<ZoneRecord>>('/records', { ...query, offset, limit: pageSize }, signal),
    [zone.name, zone.serial, text, signed, offset, at.value],
  );
  const [selected, setSelected] = useState<Selected>(new Set());
  const [matching, setMatching] = useState<readonly ZoneRecord[]>();
  const clear = () => {
    setSelected(new Set());
    setMatching(undefined);
  };
  useEffect(clear, [text, signed, offset, at.value]);
  // What lies beyond the page is not asked for again.
  useEffect(() => {
    if (matching !== undefined) clear();
  }, [zone.serial]);
  const selectMatching = async () => {
    const found = await readMatching({ ...query, signed: undefined });
    if (askedFilter() !== text) return;
    setMatching(found);
    setSelected(new Set(found.flatMap(({ id }) => id ?? [])));
  };
  return (
    <section aria-label="Records">
      {!isEarlier.value && <Lint zone={zone} />}
      <div class="filters">
        <RecordFilterField zone={zone} text={text} filter={filter} />
        <label class="switch">
          <input
            type="checkbox"
            checked={signed === 'true'}
            disabled={!findsGenerated(filter.query)}
            onChange={({ currentTarget: { checked } }) =>
              go(hrefWith({ signed: checked ? 'true' : undefined, offset: undefined }))
            }
          />
          DNSSEC records
        </label>
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
                records={(matching ?? items).filter(({ id = 0 }) => selected.has(id))}
                selectMatching={selectMatching}
                clear={clear}
              />
              <RecordTable
                zone={zone}
                records={items}
                page={{ offset, total }}
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
