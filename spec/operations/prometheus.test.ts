/** A real Prometheus with the example configuration scrapes a real service and answers every query. */
import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { jsonOf } from '../support/json.ts';
import { patienceMs } from '../support/patience.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';
import { endProcess } from '../support/processes.ts';
import { type RunningService, startService } from '../support/service.ts';

const folder = join(import.meta.dirname, '../manual/operations');
const dashboard = JSON.parse(readFileSync(join(folder, 'grafana-dashboard.json'), 'utf8'));

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

/** Panels that may be empty for a service that nobody uses: shares and quantiles of nothing. */
const emptyWhenIdle = new Set(['Slowest routes (mean)', 'Commands in a commit (mean)']);

needsPeers('prometheus')('Prometheus', () => {
  let service: RunningService;
  let url: string;
  let output = '';
  const data = mkdtempSync(join(tmpdir(), 'zonebook-prometheus-'));
  const started = new AsyncDisposableStack();
  started.defer(() => rmSync(data, { recursive: true, force: true }));

  beforeAll(async () => {
    service = started.use(await startService());
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const example = readFileSync(join(folder, 'prometheus.yml'), 'utf8');
    const config = example
      .replace('127.0.0.1:3000', `127.0.0.1:${service.apiPort}`)
      .replaceAll('_interval: 15s', '_interval: 1s');
    expect(config).not.toBe(example);
    writeFileSync(join(data, 'prometheus.yml'), config);
    copyFileSync(join(folder, 'alerts.yml'), join(data, 'alerts.yml'));
    const prometheus = spawn(
      peer('prometheus')!,
      [
        `--config.file=${join(data, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(data, 'tsdb')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    started.defer(async () => void (await endProcess(prometheus, 'SIGTERM')));
    prometheus.stderr.on('data', (chunk) => {
      output += chunk;
    });
    await service.must('POST', '/zones', {
      name: 'example.com',
      mname: 'ns1.example.com',
      rname: 'hostmaster@example.com',
    });
    const { code } = await run(['backup', join(data, 'copy.db')], { dataDir: service.dataDir });
    expect(code).toBe(0);
    await until(async () => {
      await service.call('GET', '/zones');
      return (await query('count_over_time(up[1m])')).some(({ value }) => Number(value[1]) >= 5);
    });
  });
  afterAll(() => started.disposeAsync());

  interface Sample {
    readonly metric: Record<string, string>;
    readonly value: readonly [number, string];
  }

  async function query(expression: string): Promise<readonly Sample[]> {
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const { status, data: answered, error } = await jsonOf(response);
    if (status !== 'success') throw new Error(`${expression}: ${error}`);
    return answered.result;
  }

  async function until(holds: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + patienceMs;
    while (!(await holds().catch(() => false))) {
      if (Date.now() > deadline) throw new Error(`Prometheus did not come so far:\n${output}`);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }

  it('scrapes the service without complaint', async () => {
    // On a busy host a scrape may take longer than the second that it is given.
    const targets = async () =>
      (await jsonOf(await fetch(`${url}/api/v1/targets`))).data.activeTargets;
    await expect.poll(targets).toMatchObject([{ health: 'up', lastError: '' }]);
    const counts = async () => (await query('zonebook_zones_total')).map(({ value }) => value[1]);
    await expect.poll(counts).toEqual(['1']);
  });

  it('loads every alert, and none fires on a service that is well', async () => {
    await until(async () => {
      const { data: loaded } = await jsonOf(await fetch(`${url}/api/v1/rules`));
      return loaded.groups[0].rules.every(({ health }: { health: string }) => health === 'ok');
    });
    const alerts = async () => (await jsonOf(await fetch(`${url}/api/v1/alerts`))).data.alerts;
    await expect.poll(alerts).toEqual([]);
  });

  it('answers every query of the dashboard', async () => {
    const panels: Panel[] = dashboard.panels;
    for (const { title, targets = [] } of panels) {
      for (const { expr } of targets) {
        const filled = expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '30s');
        const found = async () => [title, (await query(filled)).length];
        // Nothing is there from a scrape that failed, on a busy host, up to the next one.
        if (emptyWhenIdle.has(title)) await query(filled);
        else await expect.poll(found).not.toEqual([title, 0]);
      }
    }
  });
});
