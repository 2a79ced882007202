/**
 * The OpenAPI document in the opinion of those who did not write it: Spectral and Redocly read it, Schemathesis tries a
 * service by it, requests that fit it and requests that do not.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildLinters } from '../scripts/openapi-lint/build.ts';
import { buildSchemathesis } from '../scripts/schemathesis/build.ts';
import { isLong, sampleOf } from './support/long.ts';
import { needsPeers } from './support/peers.ts';
import { type RunningService, startService } from './support/service.ts';
import { checkout } from './support/test-titles.ts';

const document = join(checkout, 'spec/openapi.json');
const settings = join(checkout, 'scripts/schemathesis');
const seed = process.env.TEST_SEED ?? '20260131';

let linters = '';
let python = '';
try {
  linters = await buildLinters();
  python = await buildSchemathesis();
  process.env.PATH = [linters, dirname(python), process.env.PATH].join(delimiter);
} catch {
  // Said by the suites, which miss their peers.
}

/**
 * What Schemathesis tries. All that breaks one rule of the document each (coverage) ends by itself; the others
 * would go on for long. An ordinary run asks operations that wait for nobody, and does not look for the smallest request
 * that fails.
 */
const tries = isLong
  ? [
      { phases: 'coverage', also: [] },
      { phases: 'examples,fuzzing', also: ['--max-time', '300'] },
      { phases: 'stateful', also: ['--max-time', '120'] },
    ]
  : [
      {
        phases: 'examples,fuzzing',
        also: [
          ...['--max-time', '6', '--no-shrink'],
          ...['service', 'records', 'roles', 'tokens'].flatMap((tag) => ['--include-tag', tag]),
        ],
      },
    ];

const folder = mkdtempSync(join(tmpdir(), 'zonebook-judges-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name?: string }[];
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
}

/** Whether a list is read by pages of both kinds. */
function isPagedTwice({ parameters = [] }: Operation): boolean {
  const names = new Set(parameters.map(({ name }) => name));
  return names.has('offset') && names.has('cursor');
}

interface Ended {
  readonly code: number;
  readonly said: string;
}

/** Runs a program that asks nobody but this machine, and tells nobody of it. */
function run(program: string, args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const options = {
    cwd: folder,
    env: { ...process.env, ...quiet, ...env },
    maxBuffer: 64 * 1024 * 1024,
  };
  return new Promise((resolve) => {
    execFile(program, args, options, (error, out, err) => {
      const code = error === null ? 0 : Number(error.code ?? -1);
      resolve({ code, said: `${out}${err}` });
    });
  });
}

needsPeers('spectral', 'redocly')('the document', () => {
  // Each reads it in half of the ordinary runs: Spectral takes long.
  const read = sampleOf(['Spectral', 'Redocly'], 1);
  if (read.includes('Spectral'))
    it('breaks no rule of Spectral for OpenAPI', async () => {
      const rules = join(folder, 'spectral.yaml');
      writeFileSync(rules, 'extends: ["spectral:oas"]\n');
      const args = ['lint', '--fail-severity=hint', '--ruleset', rules, document];
      expect(await run(join(linters, 'spectral'), args)).toMatchObject({ code: 0 });
    });

  if (read.includes('Redocly'))
    it('breaks no recommended rule of Redocly', async () => {
      const args = ['lint', '--extends=recommended', '--format=json', document];
      const { code, said } = await run(join(linters, 'redocly'), args);
      expect([code, said]).toEqual([0, expect.stringMatching(/"errors": 0,\s+"warnings": 0/)]);
    });

  it('would not be let through with a fault', async () => {
    const faulty = join(folder, 'faulty.json');
    writeFileSync(
      faulty,
      '{"openapi":"3.1.0","info":{"title":"a","version":"1"},"paths":{"/a":{"get":{}}}}',
    );
    const spectral = [
      'lint',
      '--fail-severity=hint',
      '--ruleset',
      join(folder, 'spectral.yaml'),
      faulty,
    ];
    writeFileSync(join(folder, 'spectral.yaml'), 'extends: ["spectral:oas"]\n');
    expect((await run(join(linters, 'spectral'), spectral)).code).not.toBe(0);
    const redocly = ['lint', '--extends=recommended', faulty];
    expect((await run(join(linters, 'redocly'), redocly)).code).not.toBe(0);
  });
});

needsPeers('schemathesis')('a service', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({
      ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true',
      ZONEBOOK_API_AUTH_FAILURES_PER_MINUTE: '0',
      ZONEBOOK_API_OPENAPI_ENABLED: 'true',
      ZONEBOOK_API_METRICS_ENABLED: 'true',
      ZONEBOOK_API_EXTERNAL_DNS_ENABLED: 'true',
      ZONEBOOK_DNS_NOTIFY_RETRIES: '0',
      ZONEBOOK_DNS_NOTIFY_TIMEOUT_SECS: '1',
      ZONEBOOK_LOGGING_LEVEL: 'error',
    });
  });
  afterAll(() => service?.end('SIGTERM'));

  it('is told of every list whose offset and cursor exclude each other', () => {
    const told = readFileSync(join(settings, 'schemathesis.toml'), 'utf8');
    const { paths } = JSON.parse(readFileSync(document, 'utf8')) as Document;
    const lists = Object.values(paths).flatMap(Object.values).filter(isPagedTwice);
    expect(lists.length).toBeGreaterThan(0);
    expect(lists.filter(({ operationId }) => !told.includes(`"${operationId}"`))).toEqual([]);
  });

  const title = 'does what the document says, whatever it is asked ($phases)';
  it.each(tries)(title, { timeout: 3_600_000 }, async ({ phases, also }) => {
    const args = [
      ...['-m', 'schemathesis.cli', '--config-file', join(settings, 'schemathesis.toml'), 'run'],
      ...[document, '--url', `http://127.0.0.1:${service.apiPort}`, '--seed', seed],
      ...['--continue-on-failure', '--no-color', '--workers', '1', '--request-timeout', '60'],
      ...['--phases', phases, ...also],
    ];
    const ended = await run(python, args, {
      ZONEBOOK_SOCKET: join(service.dataDir, 'zonebook.sock'),
      SCHEMATHESIS_HOOKS: 'hooks',
      PYTHONPATH: settings,
      PYTHONDONTWRITEBYTECODE: '1',
    });
    expect([ended.code, ended.code === 0 ? '' : ended.said.slice(-20_000)]).toEqual([0, '']);
    // A run that tried nothing would find nothing.
    const tried = Number(/(\d+) generated/.exec(ended.said)?.[1] ?? 0);
    expect(tried).toBeGreaterThan(0);
    expect((await service.call('GET', '/health')).status).toBe(200);
  });
});
