/**
 * Commands about DNSSEC policies. Reading them needs dnssec:read, writing dnssec:manage, both in all
 * zones; who has neither learns of none.
 *
 * Refused: days out of their range, a refresh that is not below the validity, deleting the built-in
 * policy or one that zones are signed under, or would be if they were restored: they would come back
 * under another policy, which may deny in another way.
 */
import { isDeepStrictEqual } from 'node:util';
import { readFields } from '../base/item-errors.ts';
import { limits } from '../base/limits.ts';
import { excerpt, Problem } from '../base/problem.ts';
import { algorithms } from '../dnssec/algorithm.ts';
import { requireEverywhere } from './access/require.ts';
import { findManaged, listNames, type Named, policies, refuseTaken } from './access/visibility.ts';
import type { Decision, DecisionContext } from './decision.ts';
import {
  type DnssecPolicy,
  defaultPolicyName,
  denialModes,
  policyDefaults,
} from './dnssec-policy.ts';
import { parseIdentifier } from './identifier.ts';

interface PolicyDays {
  readonly signatureValidityDays?: number | undefined;
  readonly signatureRefreshDays?: number | undefined;
  readonly zskLifetimeDays?: number | undefined;
}

interface CreatePolicy extends Named, PolicyDays {
  readonly algorithm?: string | undefined;
  readonly denial?: string | undefined;
  readonly splitKeys?: boolean | undefined;
}

interface UpdatePolicy extends Named, PolicyDays {}

interface PolicyOutcome {
  readonly policy: DnssecPolicy;
}

type Decided = Decision<PolicyOutcome>;
type Days = Pick<
  DnssecPolicy,
  'signatureValidityDays' | 'signatureRefreshDays' | 'zskLifetimeDays'
>;

function invalid(message: string): Problem {
  return new Problem('INVALID_INPUT', message);
}

function oneOf<Value extends string>(
  field: string,
  values: readonly Value[],
  given: string,
): Value {
  const value = values.find((each) => each === given);
  if (value !== undefined) return value;
  throw invalid(`${field}: '${excerpt(given)}' is none of ${values.join(', ')}`);
}

function checkRange(field: string, days: number, min: number, max: number): void {
  if (Number.isInteger(days) && days >= min && days <= max) return;
  throw invalid(`${field}: ${days} is not from ${min} to ${max}`);
}

/** The days of a policy with those that are given in their places; what they must be, alone and together. */
function withDays(before: Days, given: PolicyDays): Days {
  const days = {
    signatureValidityDays: given.signatureValidityDays ?? before.signatureValidityDays,
    signatureRefreshDays: given.signatureRefreshDays ?? before.signatureRefreshDays,
    zskLifetimeDays: given.zskLifetimeDays ?? before.zskLifetimeDays,
  };
  const { signatureValidityDays: validity, signatureRefreshDays: refresh } = days;
  readFields({
    validity: () =>
      checkRange('signature_validity_days', validity, 1, limits.signatureValidityDays),
    lifetime: () =>
      checkRange('zsk_lifetime_days', days.zskLifetimeDays, 0, limits.zskLifetimeDays),
    refresh: () => checkRefresh(refresh, validity),
  });
  return days;
}

function checkRefresh(refresh: number, validity: number): void {
  if (!Number.isInteger(refresh) || refresh < 0) {
    throw invalid(`signature_refresh_days: ${refresh} is not 0 or more`);
  }
  if (refresh < validity) return;
  throw invalid(
    `signature_refresh_days: ${refresh} is not below signature_validity_days, ${validity}`,
  );
}

/** Makes the built-in policy where it is missing; the service asks for it when it starts. */
function decideEnsureDefaultPolicy(_: object, context: DecisionContext): Decided {
  const existing = context.view.policyByName(defaultPolicyName);
  if (existing !== undefined) return { event: undefined, outcome: { policy: existing } };
  return created({ name: defaultPolicyName, builtin: true, ...policyDefaults }, context);
}

function created(
  { name, builtin, ...terms }: Omit<DnssecPolicy, 'id' | 'createdAt'>,
  context: DecisionContext,
): Decided {
  const id = context.allocateId('policy');
  const policy = { id, name, builtin, createdAt: context.now, ...terms };
  return { event: { kind: 'policy.created', policy }, outcome: { policy } };
}

function decideCreatePolicy(command: CreatePolicy, context: DecisionContext): Decided {
  requireEverywhere(context.rights, 'dnssec:manage');
  const names = algorithms.map((algorithm) => algorithm.name);
  const { splitKeys } = policyDefaults;
  const { days, ...fixed } = readFields({
    name: () => parseIdentifier(command.name),
    algorithm: () => oneOf('algorithm', names, command.algorithm ?? policyDefaults.algorithm),
    denial: () => oneOf('denial', denialModes, command.denial ?? policyDefaults.denial),
    splitKeys: () => command.splitKeys ?? splitKeys,
    days: () => withDays(policyDefaults, command),
  });
  refuseTaken(policies, context, fixed.name);
  return created({ builtin: false, ...fixed, ...days }, context);
}

function decideUpdatePolicy(command: UpdatePolicy, context: DecisionContext): Decided {
  const before = findManaged(policies, context, command);
  const policy: DnssecPolicy = { ...before, ...withDays(before, command) };
  if (isDeepStrictEqual(policy, before)) return { event: undefined, outcome: { policy: before } };
  return { event: { kind: 'policy.updated', before, policy }, outcome: { policy } };
}

/** Zones that a refusal names. */
const listedZones = 3;

function decideDeletePolicy(command: Named, context: DecisionContext): Decided {
  const policy = findManaged(policies, context, command);
  const { name, id, builtin } = policy;
  if (builtin) throw invalid(`DNSSEC policy '${name}' is built in and can not be deleted`);
  const zones = context.view.zonesUnderPolicy(id);
  if (zones.length > 0) throw inUse(`'${name}' signs ${namesOf(zones)}`);
  const moving = context.view.zonesMovedFromPolicy(id);
  if (moving.length > 0) {
    throw inUse(`'${name}' signs ${namesOf(moving)} again if the move to another one is aborted`);
  }
  const deleted = context.view.deletedZonesUnderPolicy(id);
  if (deleted.length > 0) {
    throw inUse(
      `'${name}' would sign ${namesOf(deleted)} if restored; purge what is not to come back`,
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

export const policyDecisions = {
  'ensure-default-policy': decideEnsureDefaultPolicy,
  'create-policy': decideCreatePolicy,
  'update-policy': decideUpdatePolicy,
  'delete-policy': decideDeletePolicy,
};
