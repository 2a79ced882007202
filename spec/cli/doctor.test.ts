/** `zonebook doctor` against a service of its own: healthy, then with each thing broken (decisions 14). */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../src/cli/client.ts';
import type { CheckResult } from '../../src/cli/doctor/check-result.ts';
import { dayMs } from '../../src/base/clock.ts';
import { validityResult } from '../../src/cli/doctor/service.ts';
import { openDatabase } from '../../src/journal/database.ts';
import { makeCertificateFrom, makeCertificates } from '../support/certificates.ts';
import { run } from '../support/command-line.ts';
import { needsPeers } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';
import { suspendProcess } from '../support/processes.ts';
import { type RunningService, startService } from '../support/service.ts';
import { FakeSecondary } from './fake-secondary.ts';

const catalog = 'catalog.invalid';
const zone = 'example.com';
const none = join(tmpdir(), 'zonebook-no-such-file.pem');
const soa = { mname: 'ns1.example.net', rname: 'hostmaster@example.com' };

interface Examined {
  readonly code: number;
  readonly healthy: boolean;
  readonly findings: readonly CheckResult[];
}

async function examine(
  words: readonly string[],
  env: Record<string, string>,
  dataDir?: string,
): Promise<Examined> {
  const { code, out, err } = await run(['doctor', ...words, '-o', 'json'], {
    env,
    ...(dataDir === undefined ? {} : { dataDir }),
  });
  expect(err).toBe('');
  return { code, ...JSON.parse(out) };
}

/** What a check found: its result and message, and that a failure says what to do. */
function found({ findings }: Examined, check: string): string[] {
  const of = findings.filter((finding) => finding.check === check);
  for (const { result, what_to_do } of of) {
    if (result === 'FAIL') expect(what_to_do).toMatch(/\w/);
  }
  return of.map(({ result, message }) => `${result} ${message}`);
}

/** What to do about the secondary. */
const adviceOf = ({ findings }: Examined) =>
  findings.find(({ check }) => check === 'secondary ns2')?.what_to_do ?? '';

/** The checks that fail, each once. */
function failing(examined: Examined): string[] {
  const failed = examined.findings.filter(({ result }) => result === 'FAIL');
  expect([examined.code, examined.healthy]).toEqual(failed.length > 0 ? [1, false] : [0, true]);
  return [...new Set(failed.map(({ check }) => check))];
}

