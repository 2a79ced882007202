/** How a zone is signed (interface 2.11 and 4.7, decisions 16): what may be asked of whom, and how it is presented. */
import type { Delegated, DnssecStatus } from '../background/dnssec/status.ts';
import { dayMs, formatTime } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { delegationAnswer, dnssecRoutes } from '../contract/dnssec.ts';
import { dnssecStatus } from '../contract/dnssec-status.ts';
import type { NameKey } from '../dns/name.ts';
import { printRdata } from '../dns/rdata/rdata.ts';
import { rrtype } from '../dns/rrtype.ts';
import { algorithmOf } from '../dnssec/algorithm.ts';
import { dsRdata, readDs } from '../dnssec/dnskey.ts';
import { dsKeys } from '../dnssec/key-plan.ts';
import { anyDs, dsAtParents, hasName, servedDsTtl } from '../dnssec/parent-ds.ts';
import { bearsDs, type ZoneKey } from '../dnssec/zone-key.ts';
import { apexOf, type Zone } from '../domain/zone.ts';
import { type Answer, json } from './answer.ts';
import { type CheckedRequest, endpoints, type RequestOf } from './endpoint.ts';
import { presenter } from './fields.ts';
import { zoneNamed } from './request-source.ts';
import type { HandlerServices } from './services.ts';

type AnyOfZone = CheckedRequest<'name', unknown, unknown>;

/** The zone of a write; one that has moved is refused before keys are made and parents are asked. */
function managedZoneOf(request: AnyOfZone): Zone {
  const zone = request.view.zones.with('dnssec:manage', request.params.name);
  request.requireMatch(zone);
  return zone;
}

async function answer(status: 200 | 201, found: Promise<DnssecStatus>) {
  return json(status, presentDnssec(await found));
}

/** Operations that take nothing but the zone. */
function simply(operation: 'withdraw' | 'cancelWithdraw') {
  return (request: AnyOfZone, { dnssec }: HandlerServices): Promise<Answer> =>
    answer(200, dnssec[operation](managedZoneOf(request), request.submitOptions));
}

type PromoteRequest = RequestOf<(typeof dnssecRoutes)['promoteKey']>;

function promote(request: PromoteRequest, { dnssec }: HandlerServices): Promise<Answer> {
  const how = {
    skipDsCheck: eitherOf(request, 'skip_ds_check'),
    skipHolddown: eitherOf(request, 'skip_holddown'),
    skipSecondaries: eitherOf(request, 'skip_secondaries'),
  };
  return answer(200, dnssec.promote(managedZoneOf(request), how, request.submitOptions));
}

export const dnssecEndpoints = endpoints(dnssecRoutes, {
  getDnssec: ({ params, view }, { dnssec }) =>
    answer(200, dnssec.status(view.zones.with('dnssec:read', params.name))),

  enableDnssec(request, { dnssec }) {
    const { parentNsAddrs, policyName } = request.given;
    const wanted = { parentNsAddrs, policyName };
    return answer(
      request.created,
      dnssec.enable(managedZoneOf(request), wanted, request.submitOptions),
    );
  },

  configureDnssec(request, { dnssec }) {
    const { parentNsAddrs, policyName } = request.given;
    const wanted = { parentNsAddrs, policyName };
    return answer(200, dnssec.configure(managedZoneOf(request), wanted, request.submitOptions));
  },

  async disableDnssec(request, { dnssec }) {
    const how = { skipDsCheck: eitherOf(request, 'skip_ds_check') };
    return json(200, await dnssec.disable(managedZoneOf(request), how, request.submitOptions));
  },

  checkDs({ params, view }, { dnssec }) {
    const zone = view.zones.with('dnssec:read', params.name);
    return answer(200, dnssec.checkDs(zone));
  },

  async getDelegation(request, { dnssec }) {
    const zone = request.view.zones.with('dnssec:read', zoneNamed(request));
    const delegation = delegationView(await dnssec.delegation(zone));
    return json(200, presentDelegation({ delegation }));
  },

  rollKey(request, { dnssec }) {
    const wanted = { role: request.body.role ?? null };
    return answer(200, dnssec.roll(managedZoneOf(request), wanted, request.submitOptions));
  },

  promoteKey: promote,
  noteDsSeen: promote,

  abortRoll(request, { dnssec }) {
    const skipDsCheck = eitherOf(request, 'skip_ds_check');
    const how = { role: request.body.role ?? null, skipDsCheck };
    return answer(200, dnssec.abort(managedZoneOf(request), how, request.submitOptions));
  },

  async signZone(request, { dnssec }) {
    return json(200, await dnssec.sign(managedZoneOf(request), request.submitOptions));
  },

  withdrawDs: simply('withdraw'),
  cancelWithdrawal: simply('cancelWithdraw'),
});

