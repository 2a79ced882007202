/** Values of the examples of DNSSEC, about the zone of examples.ts signed under the default policy. */

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
