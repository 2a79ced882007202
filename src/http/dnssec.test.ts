import { describe, expect, it } from 'vitest';
import { fakeKey, fakeStatus } from '../../spec/support/fake-dnssec.ts';
import { fakePolicy, fakeZone } from '../../spec/support/fake-services.ts';
import { dsRdata, readDs } from '../dnssec/dnskey.ts';
import type { ZoneKey } from '../dnssec/zone-key.ts';
import { apexOf } from '../domain/zone.ts';
import type { DnssecStatus } from '../background/dnssec/status.ts';
import { presentDnssec } from './dnssec.ts';

const apex = apexOf(fakeZone);
const ds = dsRdata(apex, fakeKey.dnskey);
const signed = (more: Partial<DnssecStatus> = {}) => fakeStatus(fakeZone, fakePolicy, more);

function withKeys(keys: readonly ZoneKey[], more: Partial<DnssecStatus> = {}): DnssecStatus {
  const status = signed(more);
  return { ...status, signing: { ...status.signing, keys } };
}

describe('the status of a zone (interface 2.11)', () => {
  it('of an unsigned zone has no policy, no keys and no DS, but its parents', () => {
    expect(presentDnssec(fakeStatus(fakeZone, null))).toEqual({
      zone_name: 'example.com',
      enabled: false,
      policy: null,
      keys: [],
      ds_records: [],
      delegation: null,
      signatures: 0,
      expired_signatures: 0,
      future_signatures: 0,
      earliest_signature_expires_at: null,
      expirations: [],
      next_resign_at: null,
      serial: 7,
      withdrawing: false,
      parent_ns_addrs: ['192.0.2.1:53'],
      next_steps: [],
      foreign_ds_since: null,
      to_do: null,
      warnings: [],
    });
  });

  it('of a signed one has them, times as RFC 3339, RDATA in presentation form', () => {
    const signatures = {
      total: 12,
      expired: 1,
      future: 2,
      earliestExpiresAt: Date.UTC(2026, 1, 10),
      expirations: new Map([
        [20_494, 11],
        [20_493, 1],
      ]),
      nextResignAt: Date.UTC(2026, 1, 5),
    };
    const shown = presentDnssec(signed({ signatures }));
    const digest = readDs(ds).digest.toString('hex').toUpperCase();
    const tag = fakeKey.keyTag;
    expect(shown).toMatchObject({
      enabled: true,
      policy: { name: 'default', created_at: '2026-01-31T12:00:00.000Z' },
      keys: [
        {
          id: 1,
          algorithm: 'ecdsap256sha256',
          key_tag: tag,
          role: 'csk',
          state: 'active',
          dnskey: `257 3 13 ${Buffer.alloc(64, 7).toString('base64')}`,
          created_at: '2026-01-31T12:00:00.000Z',
          eligible_at: null,
          state_changed_at: '2026-01-31T12:00:00.000Z',
        },
      ],
      ds_records: [
        {
          key_tag: tag,
          algorithm: 13,
          digest_type: 2,
          digest,
          presentation: `${tag} 13 2 ${digest}`,
        },
      ],
      signatures: 12,
      expired_signatures: 1,
      future_signatures: 2,
      earliest_signature_expires_at: '2026-02-10T00:00:00.000Z',
      expirations: [
        { date: '2026-02-09', signatures: 1 },
        { date: '2026-02-10', signatures: 11 },
      ],
      next_resign_at: '2026-02-05T00:00:00.000Z',
    });
  });

  it('decisions 16: names the DS of active and published keys that a DS can name', () => {
    const keys: ZoneKey[] = [
      fakeKey,
      { ...fakeKey, id: 2, state: 'published', eligibleAt: 1 },
      { ...fakeKey, id: 3, state: 'retired', eligibleAt: 1 },
      { ...fakeKey, id: 4, role: 'zsk', dsFrom: null },
    ];
    const shown = presentDnssec(withKeys(keys));
    expect(shown.keys).toHaveLength(4);
    expect(shown.ds_records).toHaveLength(2);
    expect(shown.keys[1]!.eligible_at).toBe('1970-01-01T00:00:00.001Z');
  });

  it('decisions 10: the new key of an algorithm roll has no DS until caches have its signatures', () => {
    const dsFrom = signed().at + 1;
    const later: ZoneKey = { ...fakeKey, id: 2, state: 'published', eligibleAt: dsFrom, dsFrom };
    expect(presentDnssec(withKeys([fakeKey, later])).ds_records).toHaveLength(1);
    const due = withKeys([fakeKey, later], { at: signed().at + 1 });
    expect(presentDnssec(due).ds_records).toHaveLength(2);
  });

  it('tells what comes next and what blocks it', () => {
    const action = {
      kind: 'promote',
      at: Date.UTC(2026, 1, 2),
      keys: [fakeKey],
      awaits: 'ds-at-all-parents',
    } as const;
    const blockedBy = 'parent server 192.0.2.1:53 serves no DS';
    const steps = [{ action, blockedBy, secondariesBehind: ['ns2'] }];
    const shown = {
      action: 'promote',
      at: '2026-02-02T00:00:00.000Z',
      key_tags: [fakeKey.keyTag],
      awaits: 'ds_at_all_parents',
      waiting_since: null,
      secondaries_behind: ['ns2'],
      blocked_by: 'parent server 192.0.2.1:53 serves no DS',
    };
    expect(presentDnssec(signed({ phases: steps })).next_steps).toEqual([shown]);
    const due = presentDnssec(signed({ phases: steps, at: action.at })).next_steps;
    expect(due).toEqual([{ ...shown, waiting_since: shown.at }]);
    const zsk = { ...action, awaits: 'nothing' } as const;
    const alone = [{ action: zsk, blockedBy: null, secondariesBehind: [] }];
    const [step] = presentDnssec(signed({ phases: alone, at: action.at })).next_steps;
    expect(step).toMatchObject({ awaits: 'nothing', waiting_since: null });
  });
});

