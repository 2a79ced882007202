/** The model's answer to every read of the contract: one row for each. */
import { actions } from '../../src/base/action.ts';
import {
  type Asked,
  adminAnswer,
  everything,
  forbidden,
  missing,
  nothing,
  ofList,
  ofZone,
} from './asked.ts';
import { eventFilters, eventOf, eventsOf, streamFilters, streamOf } from './event-rows.ts';
import { explainFilters, explainOf } from './explain-rows.ts';
import { blameOf, driftOf, historyOf, listOf, recordOf } from './record-rows.ts';
import { lintFilters, lintOf, plainLint } from './lint-rows.ts';
import { domainsOf, externalRecordsOf, sortedDomains } from './external-rows.ts';
import { searchFilters, searchOf } from './search-rows.ts';
import { type Answered, formerNames, type Json, missingZone, type World } from './world.ts';

export interface Row {
  /** What stands in the path. */
  readonly subjects?: (world: World) => readonly (readonly string[])[];
  /** For every parameter of the query the values that are tried. */
  readonly filters?: (world: World) => Readonly<Record<string, readonly string[]>>;
  /** Parameters that every request has. */
  readonly always?: readonly string[];
  readonly expected: (asked: Asked) => Promise<Answered>;
  /** Of both answers before they are compared: takes out what changes from call to call. */
  readonly steady?: (answer: Answered) => Answered;
}

const names = ({ zones }: World) => [...zones.map(({ name }) => name), missingZone, ...formerNames];
const zoneSubjects = (world: World) => names(world).map((name) => [name]);
const limit = ['1', '2', '5', '1000'];
const offset = ['0', '1', '3', '200'];
const page = { limit, offset, cursor: ['x', ''] };
const times = ['2020-01-01T00:00:00Z', '2100-01-01T00:00:00Z'];
/** Of both deleted zones, of one that is there, and of none. */
const deletedIds = ({ zones, deleted }: World) =>
  [...deleted, zones[0]!, { id: 999 }].map(({ id }) => String(id));
const parts = {
  name: ['@', 'www', 'none', ''],
  type: ['A', 'NS', ''],
  limit: ['1', '2', '1000'],
};
const moments = [...times, '2', '5', '1000', 'tag:first', 'tag:none'];
const serials = ['1', '2', '5', '1000'];

/** Zones of the bin; which roles lost grants with them only who manages access reads. */
async function deletedZones(asked: Asked): Promise<Answered> {
  const { model } = asked.caller;
  if (!model.everywhere('zone:create')) return forbidden('zone:create', 'in all zones');
  const answer = await adminAnswer(asked);
  if (answer.status !== 200 || model.everywhere('access:manage')) return answer;
  const items = answer.body.items.map((row: Json) => {
    const hidden =
      'Grants that named only this zone do not come back. Who has access:manage sees which roles had any.';
    const restoring = row.restoring.map((text: string) => (/grant/i.test(text) ? hidden : text));
    return { ...row, roles_lost: null, restoring };
  });
  return { ...answer, body: { ...answer.body, items } };
}

/** A read of one zone that needs an action there; on all records of it, when it is one on records. */
function inZone(action: string): Row['expected'] {
  return (asked) => {
    const name = asked.params[0]!;
    const { model } = asked.caller;
    return ofZone(asked, name, ({ id }) => {
      if (action === '') return undefined;
      if (action.startsWith('record:')) {
        const isHeld = model.whole(action, id);
        return isHeld ? undefined : forbidden(action, `on all records of zone '${name}'`);
      }
      return model.inZone(action, id) ? undefined : forbidden(action, `in zone '${name}'`);
    });
  };
}

/** A list for who holds any of some actions in all zones; it is empty for others. */
function listFor(...any: string[]): Row {
  return {
    filters: () => page,
    expected: (asked) =>
      ofList(
        asked,
        any.some((action) => asked.caller.model.everywhere(action)) ? everything : nothing,
      ),
  };
}

/** A named thing for who holds any of some actions in all zones. */
function namedFor(code: string, what: string, given: readonly string[], ...any: string[]): Row {
  return {
    subjects: () => given.map((name) => [name]),
    async expected(asked) {
      const isSeen = any.some((action) => asked.caller.model.everywhere(action));
      return isSeen ? adminAnswer(asked) : missing(code, `${what} '${asked.params[0]}'`);
    },
  };
}

const open: Row = { expected: adminAnswer };
const ofRole = {
  filters: () => ({ role_name: ['other', 'admin', 'none', ''], ...page }),
  expected(asked: Asked) {
    const isManager = asked.caller.model.everywhere('access:manage');
    const role = asked.query.get('role_name') ?? '';
    if (!isManager && role !== '') return missingRole(role);
    return ofList(asked, isManager ? everything : nothing);
  },
};
const missingRole = async (name: string) => missing('ROLE_NOT_FOUND', `role '${name}'`);

