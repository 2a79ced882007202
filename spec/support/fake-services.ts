/** Services for tests of the HTTP door alone: a writer that remembers commands, one zone, no rows. */
import type { SeenEvent } from '../../src/query/event-reader.ts';
import { createHash } from 'node:crypto';
import type { ImportRequest } from '../../src/background/import/requests.ts';
import type { FailedSecondary } from '../../src/background/notify.ts';
import type { Probe, SecondaryCheck, SecondaryState } from '../../src/background/prober.ts';
import { openWorkers } from '../../src/background/workers.ts';
import { emptyName, nameToWire, parseAbsoluteName } from '../../src/dns/name.ts';
import { parseRdata } from '../../src/dns/rdata/rdata.ts';
import { parseType, rrtype } from '../../src/dns/rrtype.ts';
import { fullRights } from '../../src/domain/access/rights.ts';
import type { Command, CreateRecords, OutcomeOf } from '../../src/domain/command.ts';
import { diffRecords } from '../../src/domain/diff.ts';
import type { DnssecPolicy } from '../../src/domain/dnssec-policy.ts';
import { parseOwner, type ZoneRecord } from '../../src/domain/record.ts';
import type { Secondary } from '../../src/domain/secondary.ts';
import type { Webhook } from '../../src/domain/webhook.ts';
import { apexOf, type Zone } from '../../src/domain/zone.ts';
import type { SubmitOptions } from '../../src/writer/submission.ts';
import { Cursors } from '../../src/http/cursor.ts';
import { Logins } from '../../src/http/login.ts';
import type { Services } from '../../src/http/services.ts';
import type {
  ListedGrant,
  ListedRole,
  ListedToken,
  ListedTsigKey,
} from '../../src/query/access-queries.ts';
import type { TransferEntry } from '../../src/projection/activity-log.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { type Deed, fakeDnssec } from './fake-dnssec.ts';
import { fakeImporter, fakeRollback, fakeVersions } from './fake-versions.ts';

export const fakeZone: Zone = {
  id: 1,
  name: 'example.com',
  mname: 'ns1.example.com',
  rname: 'hostmaster@example.com',
  defaultTtl: 3600,
  minimumTtl: 86_400,
  refresh: 300,
  retry: 60,
  expire: 3_600_000,
  serial: 7,
  description: null,
  enabled: true,
  guard: null,
  createdAt: Date.UTC(2026, 0, 31, 12),
  recordCount: 1,
  dnssecCount: 0,
  historyFromSerial: 1,
};

export const disabledZone: Zone = { ...fakeZone, id: 2, name: 'off.example', enabled: false };
/** A name that only RFC 2317 has. */
export const classlessZone: Zone = { ...fakeZone, id: 3, name: '0/25.2.0.192.in-addr.arpa' };

export const fakeRecord: ZoneRecord = {
  id: 7,
  owner: emptyName,
  type: rrtype.NS,
  ttl: 3600,
  rdata: nameToWire(parseAbsoluteName('ns1.example.com')),
  createdAt: fakeZone.createdAt,
};

export const fakeSecondary: Secondary = {
  id: 1,
  name: 'ns2',
  address: '192.0.2.53:53',
  enabled: true,
  notifyKeyName: null,
  createdAt: fakeZone.createdAt,
};

const fakeWebhook: Webhook = {
  id: 1,
  name: 'chat',
  url: 'https://hooks.example.net/zones',
  format: 'zonebook',
  filter: '{"zoneId":1}',
  state: 'active',
  fromSeq: 1,
  turn: 1,
  createdAt: fakeZone.createdAt,
};

const fakeTransfer: TransferEntry = {
  zoneName: 'example.com',
  address: '192.0.2.53',
  at: fakeZone.createdAt,
  kind: 'ixfr',
  result: 'ok',
  incremental: true,
  serial: 7,
  error: null,
  bytes: 412,
  tookMs: 3,
};

const fakeSummary = { zones: 1, axfr: 0, ixfrFull: 0, ixfrDelta: 1, refused: 0, failed: 0 };

const fakeProbe: Probe = {
  address: fakeSecondary.address,
  status: 'in_sync',
  visibleSerial: 7,
  error: null,
  lastTransfer: fakeTransfer,
};

const fakeState: SecondaryState = {
  name: fakeSecondary.name,
  askedAt: null,
  inSync: null,
  behind: 0,
  silence: null,
  lag: null,
  lastTransfer: fakeTransfer,
  lastNotify: null,
};