describe('the delegation', () => {
  const checkedAt = Date.UTC(2026, 1, 1);
  const shown = (answers: NonNullable<DnssecStatus['delegation']>['answers']) =>
    presentDnssec(signed({ delegation: { checkedAt, answers } })).delegation;
  const a = '192.0.2.1:53';
  const b = '192.0.2.2:53';

  it('is published and names the key when every server serves its DS', () => {
    const answers = [
      { address: a, ds: [ds], ttlSeconds: 3600 },
      { address: b, ds: [ds], ttlSeconds: 7200 },
    ];
    expect(shown(answers)).toEqual({
      checked_at: '2026-02-01T00:00:00.000Z',
      ds_state: 'published',
      ds_key_tags: [fakeKey.keyTag],
      ds_ttl: 7200,
      parent_has_name: true,
      parent_ns_addrs: [a],
      keys: [
        {
          id: 1,
          key_tag: fakeKey.keyTag,
          role: 'csk',
          state: 'active',
          ds_published: true,
          ds_digest_unsupported: false,
          ds_missing: null,
          eligible_at: null,
        },
      ],
      servers: [
        { address: a, ds_key_tags: [fakeKey.keyTag], error: null },
        { address: b, ds_key_tags: [fakeKey.keyTag], error: null },
      ],
    });
  });

  it('is published by any server, but the key only by all', () => {
    const answers = [
      { address: a, ds: [ds], ttlSeconds: 3600 },
      { address: b, ds: [], ttlSeconds: null },
    ];
    expect(shown(answers)).toMatchObject({
      ds_state: 'published',
      keys: [{ ds_published: false }],
    });
  });

  it('is hidden when none serves a DS, and says who did not answer', () => {
    const answers = [
      { address: a, ds: [], ttlSeconds: null },
      { address: b, failure: 'no answer' },
    ];
    expect(shown(answers)).toMatchObject({
      ds_state: 'hidden',
      ds_key_tags: [],
      ds_ttl: null,
      servers: [
        { address: a, ds_key_tags: [], error: null },
        { address: b, ds_key_tags: null, error: 'no answer' },
      ],
    });
  });

  it('tells a digest type that can not be computed from a DS that names no key', () => {
    const strange = Buffer.from(ds);
    strange[3] = 250;
    expect(shown([{ address: a, ds: [strange], ttlSeconds: 60 }])).toMatchObject({
      keys: [{ ds_published: false, ds_digest_unsupported: true }],
    });
    const other = Buffer.from(ds);
    other[10]! ^= 1;
    expect(shown([{ address: a, ds: [other], ttlSeconds: 60 }])).toMatchObject({
      keys: [{ ds_published: false, ds_digest_unsupported: false }],
    });
  });
});