const policyNeeded = (
  answer: () => Promise<Answered>,
  hidden: (asked: Asked) => Promise<Answered>,
) => {
  return async (asked: Asked): Promise<Answered> => {
    const { model } = asked.caller;
    if (model.everywhere('dnssec:read')) return answer.call(undefined);
    if (model.everywhere('dnssec:manage')) {
      const found = await adminAnswer(asked);
      return found.status === 404 ? found : forbidden('dnssec:read', 'in all zones');
    }
    return hidden(asked);
  };
};

const withoutUse = (answer: Answered): Answered => {
  const text = JSON.stringify(answer.body).replace(/"last_used_at":("[^"]*"|null)/g, '""');
  return { ...answer, body: text };
};
const withoutTimes = (answer: Answered): Answered => ({
  ...answer,
  body: JSON.stringify(answer.body).replace(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"time"'),
});

async function ownToken({ world, caller }: Asked): Promise<Json> {
  const { body } = await world.admin('/tokens?limit=1000');
  return body.items.find(({ name }: Json) => name === caller.name);
}

/** What is held, as GET /permissions says it. */
async function permissionsOf({ world, caller: { model } }: Asked): Promise<Answered> {
  const held = (zoneId: number | null) => ({
    actions: actions.filter((action) =>
      model.reaching(zoneId).some((grant) => grant.actions.includes(action)),
    ),
    whole_zone: actions.filter(
      (action) =>
        action.startsWith('record:') &&
        (zoneId === null ? model.everywhere(action) : model.whole(action, zoneId)),
    ),
  });
  const everywhere = held(null);
  const zones = world.zones
    .map(({ id, name }) => ({ zone_name: name, ...held(id) }))
    .filter(({ zone_name: _, ...there }) => JSON.stringify(there) !== JSON.stringify(everywhere))
    .sort((a, b) => (a.zone_name < b.zone_name ? -1 : 1));
  const body = { reason_required: false, all_zones: everywhere, zones };
  return { status: 200, body, etag: null };
}

const versionList: Row = {
  subjects: zoneSubjects,
  filters: (world) => ({
    include_signer_serials: ['true', 'false'],
    at: moments,
    deleted_id: deletedIds(world),
    ...page,
  }),
  expected: inZone('zone:read'),
};
const versionDiff: Row = {
  subjects: zoneSubjects,
  filters: (world) => ({
    from: serials,
    at: moments,
    to: serials,
    to_at: moments,
    deleted_id: deletedIds(world),
    summary: ['true', 'false'],
    value: ['192.0', 'none', ''],
    actor: ['none', ''],
    ...parts,
    cursor: ['AAEAAAABAAAAAg', 'x'],
  }),
  expected: inZone('record:read'),
};
const version: Row = {
  subjects: (world) => names(world).flatMap((name) => serials.map((serial) => [name, serial])),
  filters: (world) => ({
    deleted_id: deletedIds(world),
    summary: ['true', 'false'],
    ...parts,
    cursor: ['AAEAAAAB', 'x'],
  }),
  expected: inZone('record:read'),
};
const policies = ['default', 'strict', 'none'];
const recordSubjects = ({ recordIds }: World) => recordIds.map((id) => [String(id)]);

export const rows: Readonly<Record<string, Row>> = {
  getHealth: open,
  getTroubles: open,
  getMetrics: {
    expected: adminAnswer,
    // Numbers move, but a label with the name of a zone would tell of it.
    steady: (answer) => ({ ...answer, body: /plain|signed\.example|hidden/.test(answer.body) }),
  },
  getOpenapiJson: open,
  getOpenapiYaml: open,
  getDocs: open,
  getDocsFile: { subjects: () => [['start.js'], ['none.js']], expected: adminAnswer },

  listZones: {
    filters: (world) => ({
      name: [...names(world), 'PLAIN.example.', ''],
      id: ['0', ...world.zones.map(({ id }) => String(id))],
      mname: ['ns1.plain.example', 'ns1.before.example', 'none.example'],
      rname: ['hostmaster@off.example', 'hostmaster@none.example'],
      default_ttl: ['3600', '1'],
      min_default_ttl: ['1', '7200'],
      max_default_ttl: ['1', '7200'],
      serial: serials,
      min_serial: serials,
      max_serial: serials,
      created_after: times,
      created_before: times,
      signed: ['true', 'false'],
      changed_after: times,
      enabled: ['true', 'false'],
      lagging: ['true', 'false'],
      changed_by: ['admin', 'nobody', ''],
      signing: ['rolling', 'troubled', 'waiting'],
      deleted: ['true', 'false'],
      search: ['example', 'plain', 'gone', 'e', ''],
      encloses: [...names(world).map((name) => `a.b.${name}`), 'none', ''],
      sort: ['name', 'serial', 'default_ttl', 'created_at', 'changed_at', 'records'],
      order: ['asc', 'desc'],
      ...page,
    }),
    async expected(asked) {
      const { model } = asked.caller;
      if (asked.query.get('deleted') === 'true') {
        return deletedZones(asked);
      }
      const tells = asked.query.has('lagging') || asked.query.has('changed_by');
      if (tells && !model.everywhere('zone:read')) {
        return forbidden('zone:read', 'in all zones');
      }
      if (asked.query.has('signing') && !model.everywhere('dnssec:read')) {
        return forbidden('dnssec:read', 'in all zones');
      }
      if (asked.query.get('sort') === 'records' && !model.everywhere('record:read')) {
        return forbidden('record:read', 'in all zones');
      }
      return ofList(asked, (row) => (model.sees(row.id) ? row : undefined));
    },
  },
  getZone: {
    subjects: zoneSubjects,
    filters: () => ({ at: moments }),
    expected: (asked) => inZone(asked.query.has('at') ? 'zone:read' : '')(asked),
  },
  getZoneStatus: { subjects: zoneSubjects, expected: inZone('zone:read') },
  getPropagation: {
    subjects: zoneSubjects,
    filters: () => ({ serial: serials, wait: ['0', '1'] }),
    expected: inZone('zone:read'),
  },
  exportZone: {
    subjects: zoneSubjects,
    filters: (world) => ({
      signed: ['true', 'false'],
      serial: serials,
      at: moments,
      deleted_id: deletedIds(world),
    }),
    expected: inZone('record:read'),
  },
  listVersions: versionList,
  listSnapshots: versionList,
  diffVersions: versionDiff,
  diffSnapshots: versionDiff,
  getVersion: version,
  getSnapshot: version,
  listTags: { subjects: zoneSubjects, filters: () => page, expected: inZone('zone:read') },
  getZoneActivity: {
    subjects: zoneSubjects,
    filters: (world) => ({
      from: times,
      to: times,
      buckets: ['1', '3'],
      deleted_id: deletedIds(world),
    }),
    // Without `to` it ends now, and the model is asked a moment later: a change near the edge of a
    // bucket would be counted in another one.
    always: ['to'],
    expected: inZone('record:read'),
  },
  getZoneHistory: {
    subjects: zoneSubjects,
    filters: (world) => ({
      name: ['www', '@', 'none'],
      type: ['A', 'TXT', ''],
      deleted_id: deletedIds(world),
      ...page,
    }),
    expected: inZone('record:read'),
  },

  listRecords: {
    filters: (world) => ({
      zone_name: [...names(world), ''],
      name: [
        '@',
        'www',
        'a.sub',
        'moved',
        'none',
        '',
        'sub.plain',
        ...names(world).flatMap((name) => [`www.${name}.`, `${name}.`, `moved.${name}.`]),
      ],
      below: ['@', 'sub', 'a.sub', 'none', ''],
      type: ['A', 'TXT', 'NS', 'MX', 'SRV', 'NSEC', 'RRSIG'],
      value: ['192.0.2', 'words', 'none', ''],
      ttl: ['60', '3600', '1'],
      min_ttl: ['61', '1'],
      max_ttl: ['61', '1'],
      priority: ['10', '1'],
      min_priority: ['1', '11'],
      max_priority: ['1', '11'],
      search: ['www', 'hidden', '192.', 'plain', 'none', ''],
      changed_by: ['boss', 'none', ''],
      changed_since: ['2020-01-01T00:00:00Z', '2100-01-01T00:00:00Z'],
      sort: ['name', 'type', 'ttl', 'priority', 'created_at'],
      order: ['asc', 'desc'],
      signed: ['true', 'false'],
      at: moments,
      ...page,
    }),
    expected: listOf,
  },
  blameZone: {
    subjects: zoneSubjects,
    filters: (world) => ({
      name: ['@', 'www', 'a.sub', 'moved', 'none', ''],
      type: ['A', 'TXT', 'NS', 'MX', 'NSEC', ''],
      at: moments,
      deleted_id: deletedIds(world),
      limit,
      // Behind A and NS of the apex, and one that no page gives.
      cursor: ['AAE', 'AAI', 'x'],
    }),
    expected: blameOf,
    // How a cursor is written is nobody's business.
    steady: (answer) => ({
      ...answer,
      body: { ...answer.body, next_cursor: typeof answer.body.next_cursor },
    }),
  },
  search: { filters: searchFilters, always: ['q', 'limit'], expected: searchOf },
  getRecord: { subjects: recordSubjects, expected: recordOf },
  getRecordHistory: { subjects: recordSubjects, filters: () => page, expected: historyOf },

  listEvents: { filters: eventFilters, expected: eventsOf },
  streamEvents: { filters: streamFilters, always: ['before'], expected: streamOf },
  getEvent: {
    subjects: () => ['1', '9', '20', '33', '60', '0', '100000'].map((seq) => [seq]),
    // Behind A of the apex.
    filters: () => ({ limit: ['1', '2', '1000'], cursor: ['AAE'] }),
    expected: eventOf,
    steady: (answer) => {
      const { next_cursor: next } = answer.body;
      if (typeof next !== 'string') return answer;
      return { ...answer, body: { ...answer.body, next_cursor: 'more' } };
    },
  },

  getDrift: {
    subjects: zoneSubjects,
    always: ['owner'],
    filters: () => ({ owner: ['shop', 'none'] }),
    expected: driftOf,
  },
  getZoneLint: {
    subjects: zoneSubjects,
    filters: lintFilters,
    expected: lintOf,
    steady: plainLint,
  },

  listSecondaries: listFor('secondary:read', 'secondary:manage'),
  getSecondary: namedFor(
    'SECONDARY_NOT_FOUND',
    'secondary',
    ['ns2', 'none'],
    'secondary:read',
    'secondary:manage',
  ),
  listSecondaryStates: {
    filters: () => page,
    async expected(asked) {
      const { model } = asked.caller;
      if (!model.everywhere('zone:read')) return forbidden('zone:read', 'in all zones');
      const isSeen = model.everywhere('secondary:read') || model.everywhere('secondary:manage');
      const listed = await ofList(asked, isSeen ? everything : nothing);
      const primary = { address: null, port: 5300 };
      const common = { zones: [], catalog_zone_name: 'catalog.invalid', primary };
      return { ...listed, body: { ...(listed.body as object), ...common } };
    },
  },
  listTransfers: {
    ...namedFor(
      'SECONDARY_NOT_FOUND',
      'secondary',
      ['ns2', 'ns3', 'none'],
      'secondary:read',
      'secondary:manage',
    ),
    filters: (world) => ({ zone_name: [...names(world), 'catalog.invalid', ''], limit }),
  },

  listWebhooks: listFor('access:manage'),
  getWebhook: namedFor('WEBHOOK_NOT_FOUND', 'webhook', ['chat', 'none'], 'access:manage'),
  listRoles: listFor('access:manage'),
  getRole: namedFor('ROLE_NOT_FOUND', 'role', ['other', 'admin', 'none'], 'access:manage'),
  listRoleGrants: {
    ...namedFor('ROLE_NOT_FOUND', 'role', ['other', 'caller-3', 'none'], 'access:manage'),
    filters: () => page,
  },
  listTokens: { ...ofRole, steady: withoutUse },
  listTsigKeys: ofRole,
  getTsigKey: namedFor('TSIG_KEY_NOT_FOUND', 'TSIG key', ['key.example', 'none'], 'access:manage'),
  listSessions: listFor('access:manage'),
  getOwnSession: {
    expected: async (asked) => ({
      status: 200,
      body: { session: null, token: await ownToken(asked) },
      etag: null,
    }),
    steady: withoutUse,
  },
  getOwnToken: {
    expected: async (asked) => ({
      status: 200,
      body: { token: await ownToken(asked) },
      etag: null,
    }),
    steady: withoutUse,
  },
  listOwnGrants: {
    filters: () => page,
    expected: (asked) =>
      ofList({ ...asked, path: `/roles/${asked.caller.name}/grants` }, everything),
  },
  explainAccess: { filters: explainFilters, expected: explainOf },
  getPermissions: { expected: permissionsOf },

  listExternalDomains: { expected: domainsOf, steady: sortedDomains },
  listExternalRecords: { expected: externalRecordsOf },

  listPolicies: {
    filters: () => page,
    expected: (asked) =>
      policyNeeded(
        () => adminAnswer(asked),
        () => ofList(asked, nothing),
      )(asked),
  },
  getPolicy: {
    subjects: () => policies.map((name) => [name]),
    expected: (asked) =>
      policyNeeded(
        () => adminAnswer(asked),
        async () => missing('DNSSEC_POLICY_NOT_FOUND', `DNSSEC policy '${asked.params[0]}'`),
      )(asked),
  },
  getDnssec: { subjects: zoneSubjects, expected: inZone('dnssec:read'), steady: withoutTimes },
  getDelegation: {
    subjects: zoneSubjects,
    filters: (world) => ({ deleted_id: deletedIds(world) }),
    expected: inZone('dnssec:read'),
    steady: withoutTimes,
  },
};
