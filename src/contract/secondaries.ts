/** Secondaries, what they transferred and what they serve (interface 2.6 and 4.4). */
import * as v from 'valibot';
import { limits } from '../base/limits.ts';
import {
  count,
  described,
  flag,
  int32,
  message,
  nextCursor,
  optional,
  pageQuery,
  pagination,
  shape,
  text,
  textParameter,
  time,
  transferLimitParameter,
} from './fields.ts';
import { answers, defineRoute, pageOf, resource } from './route.ts';
import { lag } from './secondary-lag.ts';
import { identifierText, serverAddress } from './shapes.ts';

export const secondary = shape({
  id: [int32, 1],
  name: [v.string(), 'ns2'],
  address: [v.string(), '192.0.2.53:53', 'host:port, lower-case.'],
  enabled: [v.boolean(), true],
  notify_key_name: [v.nullable(v.string()), null],
  created_at: [time, '2026-01-31T12:00:00.000Z'],
});

const secondaryAnswer = v.object({ secondary });

export const transferEntry = shape({
  zone_name: [v.string(), 'example.com'],
  address: [v.string(), '192.0.2.53', 'Of the client, without port.'],
  at: [time, '2026-01-31T12:05:00.000Z'],
  kind: [v.picklist(['axfr', 'ixfr']), 'ixfr'],
  result: [v.picklist(['ok', 'refused', 'failed']), 'ok'],
  incremental: [v.boolean(), true, 'True for an IXFR answered as a delta.'],
  serial: [v.nullable(int32), 2],
  error: [v.nullable(v.string()), null],
  bytes: [
    v.nullable(count),
    412,
    'Of the messages that were sent. Null, as took_ms, of one that was refused or failed, and of one before the last ' +
      'start of the service.',
  ],
  took_ms: [v.nullable(count), 3, 'From the request to the last message.'],
});

export const transferSummary = shape({
  zones: [count, 1, 'Each zone counts once, by its latest transfer.'],
  axfr: [count, 0],
  ixfr_full: [count, 0],
  ixfr_delta: [count, 1],
  refused: [count, 0],
  failed: [count, 0],
});

export const probeResult = shape({
  address: [v.string(), '192.0.2.53:53', 'As the secondary is registered.'],
  status: [
    v.picklist(['in_sync', 'lagging', 'ahead', 'reachable', 'unreachable']),
    'in_sync',
    'reachable: it answered, but with nothing to compare.',
  ],
  visible_serial: [v.nullable(int32), 2, 'The oldest serial that any of its addresses serves.'],
  error: [v.nullable(v.string()), null],
  last_transfer: [v.nullable(transferEntry), transferEntry.example],
});

const servedState = v.picklist(['same', 'differs', 'unknown']);

/** What a secondary serves, and whether its records are ours. */
export const comparedProbe = shape({
  address: [v.string(), '192.0.2.53:53', 'As the secondary is registered.'],
  status: [probeResult.entries.status, 'in_sync'],
  content: [
    servedState,
    'same',
    'Whether it served the same records when they were compared last: same, with the serial that it serves now; ' +
      'differs, until they are the same; unknown, not compared at this serial.',
  ],
  visible_serial: [probeResult.entries.visible_serial, 2],
  error: [v.nullable(v.string()), null],
  last_transfer: [v.nullable(transferEntry), transferEntry.example],
});

/** What an operator has to look into, as codes for programs. */
const statusWarning = v.object({
  code: described(
    v.picklist(['SECONDARY_AHEAD']),
    'SECONDARY_AHEAD: a secondary serves a serial that this zone never had. The database may have been taken ' +
      'back, the zone made with a smaller serial than it had before, or the secondary has another primary too.',
  ),
  message: v.string(),
});

export const zoneStatus = v.object({
  zone_name: v.string(),
  serial: int32,
  secondaries: v.array(comparedProbe),
  warnings: v.array(statusWarning),
});