const fakeCheck: SecondaryCheck = {
  addresses: ['192.0.2.53'],
  resolveError: null,
  catalogZoneName: 'catalog.invalid',
  catalogSerial: 3,
  catalog: { ...fakeProbe, visibleSerial: 3, lastTransfer: null },
  listenerError: null,
  notifies: [{ address: '192.0.2.53', error: null }],
  transfers: fakeSummary,
};

const fakeEvent: SeenEvent = {
  seq: 7,
  at: fakeZone.createdAt,
  kind: 'zone.serial-bumped',
  zone: { id: 1, name: 'example.com', deleted: false },
  serial: 2,
  actor: { kind: 'local', name: 'root', uid: 0, claimed: true },
  source: 'cli',
  requestId: 'request 1',
  reason: 'new rack',
  reference: null,
  summary: { added: 0, removed: 0, changed: 0 },
  diff: { apex: parseAbsoluteName('example.com'), entries: [] },
  diffTruncated: false,
  settingsChanged: [],
  signing: null,
  details: null,
  redacted: false,
  hidesRecords: false,
  hash: Buffer.alloc(32),
  prevHash: Buffer.alloc(32),
};

export const fakeRole: ListedRole = {
  id: 2,
  name: 'dns-ops',
  description: null,
  builtin: false,
  reasonRequired: false,
  createdAt: fakeZone.createdAt,
  grantCount: 1,
  tokenCount: 1,
  tsigKeyCount: 1,
};

export const fakeGrant: ListedGrant = {
  id: 7,
  roleId: 2,
  roleName: 'dns-ops',
  zoneId: 1,
  zoneName: 'example.com',
  actions: ['record:read', 'record:create'],
  recordNamePattern: '*.dyn',
  recordTypes: 'A,AAAA',
  createdAt: fakeZone.createdAt,
};

export const fakeToken: ListedToken = {
  id: 1,
  name: 'ci',
  description: null,
  roleId: 2,
  roleName: 'dns-ops',
  createdAt: fakeZone.createdAt,
  expiresAt: null,
  lastUsedAt: null,
  lastUsedFrom: null,
};

/** The secret of the one token there is. */
export const fakeSecret = `zb_${'a'.repeat(40)}`;
const fakeTokenHash = createHash('sha256').update(fakeSecret).digest();

export const fakeTsigKey: ListedTsigKey = {
  id: 1,
  name: 'ddns.example.com',
  algorithm: 'hmac-sha256',
  roleId: 2,
  roleName: 'dns-ops',
  createdAt: fakeZone.createdAt,
};

export const fakePolicy: DnssecPolicy = {
  id: 1,
  name: 'default',
  builtin: true,
  createdAt: fakeZone.createdAt,
  algorithm: 'ecdsap256sha256',
  denial: 'nsec3',
  splitKeys: false,
  signatureValidityDays: 14,
  signatureRefreshDays: 5,
  zskLifetimeDays: 0,
};

export interface FakeServices extends Services {
  /** What was submitted, in order. */
  readonly submitted: { command: Command; options: SubmitOptions }[];
  readonly lines: Record<string, unknown>[];
  readonly counted: string[];
  readonly notified: (string | undefined)[];
  readonly failures: FailedSecondary[];
  readonly imported: ImportRequest[];
  /** What was asked of signing. */
  readonly deeds: Deed[];
  /** When set, the writer rejects with it. */
  rejection: unknown;
  /** When set, reads throw it. */
  broken: Error | undefined;
}

