/** What every operation answers to every kind of caller: one row for each route of the contract. */
import type { InProcessService } from '../support/in-process.ts';

/** Callers whose token is valid but who may not do what they ask for. */
export const lesserCallers = ['empty', 'elsewhere', 'nameLimited', 'typeLimited'] as const;
type LesserCaller = (typeof lesserCallers)[number];

type Refusal = readonly [status: number, code: string];

/** What the requests of rows name. */
export interface Fixture {
  readonly service: InProcessService;
  /** Of www.right.example A. */
  readonly recordId: number;
  readonly grantId: number;
}

export interface Row {
  /** The grants that are just enough; undefined where any token will do. */
  readonly right?: readonly object[];
  readonly path?: (fixture: Fixture) => string;
  /** Makes what the request is about, before anybody asks. */
  readonly before?: (service: InProcessService) => Promise<unknown>;
  /** The route's own example when left out, with this zone. */
  readonly body?: object;
  /** What who may call it gets instead of 200. */
  readonly answers?: Refusal;
  /**
   * `open`: everybody. `token`: whoever has a token. A list: how many rows each sees. Else how each
   * lesser caller is refused.
   */
  readonly others:
    | 'open'
    | 'token'
    | (Readonly<Record<LesserCaller, number>> & { readonly right: number; readonly admin: number })
    | Readonly<Record<LesserCaller, Refusal>>;
}

const zone = 'right.example';
const inZone = (...actions: string[]) => [{ zone_name: zone, actions }];
const everywhere = (...actions: string[]) => [{ actions }];

const forbidden: Refusal = [403, 'FORBIDDEN'];
const missing = (code: string): Refusal => [404, code];
const all = (refusal: Refusal) => ({
  empty: refusal,
  elsewhere: refusal,
  nameLimited: refusal,
  typeLimited: refusal,
});
/** Refused in a zone that only the limited callers see. */
const zoneRefusals = {
  ...all(missing('ZONE_NOT_FOUND')),
  nameLimited: forbidden,
  typeLimited: forbidden,
};
const recordHidden = all(missing('RECORD_NOT_FOUND'));
const secondaryHidden = all(missing('SECONDARY_NOT_FOUND'));
const roleHidden = all(missing('ROLE_NOT_FOUND'));
const policyHidden = all(missing('DNSSEC_POLICY_NOT_FOUND'));
const none = { empty: 0, elsewhere: 0, nameLimited: 0, typeLimited: 0 };
const sign = (service: InProcessService) => {
  service.parents = () => [{ address: '192.0.2.1:53', ds: [], ttlSeconds: null }];
  const body = { parent_ns_addrs: ['192.0.2.1'] };
  return service.call('POST', `/zones/${zone}/dnssec`, body, 201, 'local');
};
/** Signs the zone and does more with its keys. */
const signAnd = (action: string) => async (service: InProcessService) => {
  await sign(service);
  await service.call('POST', `/zones/${zone}/dnssec${action}`, undefined, 200, 'local');
};
const onSigned: Row = { right: inZone('dnssec:manage'), before: sign, others: zoneRefusals };
const promotion: Row = {
  ...onSigned,
  before: signAnd('/rollover'),
  body: { skip_ds_check: true, skip_holddown: true },
};
const manage = everywhere('access:manage');
const onWebhook = {
  right: manage,
  path: () => '/webhooks/chat',
  others: all(missing('WEBHOOK_NOT_FOUND')),
};
/** The id of the session that was opened last. */
let opened = '0';
const openSession = async (service: InProcessService) => {
  const { code } = await service.call('POST', '/session/codes', undefined, 201, 'local');
  opened = (await service.call('POST', '/session', { code }, 201)).session.id;
};
const open: Row = { others: 'open' };
const anyToken: Row = { others: 'token' };

