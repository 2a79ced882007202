/**
 * Commands about DNSSEC policies. Reading them needs dnssec:read, writing dnssec:manage, both in all
 * zones; who has neither learns of none.
 *
 * Refused: days out of their range, a refresh that is not below the validity, deleting the built-in
 * policy or one that zones are signed under, or would be if they were restored: they would come back
 * under another policy, which may deny in another way.
 */
import { limits } from '../base/limits.ts';
import { excerpt, Problem } from '../base/problem.ts';
import { algorithms } from '../dnssec/algorithm.ts';
import { findManaged, listNames, policies, refuseTaken } from './access/named.ts';
import { requireEverywhere } from './access/require.ts';
import type { Decision, DecisionContext } from './decision.ts';
import {
  type CreatePolicy,
  type DeletePolicy,
  type DnssecPolicy,
  defaultPolicyName,
  denialModes,
  type EnsureDefaultPolicy,
  type PolicyOutcome,
  policyDefaults,
  type UpdatePolicy,
} from './dnssec-policy.ts';
import { parsePlainName } from './plain-name.ts';

function invalid(message: string): Problem {
  return new Problem('INVALID_INPUT', message);
}

function oneOf<Value extends string>(
  field: string,
  values: readonly Value[],
  written: string,
): Value {
  const value = values.find((each) => each === written);
  if (value !== undefined) return value;
  throw invalid(`${field}: '${excerpt(written)}' is none of ${values.join(', ')}`);
}

function checkRange(field: string, days: number, least: number, most: number): void {
  if (Number.isInteger(days) && days >= least && days <= most) return;
  throw invalid(`${field}: ${days} is not from ${least} to ${most}`);
}

/** What the days of a policy must be, alone and together. */
function checkDays(policy: DnssecPolicy): void {
  const { signatureValidityDays: validity, signatureRefreshDays: refresh } = policy;
  checkRange('signature_validity_days', validity, 1, limits.signatureValidityDays);
  checkRange('zsk_lifetime_days', policy.zskLifetimeDays, 0, limits.zskLifetimeDays);
  if (!Number.isInteger(refresh) || refresh < 0) {
    throw invalid(`signature_refresh_days: ${refresh} is not 0 or more`);
  }
  if (refresh < validity) return;
  throw invalid(
    `signature_refresh_days: ${refresh} is not below signature_validity_days, ${validity}`,
  );
}

export function decideEnsureDefaultPolicy(
  _: EnsureDefaultPolicy,
  context: DecisionContext,
): Decision<PolicyOutcome> {
  const existing = context.view.policyByName(defaultPolicyName);
  if (existing !== undefined) return { event: undefined, outcome: { policy: existing } };
  const policy: DnssecPolicy = {
    id: context.allocateId('policy'),
    name: defaultPolicyName,
    builtin: true,
    createdAt: context.now,
    ...policyDefaults,
  };
  return { event: { kind: 'policy.created', policy }, outcome: { policy } };
}

export function decideCreatePolicy(
  command: CreatePolicy,
  context: DecisionContext,
): Decision<PolicyOutcome> {
  requireEverywhere(context.rights, 'dnssec:manage');
  const name = parsePlainName(command.name);
  const fixed = {
    algorithm: oneOf(
      'algorithm',
      algorithms.map((algorithm) => algorithm.name),
      command.algorithm ?? policyDefaults.algorithm,
    ),
    denial: oneOf('denial', denialModes, command.denial ?? policyDefaults.denial),
    splitKeys: command.splitKeys ?? policyDefaults.splitKeys,
  };
  const days = {
    signatureValidityDays: command.signatureValidityDays ?? policyDefaults.signatureValidityDays,
    signatureRefreshDays: command.signatureRefreshDays ?? policyDefaults.signatureRefreshDays,
    zskLifetimeDays: command.zskLifetimeDays ?? policyDefaults.zskLifetimeDays,
  };
  const made = { name, builtin: false, createdAt: context.now, ...fixed, ...days };
  checkDays({ ...made, id: 0 });
  refuseTaken(policies, context, name);
  const policy: DnssecPolicy = { id: context.allocateId('policy'), ...made };
  return { event: { kind: 'policy.created', policy }, outcome: { policy } };
}

export function decideUpdatePolicy(
  command: UpdatePolicy,
  context: DecisionContext,
): Decision<PolicyOutcome> {
  const before = findManaged(policies, context, command.name);
  const policy: DnssecPolicy = {
    ...before,
    signatureValidityDays: command.signatureValidityDays ?? before.signatureValidityDays,
    signatureRefreshDays: command.signatureRefreshDays ?? before.signatureRefreshDays,
    zskLifetimeDays: command.zskLifetimeDays ?? before.zskLifetimeDays,
  };
  checkDays(policy);
  const same =
    policy.signatureValidityDays === before.signatureValidityDays &&
    policy.signatureRefreshDays === before.signatureRefreshDays &&
    policy.zskLifetimeDays === before.zskLifetimeDays;
  if (same) return { event: undefined, outcome: { policy: before } };
  return { event: { kind: 'policy.updated', before, policy }, outcome: { policy } };
}

/** Zones that a refusal names. */
const listedZones = 3;

export function decideDeletePolicy(
  command: DeletePolicy,
  context: DecisionContext,
): Decision<PolicyOutcome> {
  const policy = findManaged(policies, context, command.name);
  if (policy.builtin) {
    throw invalid(`DNSSEC policy '${policy.name}' is built in and can not be deleted`);
  }
  const zones = context.view.zonesUnderPolicy(policy.id);
  if (zones.length > 0) throw inUse(`'${policy.name}' signs ${namesOf(zones)}`);
  const deleted = context.view.deletedZonesUnderPolicy(policy.id);
  if (deleted.length > 0) {
    throw inUse(
      `'${policy.name}' would sign ${namesOf(deleted)} if restored; purge what is not to come back`,
    );
  }
  return { event: { kind: 'policy.deleted', policy }, outcome: { policy } };
}

function inUse(how: string): Problem {
  return new Problem('DNSSEC_POLICY_IN_USE', `DNSSEC policy ${how}`);
}

function namesOf(zones: readonly string[]): string {
  return listNames(
    zones.map((name) => `'${name}'`),
    listedZones,
  );
}