describe('on the host of a running service', () => {
  let service: RunningService;
  /** Over the local socket, which needs no token. */
  let api: Client;
  let secondary: FakeSecondary;
  let env: Record<string, string>;
  const quick = {
    ZONEBOOK_DNS_NOTIFY_RETRIES: '0',
    ZONEBOOK_DNS_NOTIFY_TIMEOUT_SECS: '10',
    ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true',
  };
  const doctor = (changed: Record<string, string> = {}) =>
    examine([], { ...env, ...changed }, service.dataDir);
  const serialOf = async (name: string) =>
    (await api.get<{ zone: { serial: number } }>(`/zones/${name}`)).zone.serial;

  beforeAll(async () => {
    service = await startService(quick);
    env = {
      ...quick,
      ZONEBOOK_API_LISTEN_PORT: String(service.apiPort),
      ZONEBOOK_DNS_LISTEN_PORT: String(service.dnsPort),
    };
    api = new Client({ kind: 'socket', path: join(service.dataDir, 'zonebook.sock') });
    secondary = await FakeSecondary.start();
    await api.post('/zones', { name: zone, ...soa });
    const address = `127.0.0.1:${secondary.port}`;
    await api.post('/secondaries', { name: 'ns2', address });
    const { catalog_serial } = await api.post<{ catalog_serial: number }>(
      '/secondaries/ns2/check',
      undefined,
    );
    secondary.serials.set(catalog, catalog_serial).set(zone, await serialOf(zone));
  });
  afterAll(async () => {
    api.close();
    secondary.close();
    await service[Symbol.asyncDispose]();
  });

  it('finds nothing wrong where nothing is', async () => {
    const examined = await doctor();
    expect(failing(examined)).toEqual([]);
    const oks = examined.findings.filter(({ result }) => result === 'OK');
    expect(oks.map(({ check }) => check)).toEqual([
      ...[
        'configuration',
        'files',
        'disk space',
        'database',
        'key file',
        'journal',
        'apex ns',
        'wal',
      ],
      ...['api', 'api network', 'dns', 'catalog', 'secondary ns2', 'notify ns2'],
      ...['lint', 'clock'],
    ]);
    expect(found(examined, 'dns')[0]).toContain(`${zone} at serial ${await serialOf(zone)}`);
    expect(found(examined, 'journal')[0]).toMatch(/^OK the chain of all \d+ events is intact$/);
    expect(found(examined, 'ds')).toEqual(['SKIP no zone is signed']);
    const { code, out } = await run(['doctor', '-o', 'table'], { env, dataDir: service.dataDir });
    expect(code).toBe(0);
    expect(out).toMatch(/^OK {4}configuration {5}usable: /);
    expect(out).toMatch(/\n16 ok, 1 warned, 0 failed, 2 skipped\n$/);
  });

  it('finds a configuration that can not be used, and looks no further', async () => {
    const examined = await doctor({ ZONEBOOK_API_LISTEN_PORT: 'x', ZONEBOOK_NOTHING: '1' });
    expect(failing(examined)).toEqual(['configuration']);
    expect(found(examined, 'configuration')).toHaveLength(2);
    const others = examined.findings.filter(({ check }) => check !== 'configuration');
    expect(others.length).toBeGreaterThan(8);
    expect(others.every(({ result }) => result === 'SKIP')).toBe(true);
  });

  it.each([
    ['a file of TLS', 'api.tls_cert_file', { API_TLS_CERT_FILE: none, API_TLS_KEY_FILE: none }],
    ['authorities that are missing', 'outbound.ca_file', { OUTBOUND_CA_FILE: none }],
    ['two listeners on one port', 'dns.listen_port', { DNS_LISTEN_PORT: 'as api' }],
  ])('finds what keeps a service from starting: %s', async (_, key, changed) => {
    const settings = Object.entries(changed).map(([name, value]) => [
      `ZONEBOOK_${name}`,
      value === 'as api' ? String(service.apiPort) : value,
    ]);
    const examined = await doctor(Object.fromEntries(settings));
    expect(failing(examined)).toContain('configuration');
    expect(found(examined, 'configuration')[0]).toContain(`FAIL ${key}: `);
    // A service that runs with what was there before is looked at all the same.
    expect(found(examined, 'journal')[0]).toMatch(/^OK /);
    expect(found(examined, 'api')[0]).toMatch(/^OK /);
    const folder = mkdtempSync(join(tmpdir(), 'zonebook-doctor-'));
    const stopped = await examine([], { ...env, ...Object.fromEntries(settings) }, folder);
    rmSync(folder, { recursive: true });
    const { what_to_do: advice } = stopped.findings.find(({ check }) => check === 'api') ?? {};
    expect(advice).toContain('put right what is said of the configuration above');
  });

  it('finds zones without apex NS, which others refuse', async () => {
    expect(found(await doctor(), 'apex ns')).toEqual([
      'OK all 1 enabled zones have NS at their apex',
    ]);
    const bare = Array.from({ length: 7 }, (_, index) => `bare${index}.example`);
    for (const name of bare) await api.post('/zones', { name, ...soa, apex_ns: false });
    await api.ask('PUT', '/zones/bare0.example', {}, { enabled: false });
    const examined = await doctor();
    expect(failing(examined)).toContain('apex ns');
    expect(found(examined, 'apex ns')).toEqual([
      `FAIL no NS at the apex of ${bare.slice(1, 6).join(', ')} and 1 more: secondaries refuse to load such a zone`,
    ]);
    for (const name of bare) await api.ask('DELETE', `/zones/${name}`, {});
    const { catalog_serial } = await api.post<{ catalog_serial: number }>(
      '/secondaries/ns2/check',
      undefined,
    );
    secondary.serials.set(catalog, catalog_serial);
  });

  it('finds files that others can read', async () => {
    const keyFile = join(service.dataDir, 'keys.key');
    chmodSync(keyFile, 0o640);
    chmodSync(service.dataDir, 0o755);
    chmodSync(join(service.dataDir, 'zonebook.sock'), 0o666);
    const examined = await doctor();
    expect(failing(examined)).toEqual(['files']);
    expect(found(examined, 'files')).toEqual([
      `FAIL ${service.dataDir} has mode 0755: others can use it`,
      `FAIL ${keyFile} has mode 0640: others can use it`,
      `FAIL ${service.dataDir}/zonebook.sock has mode 0666: others can use it`,
    ]);
    expect(examined.findings.find(({ check }) => check === 'files')?.what_to_do).toBe(
      `chmod 700 ${service.dataDir}`,
    );
    chmodSync(keyFile, 0o600);
    chmodSync(service.dataDir, 0o700);
    chmodSync(join(service.dataDir, 'zonebook.sock'), 0o600);
  });

  it('finds a folder in which its owner can not make files', async () => {
    chmodSync(service.dataDir, 0o500);
    try {
      expect(found(await doctor(), 'files')).toEqual([
        `FAIL ${service.dataDir} has mode 0500: its owner can not make files in it`,
      ]);
    } finally {
      chmodSync(service.dataDir, 0o700);
    }
  });

  it('finds listeners that are not where the configuration says', async () => {
    const port = String(await freePort());
    const apiPort = String(await freePort());
    const examined = await doctor({
      ZONEBOOK_API_LISTEN_PORT: apiPort,
      ZONEBOOK_DNS_LISTEN_PORT: port,
    });
    expect(failing(examined)).toEqual(['api network', 'dns', 'catalog']);
    expect(found(examined, 'api network')[0]).toContain(`${apiPort} does not answer: ECONNREFUSED`);
    expect(found(examined, 'dns')[0]).toContain(`127.0.0.1:${port} can not be reached`);
  });

  it('finds another server in the place of the DNS listener', async () => {
    const other = await FakeSecondary.start();
    try {
      other.serials.set(zone, 1234).set(catalog, 0);
      const examined = await doctor({ ZONEBOOK_DNS_LISTEN_PORT: String(other.port) });
      expect(failing(examined)).toEqual(['dns', 'catalog']);
      expect(found(examined, 'dns')[0]).toContain(`${zone} is at serial 1234 over DNS and`);
      expect(found(examined, 'catalog')[0]).toContain('but at 0 over DNS');
      other.serials.delete(zone);
      expect(found(await doctor({ ZONEBOOK_DNS_LISTEN_PORT: String(other.port) }), 'dns')).toEqual([
        `FAIL no SOA of ${zone}: 127.0.0.1:${other.port} answered REFUSED`,
      ]);
    } finally {
      other.close();
    }
  });

  it('finds secondaries that lag, are ahead, or do not serve a zone', async () => {
    const serial = await serialOf(zone);
    const wrong = [
      [serial - 1, `${zone} lagging (${serial - 1}, ours is ${serial})`],
      [serial + 1, `${zone} ahead (${serial + 1}, ours is ${serial})`],
      [undefined, `${zone} not served (127.0.0.1:${secondary.port} answered REFUSED)`],
    ] as const;
    for (const [theirs, says] of wrong) {
      if (theirs === undefined) secondary.serials.delete(zone);
      else secondary.serials.set(zone, theirs);
      const examined = await doctor();
      expect([theirs, failing(examined)]).toEqual([theirs, ['secondary ns2']]);
      expect(found(examined, 'secondary ns2')[0]).toContain(
        `FAIL 1 of 1 zones are not in sync: ${says}`,
      );
      for (const advice of ['serve --recover', 'another primary too', '--bump-serial']) {
        expect(adviceOf(examined).includes(advice)).toBe(says.includes('ahead'));
      }
    }
    secondary.serials.set(zone, serial);
  });

  it('finds secondaries whose catalog lags, or is ahead whatever the serials of zones are', async () => {
    const serial = await serialOf(zone);
    const ours = secondary.serials.get(catalog)!;
    for (const [theirs, says, advice] of [
      [ours - 1, 'lagging', `'zonebook zone notify ${catalog}' tells it again`],
      [ours + 1, 'ahead', 'serve --recover'],
    ] as const) {
      secondary.serials.set(catalog, theirs);
      const examined = await doctor();
      expect(failing(examined)).toEqual(['secondary ns2']);
      const state = `${catalog} ${says} (${theirs}, ours is ${ours})`;
      expect(found(examined, 'secondary ns2')).toEqual([`FAIL ${state}`]);
      expect(adviceOf(examined)).toContain(advice);
    }
    // A zone that lags besides, because both counted on from different places.
    secondary.serials.set(zone, serial - 1);
    expect(adviceOf(await doctor())).toContain('serve --recover');
    secondary.serials.set(zone, serial).set(catalog, ours);
  });

  it('takes a zone that catches up meanwhile for one in sync', async () => {
    const serial = await serialOf(zone);
    secondary.serials.set(zone, serial - 1);
    let asked = 0;
    secondary.afterAnswer = (name) => {
      if (name !== zone) return;
      asked++;
      secondary.serials.set(zone, serial);
    };
    expect(failing(await doctor())).toEqual([]);
    secondary.afterAnswer = () => {};
    expect(asked).toBeGreaterThan(1);
  });

  it('finds a NOTIFY that is refused, with a catalog and without', async () => {
    secondary.takesNotify = false;
    const examined = await doctor();
    expect(failing(examined)).toEqual(['notify ns2']);
    expect(found(examined, 'notify ns2')[0]).toMatch(/^FAIL 127\.0\.0\.1: .*REFUSED/);

    const ours = secondary.serials.get(catalog)!;
    secondary.serials.delete(catalog);
    const plain = await doctor();
    expect(failing(plain)).toEqual(['notify ns2']);
    expect(found(plain, 'notify ns2')[0]).toContain("NOTIFY failed for secondary 'ns2'");
    expect(found(plain, 'secondary ns2')).toEqual(['OK 1 zones in sync; it reads no catalog']);
    const { out } = await run(['secondary', 'check', 'ns2'], { env, dataDir: service.dataDir });
    expect(out).toMatch(/^catalog\.invalid +it reads no catalog, and needs none for zones that/m);
    expect(out).toMatch(/^NOTIFY to \S+ +of the catalog, which it does not read: .*REFUSED/m);
    expect(out).toMatch(/^its zones +'zonebook zone status ZONE' asks it for one$/m);
    secondary.takesNotify = true;
    const accepted = await doctor();
    expect(failing(accepted)).toEqual([]);
    expect(found(accepted, 'notify ns2')).toEqual([`OK accepted for ${zone}; it reads no catalog`]);
    secondary.serials.set(catalog, ours);
  });

  it('tells a catalog that is hidden from this host from none', async () => {
    secondary.hidden.add(catalog);
    const examined = await doctor();
    expect(failing(examined)).toEqual([]);
    const says = 'and does not show it to this host';
    expect(found(examined, 'secondary ns2')).toEqual([
      `OK 1 zones in sync; it takes NOTIFY for ${catalog}, ${says}`,
    ]);
    expect(found(examined, 'notify ns2')).toEqual([`OK accepted for ${catalog}`]);
    const { out } = await run(['secondary', 'check', 'ns2'], { env, dataDir: service.dataDir });
    expect(out).toMatch(
      /^catalog\.invalid +it takes NOTIFY for it, and does not show it to this host/m,
    );
    expect(out).toMatch(/^NOTIFY to \S+ +acknowledged$/m);
    expect(out).not.toMatch(/^its zones/m);
    secondary.hidden.delete(catalog);
  });

  it('finds secondaries that are not there, and passes over disabled ones', async () => {
    const lost = { name: 'lost', address: `127.0.0.2:${await freePort('127.0.0.2')}` };
    await api.post('/secondaries', lost);
    await api.post('/secondaries', { name: 'nowhere', address: 'nowhere.invalid' });
    await api.post('/secondaries', { name: 'off', address: '127.0.0.3' });
    await api.ask('PUT', '/secondaries/off', {}, { enabled: false });
    const examined = await doctor();
    expect(failing(examined)).toEqual(['secondary lost', 'notify lost', 'secondary nowhere']);
    expect(found(examined, 'secondary nowhere')[0]).toContain('nowhere.invalid does not resolve');
    expect(found(examined, 'secondary off')).toEqual(['SKIP it is disabled']);
    expect(found(examined, 'secondary ns2')[0]).toMatch(/^OK /);
    for (const name of ['lost', 'nowhere', 'off']) {
      await api.ask('DELETE', `/secondaries/${name}`, {});
    }
  });

  it('tells a role that may not look from something that is wrong', async () => {
    const cli = (...words: string[]) => run(words, { dataDir: service.dataDir });
    await cli('role', 'create', 'reader');
    await cli('role', 'grant', 'reader', '--actions', 'zone:read');
    const { secret } = JSON.parse(
      (await cli('token', 'create', 'r', '--role', 'reader', '-o', 'json')).out,
    );
    const url = `http://127.0.0.1:${service.apiPort}`;
    const examined = await examine(['--url', url], { ZONEBOOK_TOKEN: secret });
    expect(failing(examined)).toEqual([]);
    expect(found(examined, 'files')).toEqual(['SKIP the service is elsewhere']);
    expect(found(examined, 'secondaries')).toEqual(['SKIP there are none that the token may see']);
    await cli('role', 'grant', 'reader', '--actions', 'secondary:read');
    const more = await examine(['--url', url], { ZONEBOOK_TOKEN: secret });
    expect(failing(more)).toEqual([]);
    expect(found(more, 'secondary ns2')[0]).toMatch(/^SKIP .*secondary:manage/);
  });

  it('sees from outside what the service tells of itself', async () => {
    const cli = (...words: string[]) => run(words, { dataDir: service.dataDir });
    const { secret } = JSON.parse(
      (await cli('token', 'create', 'a', '--role', 'admin', '-o', 'json')).out,
    );
    const url = `http://127.0.0.1:${service.apiPort}`;
    const examined = await examine(['--url', url], { ZONEBOOK_TOKEN: secret });
    expect(failing(examined)).toEqual([]);
    expect(found(examined, 'dns')).toEqual(['OK the listener of the service answers it']);
    expect(found(examined, 'catalog')[0]).toMatch(/^OK catalog\.invalid is at serial \d+$/);
    expect(found(examined, 'clock')[0]).toMatch(/^OK .* agrees with the service$/);
  });

  it('finds a service that hangs, and one that is stopped', async () => {
    await suspendProcess(service.pid);
    const hung = await doctor().finally(() => process.kill(service.pid, 'SIGCONT'));
    expect(failing(hung)).toEqual(['api']);
    expect(found(hung, 'api')[0]).toContain('no answer within 5 s');
    await service.end();
    const stopped = await doctor();
    expect(failing(stopped)).toEqual(['api']);
    expect(found(stopped, 'api')[0]).toContain('no service is running at');
    expect(found(stopped, 'secondaries')).toEqual(['SKIP the service can not be asked']);
    expect(found(stopped, 'journal')[0]).toMatch(/^OK /);
    expect(found(stopped, 'catalog')[0]).toMatch(/^OK /);
    await service.start();
  });

  describe('whose files are', () => {
    const copies: string[] = [];
    beforeAll(async () => {
      await service.end();
    });
    afterAll(async () => {
      await service.start();
      for (const copy of copies) rmSync(copy, { recursive: true, force: true });
    });

    /** The findings of a check on a copy of the data folder after something was done to it. */
    async function afterHarm(check: string, harm: (folder: string) => void): Promise<string[]> {
      const copy = mkdtempSync(join(tmpdir(), 'zonebook-doctor-'));
      copies.push(copy);
      cpSync(service.dataDir, copy, { recursive: true });
      harm(copy);
      const examined = await examine([], env, copy);
      expect(failing(examined)).toContain(check);
      return found(examined, check);
    }

    function change(folder: string, sql: string): void {
      const database = new Sqlite(join(folder, 'zonebook.db'));
      const triggers = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'");
      for (const { name } of triggers.all() as { name: string }[]) {
        database.exec(`DROP TRIGGER "${name}"`);
      }
      database.exec(sql);
      database.close();
    }

    it('damaged: the pages, the tables, the chain', async () => {
      const torn = await afterHarm('database', (folder) => {
        const file = join(folder, 'zonebook.db');
        truncateSync(file, readFileSync(file).length / 2);
      });
      expect(torn[0]).toMatch(/is damaged|malformed/);
      const foreign = await afterHarm('database', (folder) => {
        rmSync(join(folder, 'zonebook.db'));
        new Sqlite(join(folder, 'zonebook.db')).exec('CREATE TABLE other (x)').close();
      });
      expect(foreign[0]).toContain('is no database of zonebook');
      const missing = await afterHarm('database', (folder) => rmSync(join(folder, 'zonebook.db')));
      expect(missing[0]).toContain('there is no database at');
      const changed = await afterHarm('journal', (folder) => {
        change(folder, "UPDATE event SET change_source = 'api' WHERE seq = 2");
      });
      expect(changed).toEqual(['FAIL event 2 its hash is not that of its header']);
    });

    it('replicated by Litestream while the service checkpoints by itself', async () => {
      const table = await afterHarm('wal', (folder) => {
        change(folder, 'CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)');
      });
      expect(table[0]).toContain("is 'own', but it has Litestream's table _litestream_seq");
      const state = await afterHarm('wal', (folder) => {
        mkdirSync(join(folder, '.zonebook.db-litestream'));
      });
      expect(state[0]).toContain("is 'own', but Litestream's folder ");
    });

    it('waiting for a checkpoint of another program for more than an hour', async () => {
      const copy = mkdtempSync(join(tmpdir(), 'zonebook-doctor-'));
      copies.push(copy);
      cpSync(service.dataDir, copy, { recursive: true });
      const of = { ...env, ZONEBOOK_DATABASE_CHECKPOINTS: 'external' };
      // Events of long ago: all are in the database file, then some are not.
      const stored = openDatabase(copy, { checkpoints: 'own' });
      const { connection } = stored;
      const triggers = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'");
      for (const name of triggers.pluck().all()) connection.exec(`DROP TRIGGER "${String(name)}"`);
      connection.exec('UPDATE event SET at = at - 7200000');
      stored.close();
      expect(found(await examine([], of, copy), 'wal')[0]).toMatch(/^OK .* by another program$/);
      const waiting = openDatabase(copy, { checkpoints: 'external' });
      waiting.connection.exec('CREATE TABLE filling (content)');
      waiting.close();
      // Whole seconds, as a file system may keep no more.
      const daysAgo = new Date((Math.floor(Date.now() / 1000) - 3 * 86_400) * 1000);
      utimesSync(join(copy, 'zonebook.db'), daysAgo, daysAgo);
      const [late] = found(await examine([], of, copy), 'wal');
      expect(late).toMatch(
        /^FAIL \d+ bytes are in use, \d+ of them wait for a checkpoint; the last one was /,
      );
      expect(late).toContain(daysAgo.toISOString());
    });

    it('case 96: taken back, or without its epoch file', async () => {
      const lost = await afterHarm('epoch', (folder) => rmSync(join(folder, 'epoch')));
      expect(lost[0]).toContain('no epoch file that can be read');
      const behind = await afterHarm('epoch', (folder) => {
        writeFileSync(join(folder, 'epoch'), '{"epoch":1,"seq":1000000}');
      });
      expect(behind[0]).toContain('and event 1000000 was served from here');
    });

    it('of another service: the key file, the catalog', async () => {
      const key = await afterHarm('key file', (folder) => {
        writeFileSync(join(folder, 'keys.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`);
      });
      expect(key[0]).toContain('is not the key file of this database');
      const gone = await afterHarm('key file', (folder) => rmSync(join(folder, 'keys.key')));
      expect(gone[0]).toContain('keys.key is missing');
      const members = await afterHarm('catalog', (folder) => {
        change(folder, 'UPDATE catalog_change SET member_count = member_count + 1');
      });
      expect(members[0]).toMatch(/lists 2 zones, but 1 are enabled/);
    });

    it('from the future: the clock is behind, or was ahead', async () => {
      const ahead = await afterHarm('clock', (folder) => {
        change(
          folder,
          'UPDATE event SET at = at + 3600000 WHERE seq = (SELECT max(seq) FROM event)',
        );
      });
      expect(ahead[0]).toMatch(
        /^FAIL it is .*, and the last change .*: the clock is behind, or was ahead$/,
      );
    });

    it('too large for the disk', async () => {
      const full = await afterHarm('disk space', (folder) => {
        // Nothing of it is on the disk: it is one hole.
        truncateSync(join(folder, 'zonebook.db'), 2 ** 43);
      });
      expect(full[0]).toMatch(/the database has 8388608 MiB: too little for a copy of it/);
    });
  });
});

describe('with signed zones', () => {
  it('asks their parents for the DS', async () => {
    // The service is the parent as well, so it has to be let ask itself.
    const service = await startService({ ZONEBOOK_OUTBOUND_DENY: 'multicast,broadcast' });
    try {
      const { dataDir, dnsPort } = service;
      const env = {
        ZONEBOOK_API_LISTEN_PORT: String(service.apiPort),
        ZONEBOOK_DNS_LISTEN_PORT: String(dnsPort),
      };
      const must = async (...words: string[]) => {
        const { code, out, err } = await run([...words, '-o', 'json'], { dataDir });
        expect([words, code, err]).toEqual([words, 0, '']);
        return JSON.parse(out);
      };
      const names = ['--mname', soa.mname, '--rname', soa.rname];
      const child = 'child.example.com';
      await must('zone', 'create', zone, ...names);
      await must('zone', 'create', child, ...names);
      await must('record', 'create', zone, 'child', 'NS', 'ns1.example.net.');
      const parent = `127.0.0.1:${dnsPort}`;
      const { ds_records } = await must('dnssec', 'enable', child, '--parent-ns', parent);
      const [{ presentation }] = ds_records;

      const hidden = await examine([], env, dataDir);
      expect(failing(hidden)).toEqual([`ds ${child}`]);
      expect(found(hidden, `ds ${child}`)[0]).toContain('the parent serves no DS');
      const finding = hidden.findings.find(({ check }) => check === `ds ${child}`);
      expect(finding?.what_to_do).toBe(`give the parent: ${presentation}`);

      await must('record', 'create', zone, 'child', 'DS', ...presentation.split(' '));
      const shown = await examine([], env, dataDir);
      expect(failing(shown)).toEqual([]);
      expect(found(shown, `ds ${child}`)[0]).toMatch(
        /^OK every parent server serves the DS of key/,
      );

      await must('record', 'delete', zone, 'child', 'DS');
      const otherTag = (Number.parseInt(presentation, 10) + 1) % 65_536;
      const other = presentation.replace(/^\d+/, `${otherTag}`);
      await must('record', 'create', zone, 'child', 'DS', ...other.split(' '));
      const wrong = await examine([], env, dataDir);
      expect(found(wrong, `ds ${child}`)[0]).toContain(
        `FAIL the parent serves a DS of key ${otherTag}, none`,
      );

      const nobody = `127.0.0.1:${await freePort()}`;
      await must('dnssec', 'set', child, '--parent-ns', nobody);
      const silent = await examine([], env, dataDir);
      expect(failing(silent)).toEqual([`ds ${child}`]);
      expect(found(silent, `ds ${child}`)[0]).toContain(nobody);
    } finally {
      await service[Symbol.asyncDispose]();
    }
  });
});

describe('of a service elsewhere', () => {
  it('finds a clock that is late, from the time it says', async () => {
    const port = await freePort();
    const late = new Date(Date.now() - 3_600_000).toUTCString();
    const server = createServer((request, response) => {
      const body =
        request.url === '/health' ? { status: 'healthy' } : { items: [], pagination: {} };
      response.sendDate = false;
      response.writeHead(200, { 'content-type': 'application/json', date: late });
      response.end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    try {
      const examined = await examine(['--url', `http://127.0.0.1:${port}`], {});
      expect(failing(examined)).toEqual(['clock']);
      expect(found(examined, 'clock')[0]).toMatch(
        /^FAIL the service is 3\d{3}\.\d s behind this host$/,
      );
      expect(found(examined, 'database')).toEqual(['SKIP the service is elsewhere']);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  it('finds one that is not healthy, and a token that is refused', async () => {
    const port = await freePort();
    let health = { status: 'unhealthy' };
    const server = createServer((request, response) => {
      const isHealth = request.url === '/health';
      const refusal = { error: 'the token is unknown', code: 'INVALID_TOKEN' };
      const status = isHealth ? (health.status === 'healthy' ? 200 : 503) : 401;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isHealth ? health : refusal));
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${port}`;
      const sick = await examine(['--url', url], {});
      expect(failing(sick)).toEqual(['api']);
      expect(found(sick, 'api')).toEqual([`FAIL ${url} says unhealthy`]);
      health = { status: 'healthy' };
      const refused = await examine(['--url', url, '--token', 'x'], {});
      expect(failing(refused)).toEqual(['api']);
      expect(found(refused, 'api')).toEqual(['FAIL the token is unknown (INVALID_TOKEN)']);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});

needsPeers('openssl')('with TLS', () => {
  it('finds a certificate that is not valid yet', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'zonebook-tls-'));
    const { certificate, key } = makeCertificateFrom(folder, new Date(Date.now() + 400 * dayMs));
    const tls = { ZONEBOOK_API_TLS_CERT_FILE: certificate, ZONEBOOK_API_TLS_KEY_FILE: key };
    const service = await startService(tls);
    try {
      const env = { ...tls, ZONEBOOK_API_LISTEN_PORT: String(service.apiPort) };
      const [says] = found(await examine([], env, service.dataDir), 'api network');
      expect(says).toMatch(/^FAIL the certificate of https:.* is not valid before 2/);
    } finally {
      await service[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each([
    [8, 9, 'FAIL', 'is not valid before 2026-01-09T00:00:00.000Z, and it is 2026-01-01T00:00'],
    [-9, -1, 'FAIL', 'is not valid since 2025-12-31T00:00:00.000Z'],
    [-9, 6, 'FAIL', 'is good until 2026-01-07T00:00:00.000Z'],
    [0, 8, 'OK', 'is healthy, the certificate of https://x is good until 2026-01-09T00:00:00.000Z'],
  ])('judges one from day %i until day %i', (from, until, result, says) => {
    const now = Date.UTC(2026, 0, 1);
    const validity = { from: now + from * dayMs, until: now + until * dayMs };
    const found = validityResult('https://x', validity, now);
    expect(found).toMatchObject({ result, message: expect.stringContaining(says) });
    expect(found.what_to_do ?? '').toMatch(result === 'OK' ? /^$/ : /renew/);
  });

  it('finds a certificate that ends soon', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'zonebook-tls-'));
    const { certificate, key } = makeCertificates(folder, 'IP:127.0.0.1');
    chmodSync(key, 0o644);
    const tls = { ZONEBOOK_API_TLS_CERT_FILE: certificate, ZONEBOOK_API_TLS_KEY_FILE: key };
    const service = await startService(tls);
    try {
      const env = {
        ...tls,
        ZONEBOOK_API_LISTEN_PORT: String(service.apiPort),
        ZONEBOOK_DNS_LISTEN_PORT: String(service.dnsPort),
      };
      const examined = await examine([], env, service.dataDir);
      expect(failing(examined)).toEqual(['files', 'api network']);
      expect(found(examined, 'files')).toEqual([`FAIL ${key} has mode 0644: others can use it`]);
      expect(found(examined, 'api network')[0]).toMatch(
        /^FAIL the certificate of https:.* is good/,
      );
      expect(found(examined, 'dns')[0]).toContain('there is no enabled zone to ask for');
      expect(found(examined, 'secondaries')).toEqual(['SKIP there are none']);
    } finally {
      await service[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