export const rows: Readonly<Record<string, Row>> = {
  getHealth: open,
  getMetrics: open,
  getTroubles: open,
  getOpenapiJson: open,
  getOpenapiYaml: open,
  getDocs: open,
  getDocsFile: { path: () => '/docs/swagger-ui.css', others: 'open' },

  listZones: {
    right: inZone('zone:read'),
    others: { empty: 0, elsewhere: 1, nameLimited: 1, typeLimited: 1, right: 1, admin: 2 },
  },
  createZone: { right: everywhere('zone:create'), others: all(forbidden) },
  getZone: {
    right: inZone('dnssec:read'),
    // Any grant that reaches the zone lets it be seen, so the limited callers see it too.
    others: {
      ...all(missing('ZONE_NOT_FOUND')),
      nameLimited: [200, ''],
      typeLimited: [200, ''],
    },
  },
  updateZone: { right: inZone('zone:update'), others: zoneRefusals },
  deleteZone: { right: inZone('zone:delete'), others: zoneRefusals },
  getZoneStatus: { right: inZone('zone:read'), others: zoneRefusals },
  getPropagation: { right: inZone('zone:read'), others: zoneRefusals },
  notifyZone: { right: inZone('zone:update'), others: zoneRefusals },
  notifyAll: { right: everywhere('zone:update'), others: all(forbidden) },
  notifyZones: {
    right: inZone('zone:update'),
    body: { force: true, zone_name: zone },
    others: zoneRefusals,
  },

  importZone: {
    right: inZone('record:create'),
    body: { content: 'new 60 IN A 192.0.2.9\n' },
    others: zoneRefusals,
  },
  importZoneEarlier: {
    right: inZone('record:create', 'record:delete'),
    body: { content: '@ 60 IN NS ns.test.\nnew 60 IN A 192.0.2.9\n', mode: 'replace' },
    others: zoneRefusals,
  },
  exportZone: { right: inZone('record:read'), others: zoneRefusals },
  listVersions: { right: inZone('zone:read'), others: zoneRefusals },
  listSnapshots: { right: inZone('zone:read'), others: zoneRefusals },
  diffVersions: {
    right: inZone('record:read'),
    path: () => `/zones/${zone}/versions/diff?from=1`,
    others: zoneRefusals,
  },
  diffSnapshots: {
    right: inZone('record:read'),
    path: () => `/zones/${zone}/snapshots/diff?from=1`,
    others: zoneRefusals,
  },
  diffZone: {
    right: inZone('record:read'),
    body: { content: 'new 60 IN A 192.0.2.9\n' },
    others: zoneRefusals,
  },
  getVersion: {
    right: inZone('record:read'),
    path: () => `/zones/${zone}/versions/1`,
    others: zoneRefusals,
  },
  getSnapshot: {
    right: inZone('record:read'),
    path: () => `/zones/${zone}/snapshots/1`,
    others: zoneRefusals,
  },
  rollbackVersion: {
    right: inZone('zone:update', 'record:read', 'record:create', 'record:delete'),
    path: () => `/zones/${zone}/versions/1/rollback`,
    others: zoneRefusals,
  },
  rollbackZone: {
    right: inZone('zone:update', 'record:read', 'record:create', 'record:delete'),
    others: zoneRefusals,
  },
  getZoneLint: {
    right: inZone('record:read'),
    others: {
      ...all(missing('ZONE_NOT_FOUND')),
      nameLimited: [200, ''],
      typeLimited: [200, ''],
    },
  },
  search: {
    path: () => '/search?q=www',
    others: 'token',
  },
  explainAccess: {
    path: () => '/access/explain?action=record:create',
    others: 'token',
  },
  getZoneHistory: { right: inZone('record:read'), others: zoneRefusals },
  listTags: { right: inZone('zone:read'), others: zoneRefusals },
  tagZone: { right: inZone('zone:update'), body: { name: 'first' }, others: zoneRefusals },
  untagZone: {
    right: inZone('zone:update'),
    path: () => `/zones/${zone}/tags/first`,
    before: (service) =>
      service.call('POST', `/zones/${zone}/tags`, { name: 'first' }, 201, 'local'),
    others: zoneRefusals,
  },
  getZoneActivity: { right: inZone('record:read'), others: zoneRefusals },
  blameZone: {
    right: inZone('record:read'),
    others: {
      ...all(missing('ZONE_NOT_FOUND')),
      nameLimited: [200, ''],
      typeLimited: [200, ''],
    },
  },
  getRecordHistory: { right: inZone('record:read'), others: recordHidden },
  listEvents: anyToken,
  streamEvents: { path: () => '/events/stream?after=0&before=3', others: 'token' },
  // Of the role of all rights, which is made at the first start.
  getEvent: {
    right: manage,
    path: () => '/events/1',
    others: all(missing('EVENT_NOT_FOUND')),
  },
  // Of the creation of www: the seventh, after what a start makes, three zones and the deletion of one.
  revertEvent: {
    right: inZone('record:read', 'record:delete'),
    path: () => '/events/7/revert',
    others: all(missing('EVENT_NOT_FOUND')),
  },
  restoreZone: {
    right: everywhere('zone:create'),
    path: () => '/zones/gone.example/restore',
    others: all(forbidden),
  },
  purgeZone: {
    right: everywhere('zone:delete'),
    path: () => '/zones/gone.example/purge',
    others: all(forbidden),
  },
  forgetHistory: {
    right: inZone('zone:delete'),
    // The fixture's service is a day ahead.
    body: { before: new Date(Date.now() + 3_600_000).toISOString() },
    others: zoneRefusals,
  },

  listRecords: {
    right: inZone('record:read'),
    others: { empty: 0, elsewhere: 1, nameLimited: 1, typeLimited: 1, right: 4, admin: 5 },
  },
  createRecord: {
    right: inZone('record:create'),
    body: { zone_name: zone, name: 'new', type: 'A', value: '192.0.2.9' },
    others: zoneRefusals,
  },
  getRecord: { right: inZone('record:read'), others: recordHidden },
  updateRecord: {
    right: inZone('record:read', 'record:update'),
    body: { value: '192.0.2.77' },
    others: recordHidden,
  },
  deleteRecord: { right: inZone('record:delete'), others: recordHidden },
  deleteRecords: {
    right: inZone('record:delete'),
    path: () => `/records?zone_name=${zone}&name=www`,
    others: zoneRefusals,
  },
  createRecords: {
    right: inZone('record:create'),
    body: { zone_name: zone, records: [{ name: 'new', type: 'A', value: '192.0.2.9' }] },
    others: zoneRefusals,
  },
  createRecordsInZone: {
    right: inZone('record:create'),
    body: { records: [{ name: 'new', type: 'A', value: '192.0.2.9' }] },
    others: zoneRefusals,
  },

  applyDesired: {
    right: inZone('record:read', 'record:create'),
    path: () => `/zones/${zone}/desired?owner=shop`,
    body: { content: 'new 300 IN A 192.0.2.9\n' },
    others: zoneRefusals,
  },
  getDrift: {
    right: inZone('record:read'),
    path: () => `/zones/${zone}/desired/drift?owner=shop`,
    others: {
      ...all(missing('ZONE_NOT_FOUND')),
      nameLimited: [200, ''],
      typeLimited: [200, ''],
    },
  },
  applyChanges: {
    right: inZone('record:create'),
    body: { zones: [{ name: zone, add: [{ name: 'new', type: 'A', values: ['192.0.2.9'] }] }] },
    others: zoneRefusals,
  },

  listSecondaries: {
    right: everywhere('secondary:read'),
    others: { ...none, right: 1, admin: 1 },
  },
  createSecondary: {
    right: everywhere('secondary:manage'),
    body: { name: 'ns3', address: '192.0.2.54' },
    others: all(forbidden),
  },
  getSecondary: {
    right: everywhere('secondary:read'),
    path: () => '/secondaries/ns2',
    others: secondaryHidden,
  },
  updateSecondary: {
    right: everywhere('secondary:manage'),
    path: () => '/secondaries/ns2',
    body: { enabled: false },
    others: secondaryHidden,
  },
  deleteSecondary: {
    right: everywhere('secondary:manage'),
    path: () => '/secondaries/ns2',
    others: secondaryHidden,
  },
  checkSecondary: {
    right: everywhere('secondary:manage'),
    path: () => '/secondaries/ns2/check',
    others: secondaryHidden,
  },
  listSecondaryStates: { right: everywhere('secondary:read', 'zone:read'), others: all(forbidden) },
  listTransfers: {
    right: everywhere('secondary:read'),
    path: () => '/secondaries/ns2/transfers',
    others: secondaryHidden,
  },

  // Those of admin, the fixture's two and one each of the five callers with a role of their own.
  listRoles: { right: manage, others: { ...none, right: 8, admin: 8 } },
  createRole: { right: manage, body: { name: 'fresh' }, others: all(forbidden) },
  getRole: { right: manage, path: () => '/roles/fixed', others: roleHidden },
  updateRole: {
    right: manage,
    path: () => '/roles/unused',
    body: { reason_required: true },
    others: roleHidden,
  },
  deleteRole: { right: manage, path: () => '/roles/unused', others: roleHidden },
  listRoleGrants: {
    right: manage,
    path: () => '/roles/fixed/grants',
    others: roleHidden,
  },
  createRoleGrant: {
    right: manage,
    path: () => '/roles/fixed/grants',
    body: { actions: ['zone:read'] },
    others: all(forbidden),
  },
  deleteRoleGrant: {
    right: manage,
    path: ({ grantId }) => `/roles/fixed/grants/${grantId}`,
    others: roleHidden,
  },

  // One of the fixture and one each of seven callers.
  listTokens: { right: manage, others: { ...none, right: 8, admin: 8 } },
  createToken: {
    right: manage,
    body: { name: 'fresh', role_name: 'fixed' },
    others: all(forbidden),
  },
  openSession: { others: 'open', answers: [401, 'INVALID_TOKEN'] },
  getOwnSession: anyToken,
  closeOwnSession: { others: 'token', answers: missing('SESSION_NOT_FOUND') },
  createLoginCode: { others: 'token', answers: [201, ''] },
  listSessions: { right: manage, before: openSession, others: { ...none, right: 1, admin: 1 } },
  closeSession: {
    right: manage,
    before: openSession,
    path: () => `/sessions/${opened}`,
    others: all(forbidden),
  },
  getOwnToken: anyToken,
  listOwnGrants: anyToken,
  deleteToken: {
    right: manage,
    path: () => '/tokens/fixed',
    others: all(missing('TOKEN_NOT_FOUND')),
  },

  getDnssec: { right: inZone('dnssec:read'), others: zoneRefusals },
  getDelegation: { right: inZone('dnssec:read'), others: zoneRefusals },
  enableDnssec: {
    right: inZone('dnssec:manage'),
    body: { parent_ns_addrs: ['192.0.2.1'] },
    others: zoneRefusals,
  },
  configureDnssec: { ...onSigned, body: { parent_ns_addrs: ['192.0.2.2'] } },
  disableDnssec: { ...onSigned, body: { skip_ds_check: true } },
  checkDs: { ...onSigned, right: inZone('dnssec:read') },
  rollKey: onSigned,
  promoteKey: promotion,
  noteDsSeen: promotion,
  abortRoll: { ...promotion, body: { skip_ds_check: true } },
  signZone: onSigned,
  withdrawDs: onSigned,
  cancelWithdrawal: { ...onSigned, before: signAnd('/withdraw') },

  listPolicies: {
    right: everywhere('dnssec:read'),
    others: { ...none, right: 2, admin: 2 },
  },
  createPolicy: { right: everywhere('dnssec:manage'), others: all(forbidden) },
  getPolicy: {
    right: everywhere('dnssec:read'),
    path: () => '/dnssec-policies/default',
    others: policyHidden,
  },
  updatePolicy: {
    right: everywhere('dnssec:manage'),
    path: () => '/dnssec-policies/default',
    body: { signature_validity_days: 21 },
    others: policyHidden,
  },
  deletePolicy: {
    right: everywhere('dnssec:manage'),
    path: () => '/dnssec-policies/unused',
    others: policyHidden,
  },

  listWebhooks: { right: manage, others: { ...none, right: 1, admin: 1 } },
  createWebhook: {
    right: manage,
    body: { name: 'fresh', url: 'http://127.0.0.1:9/' },
    others: all(forbidden),
  },
  getWebhook: onWebhook,
  updateWebhook: { ...onWebhook, body: { format: 'cloudevents' } },
  deleteWebhook: onWebhook,
  testWebhook: { ...onWebhook, path: () => '/webhooks/chat/test' },
  replayWebhook: {
    ...onWebhook,
    path: () => '/webhooks/chat/replay',
    body: { from_seq: 1 },
  },
  listTsigKeys: { right: manage, others: { ...none, right: 1, admin: 1 } },
  createTsigKey: {
    right: manage,
    body: { name: 'fresh.example', role_name: 'fixed' },
    others: all(forbidden),
  },
  getTsigKey: {
    right: manage,
    path: () => '/tsig-keys/fixed.example',
    others: all(missing('TSIG_KEY_NOT_FOUND')),
  },
  deleteTsigKey: {
    right: manage,
    path: () => '/tsig-keys/fixed.example',
    others: all(missing('TSIG_KEY_NOT_FOUND')),
  },

  getPermissions: anyToken,

  listExternalDomains: anyToken,
  listExternalRecords: anyToken,
  adjustExternalRecords: anyToken,
  applyExternalChanges: {
    right: inZone('record:create', 'record:delete'),
    body: {
      creates: [{ name: `new.${zone}`, type: 'A', values: ['192.0.2.9'] }],
      deletes: [{ name: `www.${zone}`, type: 'A', values: ['192.0.2.1'] }],
    },
    others: zoneRefusals,
  },
};
