/** The name servers that follow this service, and for one zone how far each of them is. */
import { useState } from 'preact/hooks';
import { get, type Listed, type Secondary, type Zone, type ZoneStatus, zonePath } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { isEarlier } from '../moment.ts';
import { Pages, pageSize } from '../parts/pages.tsx';
import {
  SecondaryActions,
  SecondaryConfiguration,
  SecondaryForm,
} from '../parts/secondary-form.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { Ago, visible } from '../parts/text.tsx';
import { may } from '../permissions.ts';
import { hrefOf, parameter } from '../router.ts';

const secondaryColumns: readonly TableColumn<Secondary>[] = [
  { label: 'Name', cell: ({ name }) => visible(name) },
  { label: 'Address', cell: ({ address }) => address },
  { label: 'State', cell: ({ enabled }) => (enabled ? 'enabled' : 'disabled') },
  { label: 'Key of its NOTIFY', cell: ({ notify_key_name: key }) => key ?? 'none' },
  { label: 'Registered', cell: ({ created_at: time }) => <Ago time={time} /> },
  {
    label: 'Actions',
    kind: 'action',
    cell: (secondary) => !isEarlier.value && <SecondaryActions secondary={secondary} />,
  },
];

export function Secondaries() {
  const [isNew, setNew] = useState(false);
  const offset = Number(parameter('offset')) || 0;
  const loaded = useLoaded(
    (signal) => get<Listed<Secondary>>('/secondaries', { offset, limit: pageSize }, signal),
    [offset],
  );
  return (
    <>
      <header class="head">
        <h1>Secondaries</h1>
        {!isEarlier.value && may(undefined, 'secondary:manage') && (
          <button type="button" data-new onClick={() => setNew(true)}>
            New secondary
          </button>
        )}
      </header>
      {isNew && <SecondaryForm onClose={() => setNew(false)} />}
      <Answered loaded={loaded}>
        {({ items, pagination: { total } }) =>
          total === 0 ? (
            <NoSecondaries />
          ) : (
            <>
              <Table
                caption="Secondaries"
                columns={secondaryColumns}
                items={items}
                keyOf={({ id }) => id}
              />
              <Pages offset={offset} total={total} noun="secondaries" />
              <SecondaryConfiguration />
            </>
          )
        }
      </Answered>
    </>
  );
}

function NoSecondaries({ zone }: { readonly zone?: string }) {
  return (
    <Empty>
      <h2>Nobody follows this service yet</h2>
      <p>
        Register a secondary by its address
        {zone !== undefined && (
          <>
            {' '}
            at <a href={hrefOf(['secondaries'])}>Secondaries</a>
          </>
        )}
        , and give it this service as primary.
      </p>
      <pre>zonebook secondary create ns2 --address 192.0.2.53</pre>
      <SecondaryConfiguration {...(zone !== undefined && { zone })} />
    </Empty>
  );
}

const states = {
  in_sync: 'in sync',
  lagging: 'lagging',
  ahead: 'ahead',
  reachable: 'reachable',
  unreachable: 'unreachable',
} as const;

const zoneSecondaryColumns: readonly TableColumn<ZoneStatus['secondaries'][number]>[] = [
  { label: 'Address', cell: ({ address }) => address },
  {
    label: 'State',
    cell: ({ status }) => <span class={`state ${status}`}>{states[status]}</span>,
  },
  { label: 'Serial', kind: 'number', cell: ({ visible_serial: serial }) => serial ?? '–' },
  {
    label: 'Last transfer',
    cell: ({ last_transfer: last }) =>
      last === null ? (
        'none'
      ) : (
        <>
          {last.kind.toUpperCase()} of serial {last.serial ?? '–'}, <Ago time={last.at} />
        </>
      ),
  },
  { label: 'Error', cell: ({ error }) => visible(error ?? '') },
];

/** The secondaries are asked when this is opened, so it is the state of now. */
export function ZoneSecondaries({ zone }: { readonly zone: Zone }) {
  const loaded = useLoaded(
    (signal) => get<ZoneStatus>(zonePath(zone.name, '/status'), {}, signal),
    [zone.name, zone.serial],
  );
  return (
    <section aria-label="Secondaries">
      <Answered loaded={loaded}>
        {({ serial, secondaries, warnings }) => (
          <>
            <p>
              Serial {serial} is served here.{' '}
              <button type="button" onClick={loaded.again}>
                Ask again
              </button>
            </p>
            {warnings.map(({ code, message }) => (
              <p key={code} class="failure">
                {visible(message)}
              </p>
            ))}
            {secondaries.length === 0 ? (
              <NoSecondaries zone={zone.name} />
            ) : (
              <Table
                caption={`Secondaries of ${zone.name}`}
                columns={zoneSecondaryColumns}
                items={secondaries}
                keyOf={({ address }) => address}
              />
            )}
          </>
        )}
      </Answered>
    </section>
  );
}
