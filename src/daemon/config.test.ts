import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../contract/routes.ts';
import { ConfigError, type ConfigProblem, loadConfig, printConfig, settingsOf } from './config.ts';
import { interfaceSegments } from './config-key.ts';
import { configKeys, variableOf } from './config-keys.ts';

let cwd: string;
let written = 0;

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'zonebook-config-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function file(text: string): string {
  written++;
  const path = join(cwd, `${written}.toml`);
  writeFileSync(path, text);
  return path;
}

function load(text: string, env: Record<string, string> = {}) {
  return loadConfig({ file: file(text), env, cwd });
}

function problemsOf(attempt: () => unknown): readonly ConfigProblem[] {
  try {
    attempt();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

/** A document with one key: `a.b.c` becomes `c = value` in [a.b]. */
function documentOf(path: string, value: string): string {
  const at = path.lastIndexOf('.');
  return at < 0
    ? `${path} = ${value}`
    : `[${path.slice(0, at)}]\n${path.slice(at + 1)} = ${value}\n`;
}

/** Bad values in TOML of every key. */
const badValues: Record<string, string[]> = {
  data_dir: ['""', '1', 'true', '"a\\u0000b"', '["x"]'],
  'database.checkpoints': ['"litestream"', 'true', '""'],
  'database.wal_warn_bytes': ['65535', '1099511627777', '"1GiB"'],
  'database.verify_interval_hours': ['-1', '8761', '1.5'],
  'api.listen_addr': [
    '"localhost"',
    '"1.2.3"',
    '"1.2.3.4:"',
    '"1.2.3.4:65536"',
    '"[::1]:x"',
    '"[1.2.3.4]:1"',
    '"fe80::1%eth0"',
    '""',
    '3000',
  ],
  'api.listen_port': ['-1', '65536', '"3000"', '3000.0', '99999999999999999'],
  'api.authentication_required': ['"true"', '1', '"no"'],
  'api.metrics_enabled': ['0'],
  'api.openapi_enabled': ['"false"'],
  'api.external_dns_enabled': ['[]'],
  'api.insecure': ['"true"', '1'],
  'api.host_name': ['""', '"."', '"a b"', '7'],
  'api.max_import_bytes': ['0', '-1', '1099511627777', '1.5'],
  'api.max_bodies_bytes': ['65535', '-1', '1099511627777', '1.5'],
  'api.auth_failures_per_minute': ['-1', '1000001'],
  'api.console': ['"yes"', 'true', '""'],
  'api.console_path': [
    '""',
    '"/"',
    '"console"',
    '"/console/"',
    '"/a//b"',
    '"/a/../b"',
    '"/."',
    '"/a b"',
    '"/é"',
    '"/a?b"',
    '"/{base}"',
    '"/zones"',
    '"/zones/console"',
    '"/docs"',
    '"/openapi.json"',
    `"/${'a'.repeat(128)}"`,
    '7',
  ],
  'api.session_idle_hours': ['0', '8761', '1.5'],
  'api.session_max_days': ['0', '366', '"7"'],
  'api.tls_cert_file': ['""', 'true'],
  'api.tls_key_file': ['""', '1979-05-27'],
  'dns.listen_addr': ['"dns.example.com"', '"::1:5300:"', '"[::1"'],
  'dns.listen_port': ['65536', 'false'],
  'dns.answer_queries': ['"on"'],
  'dns.lint_interval_hours': ['-1', '8761', '1.5'],
  'dns.served_check_interval_hours': ['-1', '8761', '1.5'],
  'dns.catalog_zone_name': [
    '""',
    '"."',
    '"a..b"',
    '"has space.example"',
    '"*.example"',
    `"${'a'.repeat(64)}.example"`,
    `"${'abcdefg.'.repeat(27)}"`,
    '53',
  ],
  'dns.rrl.responses_per_second': ['-1', '1000001', '"200"'],
  'dns.rrl.slip': ['-1', '11', 'true'],
  'dns.cookies': ['"on"', '1'],
  'dns.nsid': ['""', '1', '"a\\u0007b"', `"${'é'.repeat(65)}"`],
  'dns.nsupdate_tsig_required': ['0'],
  'dns.update_wait_secs': ['-1', '31', '"1"'],
  'dns.notify.batch_ms': ['-1', '60001', '"0"'],
  'dns.notify.retries': ['-1', '21'],
  'dns.notify.timeout_secs': ['0', '61'],
  'dns.ixfr_condense': ['1'],
  'dns.tcp_max_connections': ['0', '65536'],
  'dns.tcp_queries_in_work': ['0', '65536', '1.5'],
  'dns.tcp_idle_timeout_secs': ['0', '6554', 'inf'],
  'dns.import.timeout_secs': ['0', '86401'],
  'dns.import.max_records': ['0', '1000000001'],
  'dns.import.max_bytes': ['1048575', '1099511627777'],
  'dns.zone_defaults.default_ttl': ['59', '604801'],
  'dns.zone_defaults.refresh': ['0', '2147483648'],
  'dns.zone_defaults.retry': ['0', '2147483648'],
  'dns.zone_defaults.expire': ['0', '2147483648'],
  'dns.zone_defaults.minimum_ttl': ['0', '2147483648'],
  'dns.guard.max_delete_percent': ['-1', '101'],
  'dns.guard.max_deletes': ['-1', '1000000001'],
  'dns.guard.min_records': ['-1', '1000000001'],
  'dns.scheduler_interval_secs': ['-1', '604801'],
  'dns.zone_history_retention_days': ['-1', '36501'],
  'dns.signer_history_retention_days': ['-1', '36501'],
  'outbound.deny': ['"multicast"', '[1]', '["private"]', '["192.0.2.1/33"]', '["ns1.example"]'],
  'outbound.allow': ['["link-local"]', '["fe80::1%eth0"]', '["::1/129"]', '[""]', 'true'],
  'outbound.ca_file': ['""', 'true'],
  'dnssec.key_encryption_file': ['""', '0'],
  'logging.level': ['"trace"', '"INFO"', '0'],
  'logging.format': ['"xml"', 'true'],
};

/** A good value of every key other than its default: as TOML, as variable, as it is read. */
const goodValues: Record<string, [toml: string, variable: string, read: unknown]> = {
  data_dir: ['"/srv/z"', '/srv/z', '/srv/z'],
  'api.listen_addr': ['"::1"', '::1', '::1'],
  'api.host_name': ['"DNS.Example.org."', 'DNS.Example.org.', 'dns.example.org'],
  'dns.listen_addr': ['"0.0.0.0"', '0.0.0.0', '0.0.0.0'],
  'dns.catalog_zone_name': ['"Cat.Example.ORG."', 'Cat.Example.ORG.', 'cat.example.org'],
  'database.checkpoints': ['"external"', 'external', 'external'],
  'api.console': ['"off"', 'off', 'off'],
  'api.console_path': ['"/dns/Zone-book_1.0"', '/dns/Zone-book_1.0', '/dns/Zone-book_1.0'],
  'dns.nsid': ['"näme"', 'näme', 'näme'],
  'outbound.deny': [
    '["multicast", "10.0.0.0/8"]',
    'multicast, 10.0.0.0/8',
    ['multicast', '10.0.0.0/8'],
  ],
  'outbound.allow': ['["::1", "10.0.0.0/8"]', '::1,10.0.0.0/8', ['::1', '10.0.0.0/8']],
  'outbound.ca_file': ['"/etc/ca.pem"', '/etc/ca.pem', '/etc/ca.pem'],
  'dnssec.key_encryption_file': ['"/etc/z.key"', '/etc/z.key', '/etc/z.key'],
  'logging.level': ['"debug"', 'debug', 'debug'],
  'logging.format': ['"json"', 'json', 'json'],
};

it('no page may be at a path of the interface', () => {
  const first = routes.map(({ path }) => path.split('/')[1]!);
  expect([...interfaceSegments]).toEqual([...new Set(first)].sort());
});

describe('every key', () => {
  it('has bad values in the table', () => {
    expect(Object.keys(badValues)).toEqual(configKeys.map((key) => key.path));
  });

  it('has a variable of its own', () => {
    expect(new Set(configKeys.map(variableOf)).size).toBe(configKeys.length);
  });

  describe.each(configKeys.map((key) => [key.path, key] as const))('%s', (path, key) => {
    it.each(badValues[path]!)('refuses %s', (value) => {
      const problems = problemsOf(() => load(documentOf(path, value)));
      const found = problems.find((problem) => problem.key === path);
      expect(found, JSON.stringify(problems)).toBeDefined();
      expect(found!.problem).not.toBe('');
      expect(found!.allowed).not.toBe('');
    });

    it('refuses a bad variable by its name', () => {
      const bad = key.range === 'path' || key.range === 'text' ? '' : 'no such thing';
      const problems = problemsOf(() => loadConfig({ env: { [variableOf(key)]: bad }, cwd }));
      expect(problems.map((problem) => problem.key)).toContain(variableOf(key));
    });

    if (path.startsWith('api.tls_')) return;
    const [toml, variable, read] = goodValues[path] ?? otherValue(key);

    it('is read from the file', () => {
      expect(settingsOf(load(documentOf(path, toml)))[path]).toEqual(read);
    });

    it('is overridden by its variable', () => {
      const config = loadConfig({ env: { [variableOf(key)]: variable }, cwd });
      expect(settingsOf(config)[path]).toEqual(read);
    });
  });
});

function otherValue(key: (typeof configKeys)[number]): [string, string, unknown] {
  const [, greatest] = / to (\d+)$/.exec(key.range) ?? [];
  if (greatest !== undefined) return [greatest, greatest, Number(greatest)];
  return [`${!key.default}`, `${!key.default}`, !key.default];
}

describe('defaults', () => {
  it('are those of the documentation', () => {
    expect(loadConfig({ env: {}, cwd })).toEqual({
      configFile: undefined,
      dataDir: join(cwd, 'data'),
      database: { checkpoints: 'own', walWarnBytes: 1_073_741_824, verifyIntervalHours: 24 },
      api: {
        listenAddr: '127.0.0.1',
        listenPort: 3000,
        authenticationRequired: true,
        metricsEnabled: true,
        openapiEnabled: false,
        externalDnsEnabled: false,
        insecure: false,
        hostName: undefined,
        maxImportBytes: 268_435_456,
        maxBodiesBytes: 268_435_456,
        authFailuresPerMinute: 300,
        console: 'auto',
        consolePath: '/console',
        sessionIdleHours: 12,
        sessionMaxDays: 7,
        tlsCertFile: undefined,
        tlsKeyFile: undefined,
      },
      dns: {
        listenAddr: '127.0.0.1',
        listenPort: 5300,
        answerQueries: true,
        catalogZoneName: 'catalog.invalid',
        rrl: { responsesPerSecond: 200, slip: 2 },
        cookies: true,
        guard: { maxDeletePercent: 30, maxDeletes: 1000, minRecords: 20 },
        nsid: undefined,
        nsupdateTsigRequired: true,
        updateWaitSecs: 0,
        notify: { batchMs: 0, retries: 3, timeoutSecs: 3 },
        ixfrCondense: true,
        tcpMaxConnections: 128,
        tcpQueriesInWork: 16,
        tcpIdleTimeoutSecs: 30,
        import: { timeoutSecs: 30, maxRecords: 5_000_000, maxBytes: 1_073_741_824 },
        zoneDefaults: {
          defaultTtl: 3600,
          refresh: 300,
          retry: 60,
          expire: 3_600_000,
          minimumTtl: 86_400,
        },
        lintIntervalHours: 24,
        servedCheckIntervalHours: 24,
        schedulerIntervalSecs: 3600,
        zoneHistoryRetentionDays: 0,
        signerHistoryRetentionDays: 30,
      },
      outbound: {
        deny: ['unspecified', 'link-local', 'multicast', 'broadcast', 'own-listeners'],
        allow: [],
        caFile: undefined,
      },
      dnssec: { keyEncryptionFile: join(cwd, 'data', 'keys.key') },
      logging: { level: 'info', format: 'text' },
    });
  });

  it('put the key file beside the database', () => {
    const config = loadConfig({ env: {}, cwd, overrides: { dataDir: '/srv/zones' } });
    expect(config.dataDir).toBe('/srv/zones');
    expect(config.dnssec.keyEncryptionFile).toBe('/srv/zones/keys.key');
  });
});

describe('search order', () => {
  it('is --config, ZONEBOOK_CONFIG, zonebook.toml, defaults', () => {
    const folder = mkdtempSync(join(cwd, 'order-'));
    const env = { ZONEBOOK_CONFIG: file('api.listen_port = 2') };
    writeFileSync(join(folder, 'zonebook.toml'), 'api.listen_port = 3');
    const portOf = (request: object) => loadConfig({ cwd: folder, ...request }).api.listenPort;
    expect(portOf({ env, file: file('api.listen_port = 1') })).toBe(1);
    expect(portOf({ env })).toBe(2);
    expect(portOf({ env: {} })).toBe(3);
    expect(portOf({ env: {}, cwd })).toBe(3000);
  });

  it('refuses a named file that is missing', () => {
    expect(problemsOf(() => loadConfig({ file: 'none.toml', env: {}, cwd }))).toMatchObject([
      { key: '--config', problem: expect.stringContaining('no such file') },
    ]);
    const env = { ZONEBOOK_CONFIG: 'none.toml' };
    expect(problemsOf(() => loadConfig({ env, cwd }))).toMatchObject([{ key: 'ZONEBOOK_CONFIG' }]);
  });

  it('refuses a folder in place of a file', () => {
    expect(problemsOf(() => loadConfig({ file: cwd, env: {}, cwd }))).toHaveLength(1);
  });

  it('lets variables win over the file and arguments over both', () => {
    const text = 'data_dir = "/a"\n[logging]\nlevel = "warn"';
    const env = { ZONEBOOK_DATA_DIR: '/b', ZONEBOOK_LOGGING_LEVEL: 'error' };
    const config = loadConfig({ file: file(text), env, cwd, overrides: { dataDir: '/c' } });
    expect([config.dataDir, config.logging.level]).toEqual(['/c', 'error']);
  });
});

describe('refusals', () => {
  it('come all at once', () => {
    const text =
      'data_dri = "x"\napi.listen_port = 70000\n[dns.notify]\nbatch = 1\n[telemetry]\na = 1';
    const env = { ZONEBOOK_API_PORT: '1', ZONEBOOK_DNS_NOTIFY_RETRIES: 'many', OTHER: 'x' };
    const problems = problemsOf(() => load(text, env));
    expect(problems.map((problem) => problem.key)).toEqual([
      'data_dri',
      'api.listen_port',
      'dns.notify.batch',
      'telemetry',
      'ZONEBOOK_API_PORT',
      'ZONEBOOK_DNS_NOTIFY_RETRIES',
    ]);
    expect(problems[2]!.allowed).toBe('batch_ms, retries, timeout_secs');
    expect(problems[1]!.allowed).toBe('an integer from 0 to 65535');
  });

  it('name a value where a section belongs, and a section where a value belongs', () => {
    expect(problemsOf(() => load('api = 3'))).toMatchObject([{ key: 'api' }]);
    expect(problemsOf(() => load('[[api]]\nlisten_port = 1'))).toMatchObject([{ key: 'api' }]);
    expect(problemsOf(() => load('[data_dir]\nx = 1'))).toMatchObject([
      { key: 'data_dir', problem: 'a section is not a string' },
    ]);
  });

  it('take names of object members for unknown keys', () => {
    const problems = problemsOf(() =>
      load('constructor = 1\n[__proto__]\nx = 1\n[api]\ntoString = 1'),
    );
    expect(problems.map((problem) => problem.key)).toEqual([
      'constructor',
      '__proto__',
      'api.toString',
    ]);
  });

  it('name the line of a syntax error', () => {
    const path = file('[api]\nlisten_port = = 1');
    expect(problemsOf(() => loadConfig({ file: path, env: {}, cwd }))).toMatchObject([
      { key: path, problem: expect.stringMatching(/^line 2, column \d+: /) },
    ]);
  });

  it('let pass the variables of the client', () => {
    const env = { ZONEBOOK_URL: 'http://127.0.0.1:1', ZONEBOOK_TOKEN: 'zb_x' };
    expect(problemsOf(() => loadConfig({ env, cwd }))).toEqual([]);
  });

  it('refuse an empty --data-dir', () => {
    const attempt = () => loadConfig({ env: {}, cwd, overrides: { dataDir: '' } });
    expect(problemsOf(attempt)).toMatchObject([{ key: '--data-dir' }]);
  });
});

describe('authentication switched off', () => {
  const off = 'api.authentication_required = false\n';

  it('is for loopback', () => {
    for (const address of [
      '127.0.0.1',
      '127.1.2.3:3001',
      '::1',
      '[::1]:3000',
      '::ffff:127.0.0.1',
    ]) {
      expect(problemsOf(() => load(`${off}api.listen_addr = "${address}"`))).toEqual([]);
    }
    expect(problemsOf(() => load(off))).toEqual([]);
    for (const address of ['0.0.0.0', '::', '192.0.2.1:3000', '10.0.0.1', '::ffff:10.0.0.1']) {
      expect(problemsOf(() => load(`${off}api.listen_addr = "${address}"`))).toMatchObject([
        { key: 'api.listen_addr', allowed: expect.stringContaining('api.insecure = true') },
      ]);
      expect(problemsOf(() => load(`api.listen_addr = "${address}"`))).toEqual([]);
    }
  });

  it('is for other hosts when that is said to be insecure', () => {
    const config = load(`${off}api.listen_addr = "0.0.0.0"\napi.insecure = true`);
    expect([config.api.listenAddr, config.api.insecure]).toEqual(['0.0.0.0', true]);
  });
});

describe('TLS', () => {
  it('needs both files or neither', () => {
    expect(problemsOf(() => load('api.tls_cert_file = "c.pem"'))).toMatchObject([
      { key: 'api.tls_key_file' },
    ]);
    expect(problemsOf(() => load('api.tls_key_file = "k.pem"'))).toMatchObject([
      { key: 'api.tls_cert_file' },
    ]);
    const config = load('[api]\ntls_cert_file = "c.pem"\ntls_key_file = "/k.pem"');
    expect([config.api.tlsCertFile, config.api.tlsKeyFile]).toEqual([join(cwd, 'c.pem'), '/k.pem']);
  });
});

describe.each(['api', 'dns'] as const)('%s listen_addr', (section) => {
  const variable = (name: string) => `ZONEBOOK_${section.toUpperCase()}_LISTEN_${name}`;
  const listen = (text: string, env: Record<string, string> = {}) => {
    const { listenAddr, listenPort } = load(`[${section}]\n${text}`, env)[section];
    return [listenAddr, listenPort];
  };

  it('may carry the port', () => {
    expect(listen('listen_addr = "127.0.0.2:8053"')).toEqual(['127.0.0.2', 8053]);
    expect(listen('listen_addr = "[::1]:8053"')).toEqual(['::1', 8053]);
    expect(listen('listen_addr = "[::1]"\nlisten_port = 8053')).toEqual(['::1', 8053]);
    expect(listen('listen_addr = "::1"\nlisten_port = 8053')).toEqual(['::1', 8053]);
  });

  it('must agree with a port said beside it', () => {
    const both = 'listen_addr = "127.0.0.1:8053"\nlisten_port = ';
    expect(listen(`${both}8053`)).toEqual(['127.0.0.1', 8053]);
    expect(problemsOf(() => listen(`${both}8054`))).toMatchObject([
      { key: `${section}.listen_port`, problem: expect.stringContaining('disagrees') },
    ]);
    const env = { [variable('ADDR')]: '127.0.0.1:8053', [variable('PORT')]: '8054' };
    expect(problemsOf(() => listen('', env))).toHaveLength(1);
  });

  it('is overridden by variables, whichever says the port', () => {
    const port = { [variable('PORT')]: '9000' };
    expect(listen('listen_addr = "127.0.0.1:8053"', port)).toEqual(['127.0.0.1', 9000]);
    const address = { [variable('ADDR')]: '127.0.0.3:9000' };
    expect(listen('listen_port = 8053', address)).toEqual(['127.0.0.3', 9000]);
  });
});

describe('printing', () => {
  it('reads back as the same configuration', () => {
    const text = `data_dir = "/srv/a \\"b\\""
      [api]
      listen_addr = "[2001:db8::1]:8443"
      tls_cert_file = "/c.pem"
      tls_key_file = "/k.pem"
      [dns.notify]
      batch_ms = 250
      [logging]
      format = "json"`;
    const config = load(text);
    const path = file(printConfig(config));
    expect(loadConfig({ file: path, env: {}, cwd })).toEqual({ ...config, configFile: path });
  });

  it('says every key, those that are unset too', () => {
    const printed = printConfig(loadConfig({ env: {}, cwd }));
    for (const key of configKeys) {
      expect(printed).toContain(key.doc);
      expect(printed).toMatch(new RegExp(`^(# )?${key.path.split('.').at(-1)} (=|is unset)`, 'm'));
    }
  });
});
