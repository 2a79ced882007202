/** How a zone is signed, as the interface shows and takes it (interface 2.11 and 4.7). */
import * as v from 'valibot';
import { limits } from '../../base/limits.ts';
import { count, flag, int32, optional, text, time } from './common.ts';
import { dnssecPolicy } from './dnssec-policy.ts';
import { booleanParameter } from './query.ts';
import { serverAddress } from './shapes.ts';

const keyRole = v.picklist(['csk', 'ksk', 'zsk']);
const keyState = v.picklist(['published', 'active', 'retired']);
const keyTag = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535));

const eligibleAt = v.pipe(
  v.nullable(time),
  v.description('Published: when it may be promoted. Retired: when it may go. Active: null.'),
);

export const signingKey = v.object({
  id: int32,
  algorithm: v.string(),
  key_tag: keyTag,
  role: keyRole,
  state: v.pipe(keyState, v.description('A key that was removed is not shown.')),
  dnskey: v.pipe(v.string(), v.description('RDATA of the DNSKEY in presentation form.')),
  created_at: time,
  eligible_at: eligibleAt,
  state_changed_at: time,
});

export const dsRecord = v.object({
  key_tag: keyTag,
  algorithm: v.pipe(v.number(), v.integer()),
  digest_type: v.pipe(v.number(), v.integer()),
  digest: v.pipe(v.string(), v.description('Hexadecimal.')),
  presentation: v.pipe(v.string(), v.description('RDATA of the DS in presentation form.')),
});

const delegationKey = v.object({
  id: int32,
  key_tag: keyTag,
  role: keyRole,
  state: keyState,
  ds_published: v.pipe(
    v.boolean(),
    v.description('Every parent server serves a DS that names it; the digest was computed again.'),
  ),
  ds_digest_unsupported: v.pipe(
    v.boolean(),
    v.description('A DS fits its tag and algorithm, but the digest type can not be computed.'),
  ),
  eligible_at: eligibleAt,
});

const parentServer = v.object({
  address: v.string(),
  ds_key_tags: v.pipe(
    v.nullable(v.array(keyTag)),
    v.description('Of the DS it serves; null when it could not be asked.'),
  ),
  error: v.nullable(v.string()),
});

export const delegation = v.object({
  checked_at: time,
  ds_state: v.pipe(
    v.picklist(['published', 'hidden']),
    v.description('published when any parent server serves a DS.'),
  ),
  ds_key_tags: v.array(keyTag),
  ds_ttl: v.pipe(
    v.nullable(int32),
    v.description('The largest TTL that the DS are served with; null when there are none.'),
  ),
  parent_ns_addrs: v.array(v.string()),
  keys: v.pipe(v.array(delegationKey), v.description('Those that a DS can name.')),
  servers: v.pipe(
    v.array(parentServer),
    v.description('What each address of each parent server said.'),
  ),
});

const nextStep = v.object({
  action: v.picklist(['start_zsk_roll', 'publish_cds', 'promote', 'remove']),
  at: v.pipe(time, v.description('Not before; a time gone by means as soon as nothing blocks it.')),
  key_tags: v.array(keyTag),
  awaits: v.pipe(
    v.picklist(['nothing', 'ds_at_all_parents', 'parents_let_go']),
    v.description('What has to be so besides the time.'),
  ),
  waiting_since: v.pipe(
    v.nullable(time),
    v.description('Since when it waits for the parents or for secondaries; null before its time.'),
  ),
  secondaries_behind: v.pipe(
    v.array(v.string()),
    v.description(
      'Enabled secondaries last seen with a serial from before the keys came into their state: they ' +
        'hold the step back.',
    ),
  ),
  blocked_by: v.pipe(v.nullable(v.string()), v.description('What stood in its way last.')),
});

export const dnssecStatus = v.object({
  zone_name: v.string(),
  enabled: v.boolean(),
  policy: v.nullable(dnssecPolicy),
  keys: v.array(signingKey),
  ds_records: v.pipe(
    v.array(dsRecord),
    v.description('What the parent is to serve: two during a roll.'),
  ),
  delegation: v.pipe(
    v.nullable(delegation),
    v.description('Null unless this call asked the parent servers.'),
  ),
  signatures: count,
  expired_signatures: count,
  future_signatures: v.pipe(
    count,
    v.description('Before their time: the clock was ahead when they were made.'),
  ),
  earliest_signature_expires_at: v.nullable(time),
  next_resign_at: v.nullable(time),
  serial: int32,
  withdrawing: v.pipe(
    v.boolean(),
    v.description('CDS and CDNSKEY ask the parent to remove the DS.'),
  ),
  parent_ns_addrs: v.array(v.string()),
  next_steps: v.pipe(
    v.array(nextStep),
    v.description('What happens to the keys by itself, and what blocks it, by time.'),
  ),
  foreign_ds_since: v.pipe(
    v.nullable(time),
    v.description(
      'Since when a parent server is seen to serve a DS set that names no key of the zone; null when none ' +
        'is. Parents are asked daily, and whenever a key or a caller asks for it.',
    ),
  ),
  warnings: v.array(v.string()),
});

const parentNsAddrs = v.pipe(
  v.array(serverAddress, 'must be an array of strings'),
  v.metadata({ minItems: 1, maxItems: limits.parentServers }),
  v.description(
    'Name servers of the parent, host[:port], port 53 when left out; at least one. Private addresses are asked only when the caller holds zone:create or secondary:manage in all zones.',
  ),
);
const policyName = v.pipe(optional(text), v.description('The built-in policy when left out.'));

export const enableBody = v.strictObject({
  parent_ns_addrs: parentNsAddrs,
  policy_name: policyName,
});

export const configureBody = v.strictObject({
  policy_name: v.pipe(
    optional(text),
    v.description('Moves a signed zone; the key layout must be the same.'),
  ),
  parent_ns_addrs: v.pipe(
    optional(parentNsAddrs),
    v.description('Replaces them; alone it is for unsigned zones too. At least one entry.'),
  ),
});

export const rollBody = v.strictObject({
  role: v.pipe(
    optional(text),
    v.description('Which key to roll, ksk or zsk; needed when the zone has both.'),
  ),
});

const dsCheckRule = 'Do not ask the parent servers.';
const holddownRule = 'Do not wait until caches know the new key.';

const secondariesRule =
  'Do not wait for secondaries that serve a serial from before the key was published, now or at the ' +
  'removal of the key that is replaced.';

function switchParameter(description: string) {
  return v.pipe(v.optional(booleanParameter), v.description(description));
}

function switchField(description: string) {
  return v.pipe(optional(flag), v.description(description));
}

export const disableQuery = v.strictObject({ skip_ds_check: switchParameter(dsCheckRule) });
export const disableBody = v.strictObject({ skip_ds_check: switchField(dsCheckRule) });

export const promoteQuery = v.strictObject({
  skip_ds_check: switchParameter(dsCheckRule),
  skip_holddown: switchParameter(holddownRule),
  skip_secondaries: switchParameter(secondariesRule),
});
export const promoteBody = v.strictObject({
  skip_ds_check: switchField(dsCheckRule),
  skip_holddown: switchField(holddownRule),
  skip_secondaries: switchField(secondariesRule),
});

export const abortQuery = v.strictObject({ skip_ds_check: switchParameter(dsCheckRule) });
export const abortBody = v.strictObject({
  role: v.pipe(
    optional(text),
    v.description(
      'The key of which role, csk, ksk or zsk. When left out: the keys that wait for the parent, or else ' +
        'the ZSK.',
    ),
  ),
  skip_ds_check: switchField(dsCheckRule),
});
