/** How the service stands: what is wrong and what to do, then its figures. */
import type { ComponentChildren } from 'preact';
import {
  type EventPage,
  get,
  getText,
  type Listed,
  Problem,
  type Trouble,
  type Webhook,
} from '../api.ts';
import { counted } from '../counted.ts';
import { backupOf, bytesText, labelled, type Metrics, metricsOf, versionOf } from '../health.ts';
import { dayMs } from '../duration.ts';
import { useLoaded } from '../loading.ts';
import { isEarlier } from '../moment.ts';
import { may } from '../permissions.ts';
import { News } from '../parts/news.tsx';
import { Troubles } from '../parts/troubles.tsx';
import { SecondaryChecks } from '../parts/secondary-checks.tsx';
import { Answered } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { Ago, visible } from '../parts/text.tsx';
import { ZoneHealth } from '../parts/zone-health.tsx';

interface Standing {
  readonly isHealthy: boolean;
  /** Undefined where metrics are switched off. */
  readonly known: { readonly metrics: Metrics; readonly troubles: readonly Trouble[] } | undefined;
}

async function readStanding(signal: AbortSignal): Promise<Standing> {
  const health = get('/health', {}, signal).then(
    () => true,
    (error) => {
      if (error instanceof Problem && error.status === 503) return false;
      throw error;
    },
  );
  const figures = Promise.all([
    getText('/metrics', {}, signal),
    get<Listed<Trouble>>('/health/troubles', {}, signal),
  ]);
  const [isHealthy, known] = await Promise.all([
    health,
    figures.then(
      ([text, { items }]) => ({ metrics: metricsOf(text), troubles: items }),
      (error) => {
        if (error instanceof Problem && error.status === 404) return undefined;
        throw error;
      },
    ),
  ]);
  return { isHealthy, known };
}

export function Health() {
  const loaded = useLoaded(readStanding, []);
  return (
    <>
      <header class="head">
        <h1>Health</h1>
        <button type="button" onClick={loaded.again}>
          Look again
        </button>
      </header>
      {isEarlier.value && <p>This is how the service stands now, whatever the moment.</p>}
      <Answered loaded={loaded}>
        {({ isHealthy, known }) => (
          <>
            <p role="status" class={isHealthy ? 'state good' : 'state bad'}>
              {isHealthy ? 'The service is healthy.' : 'The service is not healthy.'}
            </p>
            {known === undefined ? <NoMetrics /> : <Known {...known} />}
          </>
        )}
      </Answered>
      <News />
      <ZoneHealth />
      <SecondaryChecks />
      <Webhooks />
      <h2>The host</h2>
      <p>
        Files, clocks and the configuration are looked at on the host. Backups are made there too.
      </p>
      <pre>{'zonebook doctor\nzonebook backup FILE'}</pre>
    </>
  );
}

function NoMetrics() {
  return (
    <p class="muted">
      The metrics are switched off (api.metrics_enabled), so there is no more to tell of it here.
    </p>
  );
}

function Known({ metrics, troubles }: NonNullable<Standing['known']>) {
  return (
    <>
      <Troubles
        label="What is wrong"
        troubles={troubles}
        none="The service knows of nothing that is wrong with it."
      />
      <Figures metrics={metrics} />
    </>
  );
}

