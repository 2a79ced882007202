/** How a zone is signed, as JSON (interface 2.11, decisions 16). */
import { formatTime } from '../../base/clock.ts';
import type { NameKey } from '../../dns/name.ts';
import { printRdata } from '../../dns/rdata/rdata.ts';
import { rrtype } from '../../dns/rrtype.ts';
import { algorithmOf } from '../../dnssec/algorithm.ts';
import { dsRdata, readDs } from '../../dnssec/ds.ts';
import { anyDs, dsStanding, type ParentAnswer } from '../../dnssec/parent-ds.ts';
import { bearsDs, type ZoneKey } from '../../dnssec/zone-key.ts';
import { apexOf } from '../../domain/zone.ts';
import type { DnssecStatus } from '../dnssec-door.ts';
import { presentPolicy } from './dnssec-policy.ts';

const timeOrNull = (milliseconds: number | null) =>
  milliseconds === null ? null : formatTime(milliseconds);

function presentKey(key: ZoneKey) {
  return {
    id: key.id,
    algorithm: algorithmOf(key.algorithm).name,
    key_tag: key.keyTag,
    role: key.role,
    state: key.state,
    dnskey: printRdata(rrtype.DNSKEY, key.dnskey),
    created_at: formatTime(key.createdAt),
    eligible_at: timeOrNull(key.eligibleAt),
    state_changed_at: formatTime(key.stateChangedAt),
  };
}

/**
 * True for keys whose DS the parent is to serve: those that sign, and those that will. The new key of an
 * algorithm roll is none of them until caches have its signatures (RFC 6781 4.1.4).
 */
function isToBeNamed(key: ZoneKey, now: number): boolean {
  return bearsDs(key.role) && key.state !== 'retired' && key.dsFrom !== null && key.dsFrom <= now;
}

function presentDs(apex: NameKey, key: ZoneKey) {
  const rdata = dsRdata(apex, key.dnskey);
  const { keyTag, algorithm, digestType, digest } = readDs(rdata);
  return {
    key_tag: keyTag,
    algorithm,
    digest_type: digestType,
    digest: digest.toString('hex').toUpperCase(),
    presentation: printRdata(rrtype.DS, rdata),
  };
}

function tagsOf(ds: readonly Buffer[]): number[] {
  const tags = new Set(ds.map((rdata) => readDs(rdata).keyTag));
  return [...tags].sort((a, b) => a - b);
}

function largestTtl(answers: readonly ParentAnswer[]): number | null {
  const ttls = answers.flatMap((answer) => ('ds' in answer ? (answer.ttlSeconds ?? []) : []));
  return ttls.length === 0 ? null : Math.max(...ttls);
}

function presentDelegation({ zone, signing, delegation }: DnssecStatus) {
  if (delegation === null) return null;
  const { checkedAt, answers } = delegation;
  const apex = apexOf(zone);
  return {
    checked_at: formatTime(checkedAt),
    ds_state: anyDs(answers) ? 'published' : 'hidden',
    ds_key_tags: tagsOf(answers.flatMap((answer) => ('ds' in answer ? answer.ds : []))),
    ds_ttl: largestTtl(answers),
    parent_ns_addrs: signing.parentNsAddrs,
    keys: signing.keys
      .filter(({ role }) => bearsDs(role))
      .map((key) => {
        const { published, digestUnsupported } = dsStanding(apex, key.dnskey, answers);
        return {
          id: key.id,
          key_tag: key.keyTag,
          role: key.role,
          state: key.state,
          ds_published: published,
          ds_digest_unsupported: digestUnsupported,
          eligible_at: timeOrNull(key.eligibleAt),
        };
      }),
    servers: answers.map((answer) => ({
      address: answer.address,
      ds_key_tags: 'ds' in answer ? tagsOf(answer.ds) : null,
      error: 'failure' in answer ? answer.failure : null,
    })),
  };
}

const wordsOf = (name: string) => name.replaceAll('-', '_');

/**
 * A step whose time has come is taken by the next run of the scheduler, unless it waits for others: for
 * parents, for secondaries.
 */
function presentStep(
  { action: step, blockedBy, secondariesBehind }: DnssecStatus['steps'][number],
  now: number,
) {
  const { kind, at, keys, awaits } = step;
  const waits = at <= now && (awaits !== 'nothing' || secondariesBehind.length > 0);
  return {
    action: wordsOf(kind),
    at: formatTime(at),
    key_tags: keys.map(({ keyTag }) => keyTag),
    awaits: wordsOf(awaits),
    waiting_since: waits ? formatTime(at) : null,
    secondaries_behind: secondariesBehind,
    blocked_by: blockedBy,
  };
}

export function presentDnssec(status: DnssecStatus) {
  const { zone, policy, signing, signatures } = status;
  const apex = apexOf(zone);
  const isSigned = policy !== null;
  const keys = isSigned ? signing.keys : [];
  return {
    zone_name: zone.name,
    enabled: isSigned,
    policy: policy && presentPolicy(policy),
    keys: keys.map(presentKey),
    ds_records: keys
      .filter((key) => isToBeNamed(key, status.at))
      .map((key) => presentDs(apex, key)),
    delegation: presentDelegation(status),
    signatures: signatures.total,
    expired_signatures: signatures.expired,
    future_signatures: signatures.future,
    earliest_signature_expires_at: timeOrNull(signatures.earliestExpiresAt),
    next_resign_at: timeOrNull(signatures.nextResignAt),
    serial: zone.serial,
    withdrawing: signing.withdrawing,
    parent_ns_addrs: signing.parentNsAddrs,
    next_steps: status.steps.map((step) => presentStep(step, status.at)),
    foreign_ds_since: timeOrNull(isSigned ? signing.foreignDsSince : null),
    warnings: status.warnings,
  };
}
