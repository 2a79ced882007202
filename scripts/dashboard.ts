/**
 * Writes spec/manual/operations/grafana-dashboard.json from the panels below: npm run dashboard
 *
 * A panel is one row: what it shows and how wide it is, of 24 columns. Panels stand from left to right in the order of
 * their rows, as many beside each other as there is room for. A test holds that the file is what this makes, and that
 * every metric of the service is on it.
 */
import { writeFileSync } from 'node:fs';

const columns = 24;
const height = { row: 1, stat: 4, timeseries: 8 } as const;

/** The metrics of the chosen instances. */
const of = (metric: string, ...labels: readonly string[]) =>
  `zonebook_${metric}{${['instance=~"$instance"', ...labels].join(',')}}`;
const rate = (metric: string) => `rate(${of(metric)}[$__rate_interval])`;
const increase = (metric: string) => `increase(${of(metric)}[$__rate_interval])`;
const rateBy = (label: string, metric: string) => `sum by (${label}) (${rate(metric)})`;
const rateOfAll = (metric: string) => `sum(${rate(metric)})`;
const quantile = (part: number, histogram: string) =>
  `histogram_quantile(${part}, ${rateBy('le', `${histogram}_bucket`)})`;
const quantiles = (histogram: string): Series => ({
  half: quantile(0.5, histogram),
  '99 in 100': quantile(0.99, histogram),
});
const requests = 'http_requests_total';
const durations = 'http_request_duration_seconds';

/** Expressions by what stands beside them in the legend. */
type Series = Readonly<Record<string, string>>;

interface Panel {
  readonly type: keyof typeof height;
  readonly title: string;
  readonly width: number;
  readonly unit: string;
  readonly series: Series;
  readonly description?: string;
  readonly isStacked?: boolean;
  /** From which value on a number is shown in which colour; below it the first one. */
  readonly colours?: readonly [below: string, from: number, colour: string];
  /** Words for values. */
  readonly words?: Readonly<Record<string, string>>;
  /** Shows the legend, not the number. */
  readonly showsName?: boolean;
}

type Looks = Pick<Panel, 'description' | 'isStacked' | 'colours' | 'words' | 'showsName'>;

function row(title: string): Panel {
  return { type: 'row', title, width: columns, unit: '', series: {} };
}

function stat(
  title: string,
  series: Series | string,
  looks: Looks & { unit?: string } = {},
): Panel {
  const named = typeof series === 'string' ? { '{{instance}}': series } : series;
  return { type: 'stat', title, width: 4, unit: 'short', series: named, ...looks };
}

function graph(
  title: string,
  width: number,
  unit: string,
  series: Series,
  looks: Looks = {},
): Panel {
  return { type: 'timeseries', title, width, unit, series, ...looks };
}

const redFromOne = { colours: ['green', 1, 'red'] } as const;

