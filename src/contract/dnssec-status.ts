/** How a zone is signed: the answer of all operations on it (interface 2.11). */
import * as v from 'valibot';
import { limits } from '../base/limits.ts';
import { dnssecPolicy } from './dnssec-policies.ts';
import { count, described, int32, shape, time } from './fields.ts';

const keyRole = v.picklist(['csk', 'ksk', 'zsk']);
const keyState = v.picklist(['published', 'active', 'retired']);
const keyTag = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535));

const eligibleAt = described(
  v.nullable(time),
  'Published: when it may be promoted. Retired: when it may go. Active: null.',
);

export const signingKey = shape({
  id: [int32, 1],
  algorithm: [v.string(), 'ecdsap256sha256'],
  key_tag: [keyTag, 20_326],
  role: [keyRole, 'csk'],
  state: [keyState, 'active', 'A key that was removed is not listed.'],
  dnskey: [
    v.string(),
    '257 3 13 mdsswUyr3DPW132mOi8V9xESWE8jTo0dxCjjnopKl+GqJxpVXckHAeF+KkxLbxILfDLUT0rAK9iUzy1L53eKGQ==',
    'RDATA of the DNSKEY in presentation form.',
  ],
  created_at: [time, '2026-01-31T12:00:00.000Z'],
  eligible_at: [eligibleAt, null],
  state_changed_at: [time, '2026-01-31T12:00:00.000Z'],
});

const digest = '0C1B8D5F3E6A7294B8C0D1E2F30415263748596A7B8C9DAEBFC0D1E2F3041526';

export const dsRecord = shape({
  key_tag: [keyTag, 20_326],
  algorithm: [v.pipe(v.number(), v.integer()), 13],
  digest_type: [v.pipe(v.number(), v.integer()), 2],
  digest: [v.string(), digest, 'Hexadecimal.'],
  presentation: [v.string(), `20326 13 2 ${digest}`, 'RDATA of the DS in presentation form.'],
});

const delegationKey = shape({
  id: [int32, 1],
  key_tag: [keyTag, 20_326],
  role: [keyRole, 'csk'],
  state: [keyState, 'active'],
  ds_published: [
    v.boolean(),
    true,
    'Every parent server serves a DS that names it to validators: the digest was computed again, and of an ' +
      'algorithm only the DS of the strongest digest count, without SHA-1 beside a better one.',
  ],
  ds_digest_unsupported: [
    v.boolean(),
    false,
    'A DS fits its tag and algorithm, but the digest type can not be computed.',
  ],
  ds_missing: [
    v.nullable(v.string()),
    null,
    'Of a server that does not serve such a DS: which one, and what it lacks; null when there is none.',
  ],
  eligible_at: [eligibleAt, null],
});

const parentServer = shape({
  address: [v.string(), '192.0.2.1:53'],
  ds_key_tags: [
    v.nullable(v.array(keyTag)),
    [20_326],
    'Of the DS it serves; null when it could not be asked.',
  ],
  error: [v.nullable(v.string()), null],
});

export const delegation = shape({
  checked_at: [time, '2026-02-02T08:00:00.000Z'],
  ds_state: [
    v.picklist(['published', 'hidden']),
    'published',
    'published when any parent server serves a DS.',
  ],
  ds_key_tags: [v.array(keyTag), [20_326]],
  ds_ttl: [
    v.nullable(int32),
    86_400,
    'The largest TTL that the DS are served with; null when there are none.',
  ],
  parent_has_name: [
    v.nullable(v.boolean()),
    true,
    'False when a parent server says that there is no such name, so that it delegates no zone of it; null when none ' +
      'could be asked.',
  ],
  parent_ns_addrs: [v.array(v.string()), ['192.0.2.1:53']],
  keys: [v.array(delegationKey), [delegationKey.example], 'Those that a DS can name.'],
  servers: [
    v.array(parentServer),
    [parentServer.example],
    'What each address of each parent server said.',
  ],
});