/** A switch that stands in the query or in the body, as the caller likes. */
function eitherOf<Name extends string>(
  {
    query,
    body,
  }: {
    readonly query: Readonly<Partial<Record<Name, boolean | undefined>>>;
    readonly body: Readonly<Partial<Record<Name, boolean | null | undefined>>>;
  },
  name: Name,
): boolean {
  return body[name] ?? query[name] ?? false;
}

function keyView(key: ZoneKey) {
  return {
    ...key,
    algorithm: algorithmOf(key.algorithm).name,
    dnskey: printRdata(rrtype.DNSKEY, key.dnskey),
  };
}

function dsView(apex: NameKey, key: ZoneKey) {
  const rdata = dsRdata(apex, key.dnskey);
  const { keyTag, algorithm, digestType, digest } = readDs(rdata);
  return {
    keyTag,
    algorithm,
    digestType,
    digest: digest.toString('hex').toUpperCase(),
    presentation: printRdata(rrtype.DS, rdata),
  };
}

function tagsOf(ds: readonly Buffer[]): number[] {
  const tags = new Set(ds.map((rdata) => readDs(rdata).keyTag));
  return [...tags].sort((a, b) => a - b);
}

function delegationView({ zone, signing, delegation: { checkedAt, answers } }: Delegated) {
  const apex = apexOf(zone);
  return {
    checkedAt,
    dsState: anyDs(answers) ? ('published' as const) : ('hidden' as const),
    dsKeyTags: tagsOf(answers.flatMap((answer) => ('ds' in answer ? answer.ds : []))),
    dsTtl: servedDsTtl(answers),
    parentHasName: hasName(answers),
    parentNsAddrs: signing.parentNsAddrs,
    keys: signing.keys
      .filter(({ role }) => bearsDs(role))
      .map((key) => {
        const { published, digestUnsupported, missing } = dsAtParents(apex, key, answers);
        return {
          ...key,
          dsPublished: published,
          dsDigestUnsupported: digestUnsupported,
          dsMissing: missing,
        };
      }),
    servers: answers.map((answer) => ({
      address: answer.address,
      dsKeyTags: 'ds' in answer ? tagsOf(answer.ds) : null,
      error: 'failure' in answer ? answer.failure : null,
    })),
  };
}

/** Words as JSON has them, with underscores. */
function wordsOf<Name extends string>(name: Name): Underscored<Name> {
  return name.replaceAll('-', '_') as Underscored<Name>;
}

type Underscored<Name> = Name extends `${infer First}-${infer Rest}`
  ? `${First}_${Underscored<Rest>}`
  : Name;

/**
 * An action whose time has come is taken by the next run of the scheduler, unless it waits for others: for
 * parents, for secondaries.
 */
function actionView(
  { action, blockedBy, secondariesBehind }: DnssecStatus['phases'][number],
  now: number,
) {
  const { kind, at, keys, awaits } = action;
  const waits = at <= now && (awaits !== 'nothing' || secondariesBehind.length > 0);
  return {
    action: wordsOf(kind),
    at,
    keyTags: keys.map(({ keyTag }) => keyTag),
    awaits: wordsOf(awaits),
    waitingSince: waits ? at : null,
    secondariesBehind,
    blockedBy,
  };
}

/** The first days of them. */
function expirationsView(expirations: ReadonlyMap<number, number>) {
  const days = [...expirations].sort(([one], [other]) => one - other);
  return days.slice(0, limits.expirationDays).map(([day, signatures]) => {
    return { date: formatTime(day * dayMs).slice(0, '2026-01-31'.length), signatures };
  });
}

const present = presenter(dnssecStatus);
const presentDelegation = presenter(delegationAnswer);

export function presentDnssec(status: DnssecStatus) {
  const { zone, policy, signing, signatures, delegation, toDo } = status;
  const apex = apexOf(zone);
  const isSigned = policy !== null;
  const keys = isSigned ? signing.keys : [];
  return present({
    zoneName: zone.name,
    enabled: isSigned,
    policy,
    keys: keys.map(keyView),
    dsRecords: dsKeys(keys, status.at).map((key) => dsView(apex, key)),
    delegation: delegation && delegationView({ zone, signing, delegation }),
    signatures: signatures.total,
    expiredSignatures: signatures.expired,
    futureSignatures: signatures.future,
    earliestSignatureExpiresAt: signatures.earliestExpiresAt,
    expirations: expirationsView(signatures.expirations),
    nextResignAt: signatures.nextResignAt,
    serial: zone.serial,
    withdrawing: signing.withdrawing,
    parentNsAddrs: signing.parentNsAddrs,
    nextSteps: status.phases.map((next) => actionView(next, status.at)),
    foreignDsSince: isSigned ? signing.foreignDsSince : null,
    toDo: toDo && { ...toDo, action: toDo.action && wordsOf(toDo.action) },
    warnings: status.warnings,
    effects: status.effects,
    risks: status.risks,
  });
}