const secondaryReach = shape({
  name: [v.string(), 'ns2'],
  address: [v.string(), '192.0.2.53:53', 'As the secondary is registered.'],
  visible_serial: [v.nullable(int32), 2, 'The oldest serial that any of its addresses serves.'],
  reached: [v.boolean(), true, 'It serves this serial or a newer one.'],
  seen_at: [
    v.nullable(time),
    '2026-01-31T12:00:00.120Z',
    'When it transferred it, or was first seen with it.',
  ],
  delay_ms: [v.nullable(count), 120, 'From the change to seen_at.'],
  how: [v.nullable(v.picklist(['transfer', 'probe'])), 'transfer', 'What seen_at is the time of.'],
  since: [
    v.nullable(time),
    null,
    'Since when it does not answer, or was seen to be behind. Null of one that serves it.',
  ],
  error: [v.nullable(v.string()), null],
});

export const propagation = shape({
  zone_name: [v.string(), 'example.com'],
  serial: [int32, 2],
  changed_at: [
    v.nullable(time),
    '2026-01-31T12:00:00.000Z',
    'Null when the version is not retained.',
  ],
  reached: [v.boolean(), true, 'Every enabled secondary serves this serial or a newer one.'],
  at: [v.nullable(time), '2026-01-31T12:00:00.120Z', 'When the last of them did.'],
  safe_after: [
    v.nullable(time),
    '2026-01-31T13:00:00.120Z',
    'When caches have dropped what the changes of the last week replaced: records, answers that something is ' +
      'missing, answers of a wildcard for a name that has records of its own now, names below a new delegation. The ' +
      'SOA and DNSSEC records do not count. Each change counts from when every secondary served it, and from `at` ' +
      'where that is not known. Caches keep nothing longer than a week (RFC 8767 4): that is taken of changes that ' +
      'are not retained, of those beyond the latest 5,000 or beyond 20,000 records of the latest, and of what was ' +
      'before the zone was renamed, restored or recovered. Null until it is reached, and for a serial that is not ' +
      'the latest.',
  ],
  secondaries: [v.array(secondaryReach), [secondaryReach.example]],
});

const silence = shape({
  since: [time, '2026-01-31T12:00:00.000Z'],
  error: [v.string(), '192.0.2.53:53 did not answer'],
});

const notifyAnswer = shape({
  zone_name: [v.string(), 'example.com'],
  at: [time, '2026-01-31T12:05:00.000Z'],
  error: [v.nullable(v.string()), null, 'Null when it was acknowledged.'],
});

export const secondaryState = shape({
  name: [v.string(), 'ns2'],
  asked_at: [
    v.nullable(time),
    '2026-01-31T12:00:00.000Z',
    'When it was asked for its serials last.',
  ],
  in_sync: [
    v.nullable(count),
    41,
    'Zones that it served at their latest serial then, the catalog among them. Null until it was asked.',
  ],
  behind: [count, 1, 'Zones that it was behind with when it was last asked for each.'],
  silence: [v.nullable(silence), null, 'Since when it does not answer.'],
  lag: [
    v.nullable(lag),
    lag.example,
    'How far behind it was in the last 24 hours, kept in memory. Null until something was seen of it, and of one ' +
      'that is disabled.',
  ],
  last_transfer: [v.nullable(transferEntry), transferEntry.example, 'Of whichever zone.'],
  last_notify: [
    v.nullable(notifyAnswer),
    notifyAnswer.example,
    'What it said to the last NOTIFY. Null when it got none since the last start of the service.',
  ],
});

const zoneBehind = v.object({
  zone_name: v.string(),
  secondaries: v.array(v.object({ name: v.string(), visible_serial: int32, since: time })),
});

const primaryAddress = shape({
  address: [v.nullable(v.string()), '192.0.2.1', 'Null when the listener takes all addresses.'],
  port: [count, 5300],
});