const panels: readonly Panel[] = [
  row('Service'),
  stat('Database', of('database_up'), {
    colours: ['red', 1, 'green'],
    words: { 1: 'up', 0: 'down' },
  }),
  stat('Version', { '{{version}}': of('build_info') }, { showsName: true }),
  stat('Running for', `time() - ${of('started_at_seconds')}`, { unit: 's' }),
  stat('Zones', of('zones_total')),
  stat('Records', of('records_total')),
  stat('Signed zones', of('dnssec_zones_total')),

  row('HTTP'),
  graph(
    'Requests by status',
    12,
    'reqps',
    { '{{status}}': `${rateBy('status', requests)} > 0` },
    { isStacked: true },
  ),
  graph('Time of requests', 12, 's', quantiles(durations)),
  graph('Busiest routes', 12, 'reqps', {
    '{{method}} {{route}}': `topk(10, ${rateBy('method, route', requests)} > 0)`,
  }),
  graph('Slowest routes (mean)', 12, 's', {
    '{{method}} {{route}}':
      `topk(10, ${rateBy('method, route', `${durations}_sum`)} / ` +
      `sum by (method, route) (${rate(`${durations}_count`)} > 0))`,
  }),

  graph('Webhooks', 12, 'short', {
    'events behind': of('webhook_events_behind'),
    suspended: of('webhooks_suspended'),
  }),
  graph('Streams of events', 12, 'short', { open: of('event_streams') }),

  row('DNS'),
  graph(
    'Answers by RCODE',
    12,
    'reqps',
    {
      '{{rcode}}': rateBy('rcode', 'dns_queries_total'),
      'beyond the limit: {{result}}': rateBy('result', 'dns_rate_limited_total'),
    },
    { isStacked: true },
  ),
  graph(
    'SOA queries',
    12,
    'reqps',
    { '{{result}}': rateBy('result', 'soa_queries_total') },
    { description: 'Secondaries ask for the SOA after NOTIFY and at their refresh time.' },
  ),
  graph('Transfers', 12, 'ops', { '{{type}} {{result}}': rateBy('type, result', 'xfr_total') }),
  graph('NOTIFY', 8, 'ops', { '{{result}}': rateBy('result', 'notify_sent_total') }),
  stat('Zones secondaries are ahead in', of('secondary_zones_ahead_total'), redFromOne),
  stat('Zones secondaries differ in', of('secondary_content_differs'), redFromOne),
  graph('Dynamic updates', 12, 'reqps', {
    '{{result}}': rateBy('result', 'nsupdate_requests_total'),
  }),
  graph('Steps of serials', 12, 'ops', { steps: rateOfAll('zone_serial_bumps_total') }),

  row('Journal'),
  graph('Events', 8, 'ops', { events: rateOfAll('journal_events_total') }),
  graph('Time of commits', 8, 's', quantiles('journal_commit_duration_seconds')),
  graph('Commands in a commit (mean)', 8, 'short', {
    commands: `${rateOfAll('journal_batch_size_sum')} / ${rateOfAll('journal_batch_size_count')}`,
  }),

  row('DNSSEC'),
  stat(
    'Expired signatures',
    {
      '{{instance}}': of('dnssec_rrsigs_expired_total'),
      '{{instance}}, not valid yet': of('dnssec_rrsigs_future_total'),
    },
    redFromOne,
  ),
  stat('Due for renewal', of('dnssec_rrsigs_expiring_total')),
  stat('Zones with a foreign DS', of('dnssec_foreign_ds_zones_total'), redFromOne),
  graph('Keys by state', 12, 'short', {
    '{{state}}': `sum by (state) (${of('dnssec_keys_total')})`,
  }),
  graph('Signatures made', 12, 'ops', { signatures: rateOfAll('signatures_total') }),
  graph('Runs of the scheduler', 12, 'short', {
    '{{result}}': `sum by (result) (increase(${of('dnssec_scheduler_runs_total')}[1h]))`,
  }),

  row('Process'),
  graph('Longest hold-up of the event loop', 24, 's', {
    '{{instance}}': of('event_loop_lag_seconds'),
  }),
  graph('WAL', 24, 'bytes', {
    'in use {{instance}}': of('wal_bytes'),
    'waiting {{instance}}': of('wal_pending_bytes'),
  }),
  graph('Proof of the database', 24, 'short', {
    'findings {{instance}}': of('database_verify_findings'),
    'seconds {{instance}}': of('database_verify_duration_seconds'),
    'age in seconds {{instance}}': `time() - ${of('database_verify_timestamp_seconds')}`,
    'reads that failed {{instance}}': increase('block_checksum_failures_total'),
  }),
  graph('Events verified', 24, 'short', {
    '{{instance}}': of('database_verify_events'),
  }),
  graph('Age of the last backup', 12, 's', {
    '{{instance}}': `time() - ${of('backup_timestamp_seconds')}`,
  }),
  graph('Event that the last backup ends with', 12, 'short', {
    '{{instance}}': of('backup_event'),
  }),
  graph('Lint of all zones', 24, 'short', {
    '{{kind}} {{instance}}': of('zone_lint_findings'),
  }),
  graph('Disk of the database', 24, 'short', {
    'can be written {{instance}}': of('storage_writable'),
    'failed: {{kind}} {{instance}}': `sum by (instance, kind) (${increase('storage_faults_total')})`,
  }),
  graph('Room for the database', 24, 'bytes', {
    'database {{instance}}': of('database_bytes'),
    'free {{instance}}': of('disk_free_bytes'),
  }),
  graph('Days that history is kept', 24, 'short', {
    '{{of}} {{instance}}': of('history_retention_days'),
  }),
];

