/** How a zone is signed: the answer of all operations on it (interface 2.11). */
import * as v from 'valibot';
import { dnssecPolicy } from './dnssec-policies.ts';
import { count, described, int32, time } from './fields.ts';

const keyRole = v.picklist(['csk', 'ksk', 'zsk']);
const keyState = v.picklist(['published', 'active', 'retired']);
const keyTag = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535));

const eligibleAt = described(
  v.nullable(time),
  'Published: when it may be promoted. Retired: when it may go. Active: null.',
);

export const signingKey = v.object({
  id: int32,
  algorithm: v.string(),
  key_tag: keyTag,
  role: keyRole,
  state: described(keyState, 'A key that was removed is not shown.'),
  dnskey: described(v.string(), 'RDATA of the DNSKEY in presentation form.'),
  created_at: time,
  eligible_at: eligibleAt,
  state_changed_at: time,
});

export const dsRecord = v.object({
  key_tag: keyTag,
  algorithm: v.pipe(v.number(), v.integer()),
  digest_type: v.pipe(v.number(), v.integer()),
  digest: described(v.string(), 'Hexadecimal.'),
  presentation: described(v.string(), 'RDATA of the DS in presentation form.'),
});

const delegationKey = v.object({
  id: int32,
  key_tag: keyTag,
  role: keyRole,
  state: keyState,
  ds_published: described(
    v.boolean(),
    'Every parent server serves a DS that names it; the digest was computed again.',
  ),
  ds_digest_unsupported: described(
    v.boolean(),
    'A DS fits its tag and algorithm, but the digest type can not be computed.',
  ),
  eligible_at: eligibleAt,
});

const parentServer = v.object({
  address: v.string(),
  ds_key_tags: described(
    v.nullable(v.array(keyTag)),
    'Of the DS it serves; null when it could not be asked.',
  ),
  error: v.nullable(v.string()),
});

export const delegation = v.object({
  checked_at: time,
  ds_state: described(
    v.picklist(['published', 'hidden']),
    'published when any parent server serves a DS.',
  ),
  ds_key_tags: v.array(keyTag),
  ds_ttl: described(
    v.nullable(int32),
    'The largest TTL that the DS are served with; null when there are none.',
  ),
  parent_ns_addrs: v.array(v.string()),
  keys: described(v.array(delegationKey), 'Those that a DS can name.'),
  servers: described(v.array(parentServer), 'What each address of each parent server said.'),
});

const nextStep = v.object({
  action: v.picklist(['start_zsk_roll', 'publish_cds', 'promote', 'remove']),
  at: described(time, 'Not before; a time gone by means as soon as nothing blocks it.'),
  key_tags: v.array(keyTag),
  awaits: described(
    v.picklist(['nothing', 'ds_at_all_parents', 'parents_let_go']),
    'What has to be so besides the time.',
  ),
  waiting_since: described(
    v.nullable(time),
    'Since when it waits for the parents or for secondaries; null before its time.',
  ),
  secondaries_behind: described(
    v.array(v.string()),
    'Enabled secondaries last seen with a serial from before the keys came into their state: they ' +
      'delay it.',
  ),
  blocked_by: described(v.nullable(v.string()), 'What stood in its way last.'),
});

export const dnssecStatus = v.object({
  zone_name: v.string(),
  enabled: v.boolean(),
  policy: v.nullable(dnssecPolicy),
  keys: v.array(signingKey),
  ds_records: described(v.array(dsRecord), 'What the parent is to serve: two during a roll.'),
  delegation: described(v.nullable(delegation), 'Null unless this call asked the parent servers.'),
  signatures: count,
  expired_signatures: count,
  future_signatures: described(
    count,
    'Before their time: the clock was ahead when they were made.',
  ),
  earliest_signature_expires_at: v.nullable(time),
  next_resign_at: v.nullable(time),
  serial: int32,
  withdrawing: described(v.boolean(), 'CDS and CDNSKEY ask the parent to remove the DS.'),
  parent_ns_addrs: v.array(v.string()),
  next_steps: described(
    v.array(nextStep),
    'What happens to the keys by itself, and what blocks it, by time.',
  ),
  foreign_ds_since: described(
    v.nullable(time),
    'Since when a parent server is seen to serve a DS set that names no key of the zone; null when none ' +
      'is. Parents are asked daily, and whenever a key or a caller asks for it.',
  ),
  warnings: v.array(v.string()),
});

const digest = '0C1B8D5F3E6A7294B8C0D1E2F30415263748596A7B8C9DAEBFC0D1E2F3041526';

const key = {
  id: 1,
  algorithm: 'ecdsap256sha256',
  key_tag: 20_326,
  role: 'csk',
  state: 'active',
  dnskey:
    '257 3 13 mdsswUyr3DPW132mOi8V9xESWE8jTo0dxCjjnopKl+GqJxpVXckHAeF+KkxLbxILfDLUT0rAK9iUzy1L53eKGQ==',
  created_at: '2026-01-31T12:00:00.000Z',
  eligible_at: null,
  state_changed_at: '2026-01-31T12:00:00.000Z',
};

export const exampleDnssecStatus = {
  zone_name: 'example.com',
  enabled: true,
  policy: {
    id: 1,
    name: 'default',
    builtin: true,
    created_at: '2026-01-31T11:00:00.000Z',
    algorithm: 'ecdsap256sha256',
    denial: 'nsec3',
    split_keys: false,
    signature_validity_days: 14,
    signature_refresh_days: 5,
    zsk_lifetime_days: 0,
  },
  keys: [key],
  ds_records: [
    {
      key_tag: 20_326,
      algorithm: 13,
      digest_type: 2,
      digest,
      presentation: `20326 13 2 ${digest}`,
    },
  ],
  delegation: null,
  signatures: 12,
  expired_signatures: 0,
  future_signatures: 0,
  earliest_signature_expires_at: '2026-02-10T02:11:09.000Z',
  next_resign_at: '2026-02-05T02:11:09.000Z',
  serial: 2,
  withdrawing: false,
  parent_ns_addrs: ['192.0.2.1:53'],
  next_steps: [
    {
      action: 'publish_cds',
      at: '2026-02-01T12:05:00.000Z',
      key_tags: [20_326],
      awaits: 'nothing',
      waiting_since: null,
      secondaries_behind: [],
      blocked_by: null,
    },
  ],
  foreign_ds_since: null,
  warnings: [],
};

export const exampleDelegation = {
  checked_at: '2026-02-02T08:00:00.000Z',
  ds_state: 'published',
  ds_key_tags: [20_326],
  ds_ttl: 86_400,
  parent_ns_addrs: ['192.0.2.1:53'],
  keys: [
    {
      id: 1,
      key_tag: 20_326,
      role: 'csk',
      state: 'active',
      ds_published: true,
      ds_digest_unsupported: false,
      eligible_at: null,
    },
  ],
  servers: [{ address: '192.0.2.1:53', ds_key_tags: [20_326], error: null }],
};