function Figures({ metrics }: { readonly metrics: Metrics }) {
  const number = (name: string) => (metrics.get(name) ?? 0).toLocaleString('en');
  const bytes = (name: string) => bytesText(metrics.get(name) ?? 0);
  const time = (name: string) => new Date((metrics.get(name) ?? 0) * 1000).toISOString();
  const kept = (of: string) => {
    const days = metrics.get(`history_retention_days{of="${of}"}`) ?? 0;
    return days === 0 ? 'for ever' : counted(days, 'day');
  };
  const states = labelled(metrics, 'dnssec_keys_total').map(([state, n]) => `${n} ${state}`);
  const lint = labelled(metrics, 'zone_lint_findings').map(([kind, n]) => `${n} × ${kind}`);
  const isVerified = (metrics.get('database_verify_timestamp_seconds') ?? 0) > 0;
  return (
    <div class="figures">
      <Group title="Service">
        <Fact name="Version">{visible(versionOf(metrics) ?? 'not known')}</Fact>
        <Fact name="Started">
          <Ago time={time('started_at_seconds')} />
        </Fact>
        <Fact name="Zones">{number('zones_total')}</Fact>
        <Fact name="Records">{number('records_total')}</Fact>
        <Fact name="Probable mistakes">
          {lint.length === 0 ? 'none' : visible(lint.join(', '))}
        </Fact>
      </Group>
      <Group title="Storage">
        <Fact name="Database">{bytes('database_bytes')}</Fact>
        <Fact name="WAL">{bytes('wal_bytes')}</Fact>
        <Fact name="Free">{bytes('disk_free_bytes')}</Fact>
        <Fact name="Verified">
          {isVerified ? (
            <>
              up to event {number('database_verify_events')},{' '}
              <Ago time={time('database_verify_timestamp_seconds')} />
            </>
          ) : (
            'not yet'
          )}
        </Fact>
        <Fact name="Last backup">
          <LastBackup metrics={metrics} />
        </Fact>
      </Group>
      <Group title="History">
        <Fact name="Versions are kept">{kept('changes')}</Fact>
        <Fact name="Old signatures are kept">{kept('signing')}</Fact>
        <Fact name="Events since the start">{number('journal_events_total')}</Fact>
        {may(undefined, 'zone:read') && <Growth />}
      </Group>
      <Group title="DNSSEC">
        <Fact name="Signed zones">{number('dnssec_zones_total')}</Fact>
        <Fact name="Keys">{states.length === 0 ? 'none' : states.join(', ')}</Fact>
        <Fact name="Signatures due for renewal">{number('dnssec_rrsigs_expiring_total')}</Fact>
      </Group>
    </div>
  );
}

function LastBackup({ metrics }: { readonly metrics: Metrics }) {
  const backup = backupOf(metrics);
  if (backup === undefined) return <>none is known</>;
  const { at, seq } = backup;
  return (
    <>
      <Ago time={at} />, up to event {seq.toLocaleString('en')}
      {may(undefined, 'zone:read') && <EventsSince seq={seq} />}
    </>
  );
}

function EventsSince({ seq }: { readonly seq: number }) {
  const { value } = useLoaded((signal) => lastEvent(signal), [seq]);
  return value === undefined ? null : <> ({counted(value - seq, 'event')} since)</>;
}

async function lastEvent(signal: AbortSignal, until?: string): Promise<number | undefined> {
  const { items } = await get<EventPage>('/events', { limit: 1, until }, signal);
  return items[0]?.seq;
}

/** Numbers of events have no gap: those of now and of a day ago say how many came. */
async function readGrowth(signal: AbortSignal): Promise<number | undefined> {
  const [now, before = 0] = await Promise.all([
    lastEvent(signal),
    lastEvent(signal, new Date(Date.now() - dayMs).toISOString()),
  ]);
  return now === undefined ? undefined : now - before;
}

function Growth() {
  const { value } = useLoaded(readGrowth, []);
  if (value === undefined) return null;
  return <Fact name="Events in the last 24 h">{value.toLocaleString('en')}</Fact>;
}

function Group({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <dl class="facts">{children}</dl>
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const webhookColumns: readonly TableColumn<Webhook>[] = [
  { label: 'Name', cell: ({ name }) => visible(name) },
  {
    label: 'State',
    cell: ({ state, failing_since: since }) => (
      <span class={state === 'active' && since === null ? 'state good' : 'state bad'}>
        {state === 'active' && since !== null ? 'failing' : state}
      </span>
    ),
  },
  { label: 'Events behind', kind: 'number', cell: ({ behind }) => behind.toLocaleString('en') },
  {
    label: 'Fails since',
    cell: ({ failing_since: since, error }) =>
      since !== null && (
        <>
          <Ago time={since} />: {visible(error ?? 'not known why')}
        </>
      ),
  },
];

function Webhooks() {
  const loaded = useLoaded(
    (signal) => get<Listed<Webhook>>('/webhooks', { limit: 100 }, signal),
    [],
  );
  if (loaded.value === undefined || loaded.value.pagination.total === 0) return null;
  return (
    <section aria-label="Webhooks">
      <h2>Webhooks</h2>
      <Table
        caption="Webhooks"
        columns={webhookColumns}
        items={loaded.value.items}
        keyOf={({ id }) => id}
      />
    </section>
  );
}
