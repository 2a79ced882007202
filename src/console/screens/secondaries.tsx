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
import { Ago, visible } from '../parts/text.tsx';
import { may } from '../permissions.ts';
import { hrefOf, parameter } from '../router.ts';

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
              <table class="rows">
                <caption class="unseen">Secondaries</caption>
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col">Address</th>
                    <th scope="col">State</th>
                    <th scope="col">Key of its NOTIFY</th>
                    <th scope="col">Registered</th>
                    <th scope="col">
                      <span class="unseen">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((secondary) => (
                    <tr key={secondary.id} data-row>
                      <th scope="row">{visible(secondary.name)}</th>
                      <td data-label="Address">{secondary.address}</td>
                      <td data-label="State">{secondary.enabled ? 'enabled' : 'disabled'}</td>
                      <td data-label="Key of its NOTIFY">{secondary.notify_key_name ?? 'none'}</td>
                      <td data-label="Registered">
                        <Ago time={secondary.created_at} />
                      </td>
                      <td class="action">
                        {!isEarlier.value && <SecondaryActions secondary={secondary} />}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
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
              <table class="rows">
                <caption class="unseen">Secondaries of {zone.name}</caption>
                <thead>
                  <tr>
                    <th scope="col">Address</th>
                    <th scope="col">State</th>
                    <th scope="col" class="number">
                      Serial
                    </th>
                    <th scope="col">Last transfer</th>
                    <th scope="col">Error</th>
                  </tr>
                </thead>
                <tbody>
                  {secondaries.map((each) => (
                    <tr key={each.address} data-row>
                      <th scope="row">{each.address}</th>
                      <td class={`state ${each.status}`} data-label="State">
                        {states[each.status]}
                      </td>
                      <td class="number" data-label="Serial">
                        {each.visible_serial ?? '–'}
                      </td>
                      <td data-label="Last transfer">
                        {each.last_transfer === null ? (
                          'none'
                        ) : (
                          <>
                            {each.last_transfer.kind.toUpperCase()} of serial{' '}
                            {each.last_transfer.serial ?? '–'}, <Ago time={each.last_transfer.at} />
                          </>
                        )}
                      </td>
                      <td data-label="Error">{visible(each.error ?? '')}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </>
        )}
      </Answered>
    </section>
  );
}
