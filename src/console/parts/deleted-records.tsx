/** The records of a deleted zone at its end or at the moment of the page, and who made each RRset what it was. */
import type { InferOutput } from 'valibot';
import { useState } from 'preact/hooks';
import type { versionAnswer } from '../../contract/versions.ts';
import {
  type BlamedRrset,
  type DeletedZone,
  get,
  type Listed,
  type VersionFacts,
  zonePath,
} from '../api.ts';
import { isBlameOn } from '../blame.ts';
import { deletedId, tabHref } from '../deleted.ts';
import { useLoaded } from '../loading.ts';
import { at, relative } from '../moment.ts';
import { hrefWith, parameter } from '../router.ts';
import { actorText } from '../words.ts';
import { FilterField } from './filter.tsx';
import { Answered, Empty } from './states.tsx';
import { Table, type TableColumn } from './table.tsx';
import { relativeName } from '../owner-name.ts';
import { Value, valueText, visible } from './text.tsx';

/** Records, and RRsets of the blame, that are asked for at once: a page of these covers one of those. */
const pageRecords = 100;

type VersionAnswer = InferOutput<typeof versionAnswer>;
type VersionRecord = VersionAnswer['records'][number];

/** Of the moment of the page; the last one for now. */
async function serialOf(zone: DeletedZone, signal: AbortSignal): Promise<number> {
  const query = { limit: 1, at: at.value, deleted_id: deletedId.value };
  const path = zonePath(zone.name, '/versions');
  const { items } = await get<Listed<VersionFacts>>(path, query, signal);
  return items[0]?.serial ?? zone.serial ?? 0;
}

export function DeletedRecords({ zone }: { readonly zone: DeletedZone }) {
  const [name, type] = [parameter('name'), parameter('type').toUpperCase()];
  const loaded = useLoaded((signal) => serialOf(zone, signal), [zone.id, at.value]);
  return (
    <section aria-label="Records">
      <div class="filters">
        <FilterField name="name" label="Name" />
        <FilterField name="type" label="Type" />
        {(name !== '' || type !== '') && (
          <a href={hrefWith({ name: undefined, type: undefined })}>All records of the zone</a>
        )}
      </div>
      <Answered loaded={loaded}>
        {(serial) => (
          <Pages key={`${serial} ${name} ${type}`} zone={zone} of={{ serial, name, type }} />
        )}
      </Answered>
    </section>
  );
}

interface Wanted {
  readonly serial: number;
  /** The only owner and the only type; '' for all. */
  readonly name: string;
  readonly type: string;
}

/** Where a page begins, in the lists of records and of blame; '' for the first. */
interface Start {
  readonly records: string;
  readonly blame: string;
}

interface PagesProps {
  readonly zone: DeletedZone;
  readonly of: Wanted;
}

function Pages({ zone, of }: PagesProps) {
  const [starts, setStarts] = useState<readonly Start[]>([{ records: '', blame: '' }]);
  const [blamed, setBlamed] = useState<ReadonlyMap<string, BlamedRrset>>(new Map());
  const add = (rrsets: readonly BlamedRrset[]) =>
    setBlamed(
      (known) => new Map([...known, ...rrsets.map((each) => [keyOf(zone, each), each] as const)]),
    );
  return (
    <>
      {starts.map((start, index) => (
        <Page
          key={start.records}
          zone={zone}
          of={of}
          start={start}
          blamed={blamed}
          add={add}
          isLast={index === starts.length - 1}
          more={(next) => setStarts([...starts, next])}
        />
      ))}
    </>
  );
}

const keyOf = (zone: DeletedZone, { name, type }: Pick<BlamedRrset, 'name' | 'type'>) =>
  `${relativeName(name, zone.name)} ${type}`;

interface PageProps extends PagesProps {
  readonly start: Start;
  readonly blamed: ReadonlyMap<string, BlamedRrset>;
  readonly add: (rrsets: readonly BlamedRrset[]) => void;
  readonly isLast: boolean;
  readonly more: (next: Start) => void;
}

function Page({ zone, of: { serial, name, type }, start, blamed, add, isLast, more }: PageProps) {
  const common = { name, type, limit: pageRecords, deleted_id: deletedId.value };
  const loaded = useLoaded(async (signal) => {
    const path = zonePath(zone.name, `/versions/${serial}`);
    const [page, blame] = await Promise.all([
      get<VersionAnswer>(path, { ...common, cursor: start.records }, signal),
      get<{ items: readonly BlamedRrset[]; next_cursor: string | null }>(
        zonePath(zone.name, '/blame'),
        { ...common, at: serial, cursor: start.blame },
        signal,
      ),
    ]);
    add(blame.items);
    return { page, nextBlame: blame.next_cursor };
  }, []);
  return (
    <Answered loaded={loaded}>
      {({ page: { records, next_cursor: next }, nextBlame }) => (
        <>
          {records.length === 0 ? (
            <Empty>
              <p>No records match.</p>
            </Empty>
          ) : (
            <Table
              caption="Records"
              columns={columnsOf(zone, blamed)}
              items={records}
              keyOf={({ name, type, value, priority }) =>
                `${name} ${type} ${JSON.stringify(value)} ${priority}`
              }
              isRepeated={({ name, type }, before) => before.name === name && before.type === type}
            />
          )}
          {isLast && next !== null && (
            <button type="button" onClick={() => more({ records: next, blame: nextBlame ?? '' })}>
              More records
            </button>
          )}
        </>
      )}
    </Answered>
  );
}

function columnsOf(
  zone: DeletedZone,
  blamed: ReadonlyMap<string, BlamedRrset>,
): readonly TableColumn<VersionRecord>[] {
  const columns: readonly TableColumn<VersionRecord>[] = [
    { label: 'Name', cell: ({ name }) => visible(name) },
    { label: 'Type', cell: ({ type }) => type },
    { label: 'TTL', kind: 'number', cell: ({ ttl }) => ttl },
    {
      label: 'Value',
      cell: ({ value, priority }) => <Value text={valueText(value, priority)} />,
    },
  ];
  if (!isBlameOn.value) return columns;
  const lastChange: TableColumn<VersionRecord> = {
    label: 'Last change',
    cell: ({ name, type }) => <History zone={zone} name={name} type={type} blamed={blamed} />,
  };
  return [...columns, lastChange];
}

interface HistoryProps {
  readonly zone: DeletedZone;
  readonly name: string;
  readonly type: string;
  readonly blamed: ReadonlyMap<string, BlamedRrset>;
}

/** Who changed it last, and why; it leads to all of its changes. */
function History({ zone, name, type, blamed }: HistoryProps) {
  const event = blamed.get(`${name} ${type}`)?.event;
  const text = event == null ? '' : `${visible(actorText(event))}, ${relative(event.at)}`;
  return (
    <>
      <a
        href={tabHref(zone.name, 'timeline', { name, type })}
        aria-label={`History of ${visible(name)} ${type}${text === '' ? '' : `: ${text}`}`}
      >
        {text === '' ? 'History' : text}
      </a>
      {event?.reason != null && <span class="muted"> {visible(event.reason)}</span>}
    </>
  );
}