const dnssecAction = shape({
  action: [v.picklist(['start_zsk_roll', 'publish_cds', 'promote', 'remove']), 'publish_cds'],
  at: [
    time,
    '2026-02-01T12:05:00.000Z',
    'Not before; a time gone by means as soon as nothing blocks it.',
  ],
  key_tags: [v.array(keyTag), [20_326]],
  awaits: [
    v.picklist(['nothing', 'ds_at_all_parents', 'parents_let_go']),
    'nothing',
    'What has to be so besides the time.',
  ],
  waiting_since: [
    v.nullable(time),
    null,
    'Since when it waits for the parents or for secondaries; null before its time.',
  ],
  secondaries_behind: [
    v.array(v.string()),
    [],
    'Enabled secondaries last seen with a serial from before the keys came into their state: they ' +
      'delay it.',
  ],
  blocked_by: [v.nullable(v.string()), null, 'What stood in its way last.'],
});

const defaultPolicy = {
  ...dnssecPolicy.example,
  id: 1,
  name: 'default',
  builtin: true,
  created_at: '2026-01-31T11:00:00.000Z',
  split_keys: false,
  zsk_lifetime_days: 0,
};

const expirationsOfDay = shape({
  date: [v.pipe(v.string(), v.metadata({ format: 'date' })), '2026-02-10', 'In UTC.'],
  signatures: [count, 12],
});

const toDo = v.object({
  text: described(v.string(), 'What it is, or that there is nothing to do: a sentence or two.'),
  action: described(
    v.nullable(v.picklist(['ask_parent', 'sign', 'promote'])),
    'What helps now: POST check-ds, POST sign, or POST rollover/promote.',
  ),
});

/** Sentences for people, of a dry run. */
const sentences = v.optional(v.array(v.string()));
const effectsRule = 'In a dry run: what would be done, sentence by sentence; all else is as it is.';
const risksRule =
  'In a dry run: what may turn bogus by it, and until when, because a check is skipped or caches hold what goes.';

/** Of an answer that says nothing else of the zone. */
export const foreseen = {
  effects: described(sentences, effectsRule),
  risks: described(sentences, risksRule),
};

export const dnssecStatus = shape({
  zone_name: [v.string(), 'example.com'],
  enabled: [v.boolean(), true],
  policy: [v.nullable(dnssecPolicy), defaultPolicy],
  keys: [v.array(signingKey), [signingKey.example]],
  ds_records: [
    v.array(dsRecord),
    [dsRecord.example],
    'What the parent is to serve: two during a roll.',
  ],
  delegation: [v.nullable(delegation), null, 'Null unless this call asked the parent servers.'],
  signatures: [count, 12],
  expired_signatures: [count, 0],
  future_signatures: [count, 0, 'Before their time: the clock was ahead when they were made.'],
  earliest_signature_expires_at: [v.nullable(time), '2026-02-10T02:11:09.000Z'],
  expirations: [
    v.array(expirationsOfDay),
    [expirationsOfDay.example],
    `How many signatures expire on which day, of the first ${limits.expirationDays} days on which any do.`,
  ],
  next_resign_at: [v.nullable(time), '2026-02-05T02:11:09.000Z'],
  serial: [int32, 2],
  withdrawing: [v.boolean(), false, 'CDS and CDNSKEY ask the parent to remove the DS.'],
  parent_ns_addrs: [v.array(v.string()), ['192.0.2.1:53']],
  next_steps: [
    v.array(dnssecAction),
    [dnssecAction.example],
    'What happens to the keys by itself, and what blocks it, by time.',
  ],
  foreign_ds_since: [
    v.nullable(time),
    null,
    'Since when a parent server is seen to serve a DS set that names no key of the zone to validators; null ' +
      'when none is. Parents are asked daily, and whenever a key or a caller asks for it.',
  ],
  to_do: [
    v.nullable(toDo),
    { text: 'Nothing to do, if every server of the parent has the DS.', action: 'ask_parent' },
    'What somebody has to do next; null for a zone that is not signed.',
  ],
  warnings: [v.array(v.string()), []],
  effects: [sentences, undefined, effectsRule],
  risks: [sentences, undefined, risksRule],
});