/** A page of secondaries, and what they have in common. */
export const secondaryStates = v.object({
  items: v.array(secondaryState),
  pagination,
  next_cursor: nextCursor,
  zones: described(
    v.array(zoneBehind),
    `Zones that secondaries of this page are behind with, the catalog among them; ${limits.zonesBehindListed} at most.`,
  ),
  catalog_zone_name: v.string(),
  primary: described(primaryAddress, 'Where the service listens for DNS.'),
});

export const secondaryCheck = v.object({
  secondary,
  addresses: described(v.array(v.string()), 'Resolved, without port.'),
  resolve_error: v.nullable(v.string()),
  catalog_zone_name: v.string(),
  catalog_serial: described(int32, 'Ours.'),
  catalog: probeResult,
  listener_error: described(
    v.nullable(v.string()),
    "What is wrong with the service's own DNS listener.",
  ),
  notifies: described(
    v.array(v.object({ address: v.string(), error: v.nullable(v.string()) })),
    'What each address said to a NOTIFY for the catalog zone.',
  ),
  transfers: transferSummary,
  content_differs: described(
    v.array(v.string()),
    'Zones whose records differed when they were compared last, as far as the caller may read them; 100 at most.',
  ),
});

export const servedCheck = shape({
  zone: [v.string(), 'example.com'],
  content: [servedState, 'differs', 'unknown: nothing was compared, and `error` says why.'],
  serial: [
    v.nullable(int32),
    2,
    'That the secondary sent. Compared is the zone as it was at this serial.',
  ],
  compared: [count, 9, 'RRsets that the zone or the secondary has, the SOA one of them.'],
  missing: [count, 0, 'RRsets that the secondary lacks.'],
  extra: [count, 0, 'RRsets that only the secondary has.'],
  differing: [count, 1, 'RRsets with other values or another TTL there.'],
  rrsets: [
    v.array(
      v.object({
        name: v.string(),
        type: v.string(),
        difference: v.picklist(['missing', 'extra', 'differing']),
      }),
    ),
    [{ name: 'www.example.com.', type: 'A', difference: 'differing' }],
    'The first 100 of those, in canonical order.',
  ],
  refused: [v.boolean(), false, 'The secondary answered that it does not send the zone.'],
  error: [v.nullable(v.string()), null],
});

export const secondaryTransfers = v.object({
  secondary_name: v.string(),
  address: v.string(),
  summary: transferSummary,
  transfers: described(v.array(transferEntry), 'Newest first.'),
});

