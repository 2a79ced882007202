/** What is known of secondaries: what they transferred, what they said, which zones they are behind with. */
import type { Secondary, SecondaryStates, Transfer } from '../api.ts';
import { bytesText } from '../health.ts';
import { absolute } from '../moment.ts';
import { hrefOf } from '../router.ts';
import { Table, type TableColumn } from './table.tsx';
import { Ago, visible } from './text.tsx';

export type SecondaryState = SecondaryStates['items'][number];

export function TransferText({ last }: { readonly last: Transfer | null | undefined }) {
  if (!last) return 'none';
  const { kind, result, incremental, serial, bytes, took_ms: tookMs, at, error } = last;
  return (
    <>
      {kind.toUpperCase()}
      {kind === 'ixfr' && serial !== null && !incremental && ' (whole)'}
      {` of ${visible(last.zone_name)}`}
      {serial !== null && ` serial ${serial}`}
      {bytes !== null && `, ${bytesText(bytes)} in ${tookMs} ms`}, <Ago time={at} />
      {result !== 'ok' && <div class="state bad">{visible(`${result}: ${error}`)}</div>}
    </>
  );
}

export function SyncText({ state }: { readonly state: SecondaryState | undefined }) {
  if (state === undefined) return '–';
  const { in_sync: inSync, behind, silence } = state;
  if (silence !== null) {
    return (
      <span class="state bad">
        does not answer since {absolute(silence.since)}: {visible(silence.error)}
      </span>
    );
  }
  return (
    <>
      {inSync === null ? 'being asked…' : `${inSync} in sync`}
      {behind > 0 && <div class="state bad">{behind} behind</div>}
    </>
  );
}

export function NotifyText({ state }: { readonly state: SecondaryState | undefined }) {
  const last = state?.last_notify;
  if (!last) return 'none';
  return (
    <span class={last.error === null ? '' : 'state bad'}>
      {visible(`${last.error ?? 'taken'}, ${last.zone_name}, `)}
      <Ago time={last.at} />
    </span>
  );
}

type ZoneBehind = SecondaryStates['zones'][number];

/** Zones against the secondaries that are behind with any of them. */
export function BehindMatrix({ states }: { readonly states: SecondaryStates }) {
  const { items, zones, catalog_zone_name: catalog } = states;
  if (zones.length === 0) return null;
  const lagging = items.filter(({ behind }) => behind > 0);
  const columns: TableColumn<ZoneBehind>[] = [
    {
      label: 'Zone',
      cell: ({ zone_name: name }) =>
        name === catalog ? (
          `${visible(name)} (the catalog)`
        ) : (
          <a href={hrefOf(['zones', name, 'secondaries'], { at: undefined })}>{visible(name)}</a>
        ),
    },
    ...lagging.map(({ name: label }) => ({
      label,
      cell({ secondaries }: ZoneBehind) {
        const behind = secondaries.find(({ name }) => name === label);
        return behind ? (
          <span class="state bad">
            at serial {behind.visible_serial} since {absolute(behind.since)}
          </span>
        ) : (
          'not behind'
        );
      },
    })),
  ];
  return (
    <>
      <h2>Zones that are behind</h2>
      <Table
        caption="Zones that secondaries are behind with"
        columns={columns}
        items={zones}
        keyOf={({ zone_name: name }) => name}
      />
      <a href={hrefOf(['zones'], { lagging: 'true', at: undefined })}>All zones that lag</a>
    </>
  );
}

/** The state of each by its name. */
export function stateOf(states: SecondaryStates | undefined, { name }: Secondary) {
  return states?.items.find((each) => each.name === name);
}