export function fakeServices(options: Partial<Services['options']> = {}): FakeServices {
  const zones = [fakeZone, disabledZone, classlessZone];
  const lines: Record<string, unknown>[] = [];
  const counted: string[] = [];
  const submitted: FakeServices['submitted'] = [];
  const notified: (string | undefined)[] = [];
  const failures: FailedSecondary[] = [];
  const imported: ImportRequest[] = [];
  const deeds: Deed[] = [];
  const read = <T>(value: T): T => {
    if (services.broken !== undefined) throw services.broken;
    return value;
  };
  let logins: Logins | undefined;
  const services: FakeServices = {
    submitted,
    lines,
    counted,
    notified,
    failures,
    imported,
    deeds,
    rejection: undefined,
    broken: undefined,
    writer: {
      async submit<C extends Command>(command: C, submitOptions: SubmitOptions) {
        submitted.push({ command, options: submitOptions });
        if (services.rejection !== undefined) throw services.rejection;
        return outcomeOf(command) as OutcomeOf<C>;
      },
    },
    zones: {
      byName: (name) => read(zones.find((zone) => zone.name === name)),
      byId: (id) => read(zones.find((zone) => zone.id === id)),
      list: (_visible, _filter, _sort, page) => {
        const items = zones.filter((zone) => zone.enabled);
        return read({ items: page.offset === 0 ? items : [], total: items.length });
      },
    },
    records: {
      byId: (id) => read(id === 7 ? { zone: fakeZone, record: fakeRecord } : undefined),
      list: async () => read({ items: [{ zone: fakeZone, record: fakeRecord }], total: 1 }),
      drift: async () =>
        read({
          zone: fakeZone,
          owned: 0,
          diff: { apex: parseAbsoluteName('example.com'), entries: [] },
        }),
      listThen: async () => read({ items: [{ zone: fakeZone, record: fakeRecord }], total: 1 }),
      search: async () => {
        const found = { zone: fakeZone, record: fakeRecord };
        const deleted = [{ ...found, until: { seq: 7, serial: 2, at: fakeZone.createdAt } }];
        return read({ records: [found], deleted, next: null, completeTo: 7, deletedFrom: 1 });
      },
    },
    deletedZones: {
      byId: () => read(undefined),
      list: () => read({ items: [{ ...fakeZone, deletedAt: fakeZone.createdAt }], total: 1 }),
    },
    versions: fakeVersions(fakeZone, fakeRecord),
    events: {
      page: async () => read({ items: [fakeEvent], next: null }),
      get: async () => read(fakeEvent),
      part: async () => read({ event: fakeEvent, next: null }),
      last: () => 7,
      ids: () => ({ ofNumbers: () => (seq) => `1-${seq}`, behind: () => 7, behindNumber: () => 7 }),
      follow: () => read({ next: async () => undefined, end() {}, position: 7 }),
    },
    lint: { page: async () => read({ items: [], next: null }) },
    jobs: {
      searchIndex: { reach: async () => {} },
      retention: {
        purgeTimeOf: () => null,
        forget: async () => {},
        forgetting: () => ({ versions: 2, oldestSerial: 3 }),
      },
      servedChecks: {
        resultOf: () => 'same',
        differingAt: () => [],
        check: async () => ({
          result: 'same',
          serial: 7,
          compared: 3,
          missing: 0,
          extra: 0,
          differing: 0,
          rrsets: [],
          isRefused: false,
          error: null,
        }),
      },
      webhooks: {
        progressOf: () => ({
          deliveredSeq: 7,
          behind: 0,
          failingSince: null,
          error: null,
          deliveries: 5,
          failures: 0,
        }),
        test: async () => ({ status: 204, error: null, durationMs: 12 }),
      },
    } as unknown as Services['jobs'],
    exporter: {
      async *exportText(zone, { serial = zone.serial }) {
        yield `; zone ${zone.name} serial ${serial} exported by zonebook\n`;
        yield '@ 3600 IN NS ns1.example.com.\n';
      },
    },
    externalDns: {
      domains: async () => read(['example.com']),
      async *records() {
        yield read([{ name: 'www.example.com.', type: 'A', ttl: 300, values: ['192.0.2.1'] }]);
      },
    },
    importer: fakeImporter(fakeZone, fakeRecord, imported),
    webhooks: {
      byName: (name) => read(name === 'chat' ? fakeWebhook : undefined),
      list: () => read({ items: [fakeWebhook], total: 1 }),
    },
    secondaries: {
      byName: (name) => read(name === 'ns2' ? fakeSecondary : undefined),
      list: () => read({ items: [fakeSecondary], total: 1 }),
    },
    dnssec: fakeDnssec(fakePolicy, deeds),
    zonesBySigning: () => [],
    policies: {
      byName: (name) => read(name === fakePolicy.name ? fakePolicy : undefined),
      list: () => read({ items: [fakePolicy], total: 1 }),
    },
    access: {
      roleByName: (name) => read(name === fakeRole.name ? fakeRole : undefined),
      listedRole: (name) => read(name === fakeRole.name ? fakeRole : undefined),
      listRoles: () => read({ items: [fakeRole], total: 1 }),
      listGrants: () => read({ items: [fakeGrant], total: 1 }),
      tokenById: (id) => read(id === fakeToken.id ? fakeToken : undefined),
      tokenByName: (name) => read(name === fakeToken.name ? fakeToken : undefined),
      grantsOf: () => read([fakeGrant]),
      listedToken: (id) => read(id === fakeToken.id ? fakeToken : undefined),
      listTokens: () => read({ items: [fakeToken], total: 1 }),
      listedTsigKey: (name) => read(name === fakeTsigKey.name ? fakeTsigKey : undefined),
      listTsigKeys: () => read({ items: [fakeTsigKey], total: 1 }),
    },
    rights: { ofRole: () => fullRights, token: () => undefined },
    keystore: {
      tokenIdByHash: (hash) => (hash.equals(fakeTokenHash) ? fakeToken.id : undefined),
      tsigSecret: () => Buffer.alloc(32),
    },
    tokenUse: { stamp: () => {}, buffered: () => undefined },
    storage: { problem: undefined, reportRead: () => false },
    workers: openWorkers('', ''),
    metrics: {
      httpRequests: {
        inc: (method, route, status) => void counted.push(`${method} ${route} ${status}`),
        announce: () => {},
      },
      httpRequestDuration: { observe: () => {} },
      render: async () => 'zonebook_up 1\n',
      values: async () => new Map([['zonebook_webhooks_suspended', 1]]),
      contentType: 'text/plain; version=0.0.4',
    },
    log: createLog({
      level: 'debug',
      format: 'json',
      destination: { write: (line) => void lines.push(JSON.parse(line)) },
    }),
    clock: () => fakeZone.createdAt,
    notifier: {
      async notifyNow(zoneName) {
        notified.push(zoneName);
        return failures;
      },
    },
    propagation: { reach: async () => [], allReach: async () => true },
    prober: {
      status: async () => [fakeProbe],
      check: async () => fakeCheck,
      seenSerials: async () => ({ greatest: new Map(), ignored: [] }),
      behind: () => new Set(),
      known: async () => ({ states: [fakeState], zones: [] }),
      listens: { address: '192.0.2.1', port: 5300 },
      addressesOf: async () => ['192.0.2.53'],
    },
    transfers: {
      list: () => read([fakeTransfer]),
      summary: async () => read(fakeSummary),
    },
    options: {
      authenticationRequired: false,
      metricsEnabled: true,
      openapiEnabled: true,
      externalDnsEnabled: true,
      catalogZoneName: 'catalog.invalid',
      maxImportBytes: 256 * 1024 * 1024,
      maxBodiesBytes: 256 * 1024 * 1024,
      hostName: undefined,
      authFailuresPerMinute: 0,
      consoleEnabled: true,
      consolePath: '/console',
      ...options,
    },
    get logins(): Logins {
      logins ??= new Logins({
        clock: services.clock,
        refusedLogins: { note: () => {} },
        rights: services.rights,
        writer: services.writer,
        keystore: {
          ...services.keystore,
          sessions: { byHash: () => undefined, byId: () => undefined, all: () => [] },
        },
        options: { authFailuresPerMinute: 0, sessionIdleHours: 12, sessionMaxDays: 7 },
        sessionUse: { stamp: () => {}, lastOf: ({ seenAt }) => seenAt, forget: () => {} },
      });
      return logins;
    },
    cursors: new Cursors(() => Buffer.alloc(32)),
    version: '1.2.3',
  };
  return services;
}

