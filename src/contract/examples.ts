/** Values that the examples of several routes share, all about one small zone. */

export const exampleZone = {
  id: 1,
  name: 'example.com',
  mname: 'ns1.example.com',
  rname: 'hostmaster@example.com',
  default_ttl: 3600,
  minimum_ttl: 86_400,
  refresh: 300,
  retry: 60,
  expire: 3_600_000,
  serial: 1,
  description: null,
  enabled: true,
};

export const exampleWarning = {
  code: 'TARGET_NO_ADDRESS',
  name: 'example.com.',
  type: 'NS',
  message: 'the target ns1.example.com. has no A or AAAA record in this zone',
};

export const exampleRecord = {
  id: 7,
  name: 'www.example.com.',
  type: 'A',
  value: '192.0.2.1',
  ttl: 300,
  priority: null,
  zone_id: 1,
  zone_name: 'example.com',
  actions: ['record:read', 'record:update', 'record:delete'],
};

export const exampleZoneFile = `$ORIGIN example.com.
$TTL 3600
@ IN SOA ns1.example.com. hostmaster.example.com. 1 300 60 3600000 86400
@ IN NS ns1.example.com.
www 300 IN A 192.0.2.1
`;

const exampleValue = { value: '192.0.2.1', ttl: 300, priority: null };

export const exampleAddition = {
  entries: [{ change: 'added', name: 'www.example.com.', type: 'A', from: [], to: [exampleValue] }],
  summary: { added: 1, changed: 0, removed: 0 },
};

export const exampleRemoval = {
  entries: [
    { change: 'removed', name: 'www.example.com.', type: 'A', from: [exampleValue], to: [] },
  ],
  summary: { added: 0, changed: 0, removed: 1 },
};

export const exampleSecondary = {
  id: 1,
  name: 'ns2',
  address: '192.0.2.53:53',
  enabled: true,
  notify_key_name: null,
  created_at: '2026-01-31T12:00:00.000Z',
};

export const exampleTransfer = {
  zone_name: 'example.com',
  address: '192.0.2.53',
  at: '2026-01-31T12:05:00.000Z',
  kind: 'ixfr',
  result: 'ok',
  incremental: true,
  serial: 2,
  error: null,
};

export const exampleTransferSummary = {
  zones: 1,
  axfr: 0,
  ixfr_full: 0,
  ixfr_delta: 1,
  refused: 0,
  failed: 0,
};

export const exampleProbe = {
  address: '192.0.2.53:53',
  status: 'in_sync',
  visible_serial: 2,
  error: null,
  last_transfer: exampleTransfer,
};

export const examplePagination = { limit: 50, offset: 0, total: 1 };

export const exampleRole = {
  id: 2,
  name: 'dns-ops',
  description: 'records of the main zone',
  builtin: false,
  created_at: '2026-01-31T12:00:00.000Z',
  grant_count: 1,
  token_count: 1,
  tsig_key_count: 0,
};

export const exampleRoleGrant = {
  id: 1,
  role_name: 'dns-ops',
  zone_name: 'example.com',
  actions: ['record:read', 'record:create'],
  record_name_pattern: '*.dyn',
  record_types: 'A,AAAA',
  created_at: '2026-01-31T12:00:00.000Z',
};

export const exampleToken = {
  id: 1,
  name: 'ci',
  description: null,
  role_name: 'dns-ops',
  created_at: '2026-01-31T12:00:00.000Z',
  expires_at: '2027-01-31T12:00:00.000Z',
  last_used_at: '2026-01-31T12:05:00.000Z',
};

export const exampleTsigKey = {
  id: 1,
  name: 'ddns.example.com',
  algorithm: 'hmac-sha256',
  created_at: '2026-01-31T12:00:00.000Z',
  role_name: 'dns-ops',
};

export const examplePolicy = {
  id: 2,
  name: 'split',
  builtin: false,
  created_at: '2026-01-31T12:00:00.000Z',
  algorithm: 'ecdsap256sha256',
  denial: 'nsec3',
  split_keys: true,
  signature_validity_days: 14,
  signature_refresh_days: 5,
  zsk_lifetime_days: 90,
};

export const exampleVersion = {
  serial: 2,
  created_at: '2026-01-31T12:00:00.000Z',
  change_source: 'api',
  changed_by: { kind: 'token', name: 'ci' },
  mname: 'ns1.example.com',
  rname: 'hostmaster@example.com',
  default_ttl: 3600,
  minimum_ttl: 86_400,
  refresh: 300,
  retry: 60,
  expire: 3_600_000,
};

export const exampleHistoryEntry = {
  serial: 2,
  created_at: '2026-01-31T12:00:00.000Z',
  kind: 'records.changed',
  change_source: 'api',
  changed_by: { kind: 'token', name: 'ci' },
  request_id: '9f8a6c3e-5d41-4c1b-8f0e-2f6d7a1b3c4d',
  diff: exampleAddition,
  diff_left_out: false,
  records_added: 1,
  records_removed: 0,
  settings_changed: [],
};