export const secondaryRoutes = resource('secondaries', {
  listSecondaries: defineRoute('GET /secondaries', {
    action: 'secondary:read',
    problems: ['FORBIDDEN'],
    admission: { by: 'token' },
    summary: 'List secondaries, disabled ones included',
    query: pageQuery,
    ...pageOf(secondary, secondary.example, 'A page of secondaries.'),
  }),

  listSecondaryStates: defineRoute('GET /secondary-states', {
    action: 'secondary:read, and zone:read in all zones',
    admission: { by: 'everywhere', action: 'zone:read' },
    summary: 'List what is known of secondaries',
    description:
      'How many zones each serves at their latest serial, which it is behind with, its last transfer, and its answer ' +
      'to the last NOTIFY. Nobody is asked for it: it is what was seen when they were, which is every 15 minutes and ' +
      'whenever somebody waits for a serial.',
    query: pageQuery,
    ...answers(200, 'A page of secondaries.', secondaryStates, {
      items: [secondaryState.example],
      pagination: { limit: 50, offset: 0, total: 1 },
      next_cursor: null,
      zones: [
        {
          zone_name: 'example.com',
          secondaries: [{ name: 'ns2', visible_serial: 1, since: '2026-01-31T12:00:00.000Z' }],
        },
      ],
      catalog_zone_name: 'catalog.invalid',
      primary: primaryAddress.example,
    }),
  }),

  createSecondary: defineRoute('POST /secondaries', {
    admission: { by: 'everywhere', action: 'secondary:manage' },
    summary: 'Register a secondary',
    body: v.strictObject({
      name: identifierText,
      address: serverAddress,
      notify_key_name: described(
        optional(text),
        'TSIG key that signs every NOTIFY to it; unsigned when left out.',
      ),
    }),
    exampleBody: { name: 'ns2', address: '192.0.2.53' },
    ...answers(201, 'The new secondary.', secondaryAnswer, { secondary: secondary.example }),
    problems: ['TSIG_KEY_NOT_FOUND', 'SECONDARY_CONFLICT'],
  }),

  getSecondary: defineRoute('GET /secondaries/{name}', {
    admission: { by: 'secondary', action: 'secondary:read' },
    summary: 'Get a secondary',
    ...answers(200, 'The secondary.', secondaryAnswer, { secondary: secondary.example }),
  }),

  updateSecondary: defineRoute('PUT /secondaries/{name}', {
    admission: { by: 'secondary', action: 'secondary:manage' },
    summary: 'Update a secondary',
    description: 'Only given fields change; at least one must be given.',
    body: v.strictObject({
      address: optional(serverAddress),
      enabled: optional(flag),
      notify_key_name: described(optional(text), 'The empty string sends unsigned again.'),
    }),
    exampleBody: { enabled: true },
    ...answers(200, 'The secondary as it is now.', secondaryAnswer, {
      secondary: secondary.example,
    }),
    problems: ['TSIG_KEY_NOT_FOUND', 'SECONDARY_CONFLICT'],
  }),

  deleteSecondary: defineRoute('DELETE /secondaries/{name}', {
    admission: { by: 'secondary', action: 'secondary:manage' },
    summary: 'Forget a secondary',
    ...answers(200, 'It is forgotten.', message, { message: "secondary 'ns2' deleted" }),
  }),

  checkSecondary: defineRoute('POST /secondaries/{name}/check', {
    admission: { by: 'secondary', action: 'secondary:manage' },
    summary: 'Check a secondary, disabled or not',
    description:
      'Resolves its address, asks it for the serial of the catalog zone and sends it a real NOTIFY ' +
      'for the catalog zone. What fails is reported in the answer. With `zone` it is asked for that zone by AXFR ' +
      'instead, signed with the key that signs NOTIFY to it, and each RRset, DNSSEC records too, is compared with ' +
      'the zone as it was at the serial that came.',
    query: v.strictObject({
      zone: described(
        v.optional(textParameter),
        'Compare the records of this zone; needs record:read on all of it.',
      ),
    }),
    ...answers(200, 'What was found.', v.union([secondaryCheck, servedCheck]), {
      secondary: secondary.example,
      addresses: ['192.0.2.53'],
      resolve_error: null,
      catalog_zone_name: 'catalog.invalid',
      catalog_serial: 2,
      catalog: {
        ...probeResult.example,
        last_transfer: { ...transferEntry.example, zone_name: 'catalog.invalid' },
      },
      listener_error: null,
      notifies: [{ address: '192.0.2.53', error: null }],
      transfers: transferSummary.example,
      content_differs: [],
    }),
    problems: ['ZONE_NOT_FOUND', 'OVERLOADED'],
  }),

  listTransfers: defineRoute('GET /secondaries/{name}/transfers', {
    admission: { by: 'secondary', action: 'secondary:read' },
    summary: 'List what a secondary transferred',
    description: 'The latest transfer of each zone by each address of the secondary, newest first.',
    query: v.strictObject({
      limit: transferLimitParameter,
      zone_name: described(v.optional(textParameter), 'Only transfers of this zone.'),
    }),
    ...answers(200, 'Transfers and their summary.', secondaryTransfers, {
      secondary_name: 'ns2',
      address: '192.0.2.53:53',
      summary: transferSummary.example,
      transfers: [transferEntry.example],
    }),
    problems: ['ZONE_NOT_FOUND'],
  }),
});