const datasource = { type: 'prometheus', uid: '${datasource}' };

/** Where each panel stands: a line is as high as the highest panel in it. */
function* placed(): Generator<object> {
  let [x, y, lineHeight] = [0, 0, 0];
  for (const [index, panel] of panels.entries()) {
    const { type, width: w } = panel;
    if (x + w > columns) [x, y, lineHeight] = [0, y + lineHeight, 0];
    const gridPos = { h: height[type], w, x, y };
    yield { id: index + 1, type, title: panel.title, gridPos, ...contentOf(panel) };
    x += w;
    lineHeight = Math.max(lineHeight, height[type]);
  }
}

function contentOf(panel: Panel): object {
  if (panel.type === 'row') return { collapsed: false, panels: [] };
  const instant = panel.type === 'stat' ? { instant: true, range: false } : {};
  const targets = Object.entries(panel.series).map(([legendFormat, expr], index) => {
    return { refId: 'ABCD'[index], datasource, expr, legendFormat, ...instant };
  });
  const { description } = panel;
  const looks = panel.type === 'stat' ? looksOfStat(panel) : looksOfGraph(panel);
  return { ...(description && { description }), datasource, targets, ...looks };
}

function looksOfStat({ unit, colours, words = {}, showsName = false }: Panel): object {
  const [below, from, colour] = colours ?? ['green'];
  const steps = [{ color: below, value: null as number | null }];
  if (from !== undefined) steps.push({ color: colour!, value: from });
  const options = Object.entries(words).map(([value, text]) => [value, { text }] as const);
  const mappings =
    options.length === 0 ? [] : [{ type: 'value', options: Object.fromEntries(options) }];
  const thresholds = { mode: 'absolute', steps };
  return {
    fieldConfig: {
      defaults: { unit, color: { mode: 'thresholds' }, thresholds, mappings },
      overrides: [],
    },
    options: {
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
      textMode: showsName ? 'name' : 'value',
      colorMode: 'value',
      graphMode: 'none',
    },
  };
}

function looksOfGraph({ unit, isStacked = false }: Panel): object {
  const custom = { fillOpacity: 10, stacking: { mode: isStacked ? 'normal' : 'none' } };
  return {
    fieldConfig: { defaults: { unit, min: 0, custom }, overrides: [] },
    options: {
      legend: { displayMode: 'table', placement: 'right', calcs: ['lastNotNull', 'max'] },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  };
}

const instances = 'label_values(zonebook_build_info, instance)';

const variables = [
  {
    name: 'datasource',
    label: 'Prometheus',
    type: 'datasource',
    query: 'prometheus',
    current: {},
    hide: 0,
  },
  {
    name: 'instance',
    label: 'Instance',
    type: 'query',
    datasource,
    query: { query: instances, refId: 'instances' },
    definition: instances,
    refresh: 2,
    includeAll: true,
    multi: true,
    allValue: '.*',
    current: { text: 'All', value: '$__all' },
    sort: 1,
    hide: 0,
  },
];

/** The file that Grafana imports. */
export function dashboardJson(): string {
  const dashboard = {
    uid: 'zonebook',
    title: 'Zonebook',
    tags: ['dns', 'zonebook'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    annotations: { list: [] },
    links: [],
    templating: { list: variables },
    panels: [...placed()],
  };
  return `${JSON.stringify(dashboard, undefined, 1)}\n`;
}

if (import.meta.main) {
  const file = new URL('../spec/manual/operations/grafana-dashboard.json', import.meta.url);
  writeFileSync(file, dashboardJson());
}
