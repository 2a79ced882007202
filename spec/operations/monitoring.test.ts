/** The files for Prometheus and Grafana: they ask for nothing that the service does not show. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { dashboardJson } from '../../scripts/dashboard.ts';
import { InProcessService } from '../support/in-process.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { type Matcher, selectorsOf } from '../support/promql.ts';

const folder = join(import.meta.dirname, '../manual/operations');
const service = new InProcessService();
afterAll(() => service.close());

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly id: number;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly targets?: readonly { readonly expr: string; readonly refId: string }[];
}

const rules: Rule[] = parse(read('alerts.yml')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
);
const dashboard = JSON.parse(read('grafana-dashboard.json'));
const panels: Panel[] = dashboard.panels;

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

/** Every series of a service that has just started, as its labels by the name of its metric. */
async function shownSeries(): Promise<Map<string, Record<string, string>[]>> {
  const text = await (await service.fetch('GET', '/metrics')).text();
  const series = new Map<string, Record<string, string>[]>();
  for (const line of text.split('\n')) {
    const found = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line);
    if (found === null) continue;
    const [, name = '', labels = ''] = found;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
    const values = Object.fromEntries(pairs.map(([, label, value]) => [label, value]));
    series.set(name, [...(series.get(name) ?? []), values]);
  }
  return series;
}

/** Those that a service has once there was a backup. */
const laterMetrics = new Set(['zonebook_backup_timestamp_seconds', 'zonebook_backup_event']);

/** Labels that Prometheus itself puts on every series. */
const ofPrometheus = new Set(['job', 'instance']);

function matches({ operator, value }: Matcher, shown: string | undefined): boolean {
  const text = shown ?? '';
  const whole = new RegExp(`^(?:${value})$`);
  if (operator === '=') return text === value;
  if (operator === '!=') return text !== value;
  return whole.test(text) === (operator === '=~');
}

async function expectAnswered(title: string, expression: string): Promise<void> {
  const shown = await shownSeries();
  const selectors = selectorsOf(expression);
  expect(selectors.length, `${title} asks for something`).toBeGreaterThan(0);
  for (const { metric, matchers } of selectors) {
    if (metric === 'up' || laterMetrics.has(metric)) continue;
    const ours = matchers.filter(({ label }) => !ofPrometheus.has(label));
    const found = (shown.get(metric) ?? []).filter((labels) =>
      ours.every((matcher) => matcher.label in labels && matches(matcher, labels[matcher.label])),
    );
    expect(found.length, `${title}: ${metric} ${JSON.stringify(ours)}`).toBeGreaterThan(0);
    // Labels that are summed by stand on it too.
    for (const [, list = ''] of expression.matchAll(/\bby \(([^)]*)\)/g)) {
      for (const label of list.split(',').map((part) => part.trim())) {
        const stands = ofPrometheus.has(label) || label in found[0]!;
        expect(stands, `${title}: ${metric} has a label ${label}`).toBe(true);
      }
    }
  }
}

describe('alerts', () => {
  it('each has a name of its own, a severity and something to say', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { labels, annotations } of rules) {
      expect(['warning', 'critical']).toContain(labels.severity);
      expect(annotations.summary).not.toBe('');
    }
  });

  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s asks for series that there are from the start',
    (alert, rule) => expectAnswered(alert, rule.expr),
  );
});

describe('the dashboard', () => {
  const withQueries = panels.filter(({ targets }) => targets !== undefined);

  it('is what its rows make: npm run dashboard', () => {
    expect(read('grafana-dashboard.json')).toBe(dashboardJson());
  });

  it('is one that Grafana can import', () => {
    expect(dashboard).toMatchObject({ title: 'Zonebook', uid: 'zonebook' });
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const names = dashboard.templating.list.map(({ name }: { name: string }) => name);
    const used = [...read('grafana-dashboard.json').matchAll(/\$\{?(\w+)/g)].map(
      ([, name]) => name,
    );
    for (const name of new Set(used))
      expect([...names, '__rate_interval', '__all']).toContain(name);
  });

  it('has panels that do not cover each other', () => {
    const places = panels.map(({ gridPos }) => gridPos);
    for (const [index, one] of places.entries()) {
      expect(one.x + one.w).toBeLessThanOrEqual(24);
      for (const other of places.slice(index + 1)) {
        const apart =
          one.x + one.w <= other.x ||
          other.x + other.w <= one.x ||
          one.y + one.h <= other.y ||
          other.y + other.h <= one.y;
        expect(apart, JSON.stringify([one, other])).toBe(true);
      }
    }
  });

  it('shows every metric of the service', async () => {
    const expressions = withQueries.flatMap(({ targets }) => targets!.map(({ expr }) => expr));
    const asked = new Set(expressions.flatMap(selectorsOf).map(({ metric }) => metric));
    const text = await (await service.fetch('GET', '/metrics')).text();
    for (const [, name] of text.matchAll(/^# TYPE (\S+)/gm)) {
      const suffixes = ['', '_bucket', '_sum', '_count'];
      expect([name, suffixes.some((suffix) => asked.has(`${name}${suffix}`))]).toEqual([
        name,
        true,
      ]);
    }
  });

  it.each(withQueries.map((panel) => [panel.title, panel] as const))(
    '%s asks for series that there are from the start',
    async (title, panel) => {
      for (const { expr } of panel.targets!) {
        const filled = expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m');
        await expectAnswered(title, filled);
      }
    },
  );
});

it('reads selectors out of expressions as PromQL does', () => {
  const expression =
    'sum by (a, le) (rate(x_bucket{route!~".*(by|x).*", b="1"}[5m])) > 0 and on (a) y_total offset 5m';
  expect(selectorsOf(expression)).toEqual([
    {
      metric: 'x_bucket',
      matchers: [
        { label: 'route', operator: '!~', value: '.*(by|x).*' },
        { label: 'b', operator: '=', value: '1' },
      ],
    },
    { metric: 'y_total', matchers: [] },
  ]);
});

needsPeers('promtool')('promtool', () => {
  const promtool = (...args: string[]) =>
    execFileSync(peer('promtool')!, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });

  it('accepts the configuration and the rules it names', () => {
    expect(promtool('check', 'config', 'prometheus.yml')).toContain(`${rules.length} rules found`);
  });

  it('finds that made-up series alert when they should', () => {
    expect(promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
  });
});