const accessOutcome = {
  role: fakeRole,
  grant: fakeGrant,
  token: fakeToken,
  tsigKey: fakeTsigKey,
};

function outcomeOf(command: Command): unknown {
  if (/-(role|grant|token|tsig-key)$/.test(command.kind)) return accessOutcome;
  if (command.kind.endsWith('webhook')) return { webhook: fakeWebhook };
  if (command.kind.endsWith('secondary')) return { secondary: fakeSecondary };
  if (command.kind.endsWith('policy')) return { policy: fakePolicy };
  if (command.kind === 'rollback-zone') return fakeRollback(fakeZone, command.targetSerial);
  if (command.kind === 'apply-external-dns') {
    return { added: 1, deleted: 0, changedZones: [], warnings: [] };
  }
  if (command.kind === 'create-records') return createOutcome(command);
  if (command.kind.includes('record')) {
    const diff = diffRecords(apexOf(fakeZone), [fakeRecord], []);
    return { zone: fakeZone, count: 1, records: [fakeRecord], diff, warnings: [] };
  }
  return { zone: fakeZone, warnings: [], recordsDeleted: 1, versionsDeleted: 7 };
}

function createOutcome(command: CreateRecords): OutcomeOf<CreateRecords> {
  const apex = apexOf(fakeZone);
  const records = command.records.map((input, index): ZoneRecord => {
    const type = parseType(input.type)!;
    return {
      id: index + 100,
      owner: parseOwner(input.name, apex),
      type,
      ttl: input.ttl ?? 3600,
      rdata: parseRdata(type, input.value, input.priority),
      createdAt: 0,
    };
  });
  const diff = diffRecords(apex, [], records);
  return { zone: fakeZone, count: records.length, records, diff, warnings: [] };
}
