/** The name servers that follow this service, and for one zone how far each of them is. */
import { useEffect, useState } from 'preact/hooks';
import {
  get,
  type Listed,
  type Secondary,
  type SecondaryStates,
  type Zone,
  type ZoneStatus,
  zonePath,
} from '../api.ts';
import { useLoaded } from '../loading.ts';
import { isEarlier } from '../moment.ts';
import { LagLine } from '../parts/lag-line.tsx';
import { Pages, pageSize } from '../parts/pages.tsx';
import { Check } from '../parts/secondary-checks.tsx';
import { SecondaryConfiguration } from '../parts/secondary-configuration.tsx';
import { SecondaryActions, SecondaryForm } from '../parts/secondary-form.tsx';
import { SecondaryReach } from '../parts/secondary-reach.tsx';
import {
  BehindMatrix,
  NotifyText,
  type SecondaryState,
  stateOf,
  SyncText,
  TransferText,
} from '../parts/secondary-states.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { Ago, visible } from '../parts/text.tsx';
import { may } from '../permissions.ts';
import { hrefOf, parameter } from '../router.ts';

function Zones({ state }: { readonly state: SecondaryState | undefined }) {
  return (
    <>
      <SyncText state={state} />
      {state?.lag && <LagLine name={state.name} lag={state.lag} />}
    </>
  );
}

function columnsOf(
  states: SecondaryStates | undefined,
  again: () => void,
): readonly TableColumn<Secondary>[] {
  return [
    { label: 'Name', cell: ({ name }) => visible(name) },
    {
      label: 'Address',
      cell: ({ address, notify_key_name: key, created_at: time, enabled }) => (
        <>
          {address}
          <div class="muted">
            {enabled ? '' : 'disabled, '}registered <Ago time={time} />
            {key !== null && `, NOTIFY signed with ${visible(key)}`}
          </div>
        </>
      ),
    },
    {
      label: 'Zones',
      cell: (each) =>
        each.enabled ? <Zones state={stateOf(states, each)} /> : 'not asked while disabled',
    },
    {
      label: 'Last transfer',
      cell: (each) => <TransferText last={stateOf(states, each)?.last_transfer} />,
    },
    { label: 'Last NOTIFY', cell: (each) => <NotifyText state={stateOf(states, each)} /> },
    {
      label: 'What it says',
      cell: ({ name }) => !isEarlier.value && <Check name={name} onChecked={again} />,
    },
    {
      label: 'Actions',
      kind: 'action',
      cell: (secondary) => !isEarlier.value && <SecondaryActions secondary={secondary} />,
    },
  ];
}

const soonMs = 2000;
const everyMs = 30_000;

interface ListProps {
  readonly offset: number;
  readonly items: readonly Secondary[];
}

/** With what is known of each: asked again and again, at first until each was asked. */
function List({ offset, items }: ListProps) {
  const { value, error, again } = useLoaded(
    (signal) => get<SecondaryStates>('/secondary-states', { offset, limit: pageSize }, signal),
    [offset],
  );
  const isNew = items.some((each) => each.enabled && !stateOf(value, each)?.asked_at);
  useEffect(() => {
    if (value === undefined) return undefined;
    const timer = setTimeout(again, isNew ? soonMs : everyMs);
    return () => clearTimeout(timer);
  }, [value, error]);
  return (
    <div aria-busy={isNew && !error}>
      {error && <p class="muted">{error.message}</p>}
      <Table
        caption="Secondaries"
        columns={columnsOf(value, again)}
        items={items}
        keyOf={({ id }) => id}
      />
      {value && <BehindMatrix states={value} />}
    </div>
  );
}

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
              <List offset={offset} items={items} />
              <Pages offset={offset} total={total} noun="secondaries" />
              <SecondaryConfiguration secondaries={items} />
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

/** The secondaries are asked when this is opened, so it is the state of now. */
export function ZoneSecondaries({ zone }: { readonly zone: Zone }) {
  const loaded = useLoaded(
    (signal) => get<ZoneStatus>(zonePath(zone.name, '/status'), {}, signal),
    [zone.name, zone.serial],
  );
  return (
    <section aria-label="Secondaries">
      <Answered loaded={loaded}>
        {(status) => (
          <>
            {status.warnings.map(({ code, message }) => (
              <p key={code} class="failure">
                {visible(message)}
              </p>
            ))}
            {status.secondaries.length === 0 ? (
              <NoSecondaries zone={zone.name} />
            ) : (
              <SecondaryReach zone={zone} status={status} again={loaded.again} />
            )}
          </>
        )}
      </Answered>
    </section>
  );
}
