/**
 * Signs steps: every step of a signed zone gets its DNSSEC records here, before it is journalled.
 *
 * Most steps are signed by what they touch. A step that changes how the zone is signed needs a pass over
 * all of it: of a small zone at once, of a large one ahead, outside the commit. Then the step is refused
 * with WholePassNeeded, and comes again with what was prepared.
 */
import { Problem } from '../base/problem.ts';
import { emptyName, type NameKey } from '../dns/name.ts';
import { compareRecords, type ResourceRecord } from '../dns/record.ts';
import { dnssecTypes, rrtype } from '../dns/rrtype.ts';
import { signsSlowly } from '../dnssec/algorithm.ts';
import { type KeyPlan, planKeys } from '../dnssec/key-plan.ts';
import type { LateSigning } from '../dnssec/late-signing.ts';
import { pacedVerifier, type Verifier } from '../dnssec/noble.ts';
import { refuseNewNames, refuseStoredNames } from '../dnssec/long-names.ts';
import { overlaidZone, signWhole } from '../dnssec/sign-whole.ts';
import { currentTtl } from '../dnssec/key-timing.ts';
import { hidesMany, needsWholePass, signChange } from '../dnssec/sign-change.ts';
import type { Signer } from '../dnssec/key-pair.ts';
import { type SigningPass, type SigningSettings, startPass } from '../dnssec/signing-pass.ts';
import type { ZoneKey } from '../dnssec/zone-key.ts';
import type { StateView } from '../domain/decision.ts';
import { refuseApexDname } from '../domain/dname-rules.ts';
import {
  type DnssecPolicy,
  defaultPolicyName,
  signatureLifetimeOf,
} from '../domain/dnssec-policy.ts';
import { type StagedDelta, keepsSerial, type ZoneEvent } from '../domain/event.ts';
import {
  isSigned,
  type SigningOrder,
  withClockSet,
  withServed,
  type ZoneSigning,
} from '../domain/signing.ts';
import { apexOf, soaRdata, type ZoneSettings } from '../domain/zone.ts';
import type { Pending } from '../projection/pending.ts';
import { SignedView } from '../projection/signed-view.ts';

/** Records of a zone that is signed as a whole within a commit: some 30 ms. */
const wholeHere = 300;

/** Records that one step signs within a commit, unless the zone has more than the factor below times as many. */
const maxRecordsHere = 500;
const maxRatio = 40;

/** Zones whose way is kept in memory. */
const maxKeptParameters = 10_000;

/** A pass over a whole zone that was prepared ahead, for one step. */
export interface PreparedPass {
  readonly staged: StagedDelta;
  /** What the step was to be when it was prepared. */
  readonly fingerprint: string;
  /** Of the records that it leaves, in seconds. */
  readonly largestTtl: number;
}

/** What a pass over a whole zone is made of. */
export interface WholePass {
  readonly zoneId: number;
  readonly zoneName: string;
  /** Generation of the user records that the step leaves: the published one, or the staged one. */
  readonly generation: number;
  /** User records of the step, unless they were staged. */
  readonly removed: readonly ResourceRecord[];
  readonly added: readonly ResourceRecord[];
  readonly staged: StagedDelta | undefined;
  /** Undefined to leave no DNSSEC record. */
  readonly pass:
    | {
        readonly settings: SigningSettings;
        readonly keys: readonly ZoneKey[];
        readonly withdrawing: boolean;
        readonly reuse: boolean;
        /** When signatures are made. */
        readonly now: number;
      }
    | undefined;
  readonly fingerprint: string;
}

/** The step can only be published with a pass over the whole zone, which is too long for a commit. */
export class WholePassNeeded extends Error {
  readonly whole: WholePass;

  constructor(whole: WholePass) {
    super(`zone ${whole.zoneName} has to be signed as a whole`);
    this.whole = whole;
  }
}

export interface SigningTimes {
  /**
   * When its signatures are made: by the clock, even where the journal is ahead of it, for validators go
   * by theirs.
   */
  readonly now: number;
  /** Whether the journal is ahead of the clock. */
  readonly isBehind: boolean;
  /** False when steps of other zones come with it: then nothing is prepared ahead for its length alone. */
  readonly isAlone: boolean;
}

export type SignerOf = (key: ZoneKey) => Signer;

export class ZoneSigner {
  readonly #state: StateView;
  readonly #pending: Pending;
  readonly #signerOf: SignerOf;
  readonly #signed: (signatures: number) => void;
  readonly #late: LateSigning;
  readonly #verifier: Verifier;
  /** How zones are signed, of those that were looked at. */
  readonly #parameters = new Map<number, string>();
  /** How keys are used, by the states that hold them. */
  readonly #plans = new WeakMap<ZoneSigning, { readonly apex: NameKey; readonly plan: KeyPlan }>();
  /** Policies by their numbers, until one of them changes. */
  readonly #policies = new Map<number | null, DnssecPolicy>();

  constructor(
    state: StateView,
    pending: Pending,
    signerOf: SignerOf,
    late: LateSigning,
    signed: (signatures: number) => void,
  ) {
    this.#state = state;
    this.#pending = pending;
    this.#signerOf = signerOf;
    this.#late = late;
    this.#verifier = late.verifierOf(pacedVerifier());
    this.#signed = signed;
  }

  /** The step with its DNSSEC records, and with what it does to the state of signing. */
  sign(
    event: ZoneEvent,
    times: SigningTimes,
    order: SigningOrder = {},
    prepared?: PreparedPass,
  ): ZoneEvent {
    const { after, zoneId, kind } = event;
    if (after === null || keepsSerial(kind)) return event;
    const { now, isBehind } = times;
    const before = this.#pending.signing.of(zoneId);
    const state = event.signing?.state ?? before;
    if (!isSigned(state)) return isSigned(before) ? this.#unsign(event, after, prepared) : event;
    const prior = withCdsOf(withClockSet(state, now, isBehind), now);
    const recorded = this.#noteTtls(prior, event, after, {
      now,
      staged: prepared?.largestTtl ?? 0,
    });
    const signing =
      recorded === state
        ? event.signing
        : { reason: event.signing?.reason ?? 'zone-changed', state: recorded };
    const change: ZoneEvent = signing === undefined ? event : { ...event, signing };
    return this.#signChange(change, after, recorded, times, order, prepared);
  }

  /**
   * Refuses a step that named, knotd or nsd would not take from a signed zone. Dry runs ask it too, which are not
   * signed.
   */
  check({ after, zoneId, kind, signing, staged, delta }: ZoneEvent): void {
    if (after === null || keepsSerial(kind)) return;
    const state = signing?.state ?? this.#pending.signing.of(zoneId);
    if (!isSigned(state) || this.#policyOf(state).denial !== 'nsec3') return;
    refuseNewNames(new SignedView(this.#pending, zoneId), apexOf(after), delta, staged);
    const isApexDname = ({ owner, type }: ResourceRecord) =>
      owner === emptyName && type === rrtype.DNAME;
    if (staged?.hasApexDname ?? delta.added.some(isApexDname)) refuseApexDname(after.name);
    if (staged?.hasApexDname === false || delta.removed.some(isApexDname)) return;
    const { blocks } = this.#pending;
    if (blocks.recordsAt(zoneId, emptyName).some(isApexDname)) refuseApexDname(after.name);
  }

  /**
   * Opens the keys that a step is to be signed with, and looks for the names that signing would refuse: a dry run
   * signs nothing.
   */
  openKeys(event: ZoneEvent, { now, isBehind }: Omit<SigningTimes, 'isAlone'>): void {
    const { after, zoneId, kind, signing, staged, delta } = event;
    if (after === null || keepsSerial(kind)) return;
    const state = signing?.state ?? this.#pending.signing.of(zoneId);
    if (!isSigned(state)) return;
    const apex = apexOf(after);
    const { keys, withdrawing } = withCdsOf(withClockSet(state, now, isBehind), now);
    // Not kept: the step may be decided in another state.
    planKeys(keys, this.#signerOf, { apex, withdrawing, now });
    if (staged !== undefined || this.#policyOf(state).denial !== 'nsec3') return;
    const view = new SignedView(this.#pending, zoneId);
    refuseStoredNames(view, apex, delta, (maxBytes) => {
      this.#pending.flush();
      return this.#pending.blocks.longOwners(zoneId, maxBytes);
    });
  }

  #signChange(
    event: ZoneEvent,
    after: ZoneSettings,
    state: ZoneSigning,
    { now, isAlone }: SigningTimes,
    { resign = false, revisit }: SigningOrder,
    prepared: PreparedPass | undefined,
  ): ZoneEvent {
    const { zoneId, delta } = event;
    const settings = settingsOfPass(after, this.#policyOf(state));
    const plan = this.#planOf(state, settings.apex, now);
    const pass = startPass(settings, plan, now, this.#verifier, !resign);
    const view = new SignedView(this.#pending, zoneId);
    const isWhole =
      resign ||
      event.staged !== undefined ||
      event.kind === 'zone.restored' ||
      this.#needsOtherParameters(pass, view, zoneId, state) ||
      (isAlone && this.#isLong(event, view, state.keys));
    if (!isWhole) {
      const change = { removed: delta.removed, added: delta.added, ...(revisit && { revisit }) };
      const work = () => signChange(pass, view, change);
      // The neighbours of an NSEC are looked for among packed records, which must not wait for signatures.
      const isLate = pass.denial.mode === 'nsec3';
      const { dnssecRemoved, dnssecAdded, signatures } = isLate ? this.#late.during(work) : work();
      this.#signed(signatures);
      return { ...event, delta: { ...delta, dnssecRemoved, dnssecAdded } };
    }
    // Should the former way come back, all owners are to be looked at again.
    this.#parameters.delete(zoneId);
    const { keys, withdrawing } = state;
    const terms = { settings, keys, withdrawing, reuse: !resign, now };
    const whole = this.#wholeOf(event, after, terms);
    if (prepared?.fingerprint === whole.fingerprint) {
      return { ...event, staged: prepared.staged };
    }
    if (!this.#isSmall(event, state.keys)) throw new WholePassNeeded(whole);
    return { ...event, delta: { ...delta, ...this.#signAll(pass, view, event) } };
  }

  /** A state has one plan at all times: keys whose CDS come due make another state of it. */
  #planOf(state: ZoneSigning, apex: NameKey, now: number): KeyPlan {
    const known = this.#plans.get(state);
    if (known?.apex === apex) return known.plan;
    const { keys, withdrawing } = state;
    const plan = planKeys(keys, this.#signerOf, { apex, withdrawing, now });
    this.#plans.set(state, { apex, plan });
    return plan;
  }

  /** Whether a step is too long for a commit though it changes no way. */
  #isLong({ zoneId, delta }: ZoneEvent, view: SignedView, keys: readonly ZoneKey[]): boolean {
    if (hidesMany(view, delta, wholeHere)) return true;
    const records = delta.removed.length + delta.added.length;
    if (records <= (isSlow(keys) ? maxRecordsHere / 20 : maxRecordsHere)) return false;
    const zone = this.#state.zoneById(zoneId);
    return zone !== undefined && zone.recordCount <= records * maxRatio;
  }

  /** Whether the zone is not signed in the way of the pass yet; looked up when something changed. */
  #needsOtherParameters(
    pass: SigningPass,
    view: SignedView,
    zoneId: number,
    state: ZoneSigning,
  ): boolean {
    const { settings, denialTtl } = pass;
    const keys = state.keys.map((key) => `${key.id} ${key.state}`).join();
    const parameters = `${settings.denial} ${denialTtl} ${keys}`;
    if (this.#parameters.get(zoneId) === parameters) return false;
    if (needsWholePass(pass, view)) return true;
    if (this.#parameters.size >= maxKeptParameters) this.#parameters.clear();
    this.#parameters.set(zoneId, parameters);
    return false;
  }

  /** After an event of administration, which may be about them. */
  forgetPolicies(): void {
    this.#policies.clear();
  }

  /** After a commit that failed: nothing is known of how zones are signed. */
  forget(): void {
    this.#parameters.clear();
    this.#policies.clear();
  }

  #signAll(pass: SigningPass, view: SignedView, { delta }: ZoneEvent) {
    const dnssecRemoved: ResourceRecord[] = [];
    const dnssecAdded: ResourceRecord[] = [];
    const stored = [...view.records()];
    const change = {
      removed: delta.removed.toSorted(compareRecords),
      added: delta.added.toSorted(compareRecords),
    };
    for (const { removed, added } of signWhole(
      pass,
      overlaidZone(() => stored, change),
    )) {
      dnssecRemoved.push(...removed);
      dnssecAdded.push(...added);
    }
    this.#signed(pass.audit.made);
    return { dnssecRemoved, dnssecAdded };
  }

  /** Removes all DNSSEC records. */
  #unsign(event: ZoneEvent, after: ZoneSettings, prepared: PreparedPass | undefined): ZoneEvent {
    const whole = this.#wholeOf(event, after, undefined);
    if (prepared?.fingerprint === whole.fingerprint) {
      return { ...event, staged: prepared.staged };
    }
    if (!this.#isSmall(event, [])) throw new WholePassNeeded(whole);
    const view = new SignedView(this.#pending, event.zoneId);
    const dnssecRemoved = [...view.records()].filter(({ type }) => dnssecTypes.has(type));
    return { ...event, delta: { ...event.delta, dnssecRemoved } };
  }

  #isSmall({ zoneId, staged, before, kind, delta }: ZoneEvent, keys: readonly ZoneKey[]): boolean {
    if (staged !== undefined) return false;
    const zone =
      kind === 'zone.restored'
        ? this.#state.deletedZone(before!.name, zoneId)
        : this.#state.zoneById(zoneId);
    const records = (zone?.recordCount ?? 0) + delta.added.length;
    return zone !== undefined && records <= (isSlow(keys) ? wholeHere / 20 : wholeHere);
  }

  #wholeOf(event: ZoneEvent, after: ZoneSettings, pass: WholePass['pass']): WholePass {
    const { zoneId, delta, staged } = event;
    const change = {
      zoneId,
      after,
      keys: pass?.keys.map(({ id, state }) => [id, state]),
      denial: pass?.settings.denial,
      withdrawing: pass?.withdrawing,
      // CDS may come due while the pass is prepared.
      cds: pass?.keys
        .filter(({ cdsFrom }) => cdsFrom !== null && cdsFrom <= pass.now)
        .map(({ id }) => id),
      staged: staged?.number,
      records: [delta.removed.map(({ id }) => id), delta.added.map(({ id }) => id)],
    };
    return {
      zoneId,
      zoneName: after.name,
      generation: staged?.number ?? this.#pending.blocks.generationOf(zoneId),
      removed: delta.removed,
      added: delta.added,
      staged,
      pass,
      fingerprint: JSON.stringify(change),
    };
  }

  /** The policy that the zone is signed under; the built-in one when it was deleted. */
  #policyOf({ policyId }: ZoneSigning): DnssecPolicy {
    const known = this.#policies.get(policyId);
    if (known !== undefined) return known;
    const policy =
      this.#state.policyById(policyId ?? 0) ?? this.#state.policyByName(defaultPolicyName);
    if (policy === undefined) throw new Problem('DNSSEC_SIGNING_FAILED', 'no policy is left');
    this.#policies.set(policyId, policy);
    return policy;
  }

  #noteTtls(
    state: ZoneSigning,
    { delta }: ZoneEvent,
    after: ZoneSettings,
    { now, staged }: { readonly now: number; readonly staged: number },
  ) {
    let largest = Math.max(currentTtl(state.largestTtls) ?? 0, after.defaultTtl, staged);
    for (const { ttl } of delta.added) largest = Math.max(largest, ttl);
    return withServed(state, after, { largestTtl: largest, refresh: after.refresh }, now);
  }
}

function isSlow(keys: readonly ZoneKey[]): boolean {
  return keys.some(({ algorithm }) => signsSlowly(algorithm));
}

/** The state, signed as of now when CDS have come due since: every step publishes them. */
function withCdsOf(state: ZoneSigning, now: number): ZoneSigning {
  const isDue = state.keys.some(
    ({ cdsFrom }) => cdsFrom !== null && cdsFrom > state.signedAt && cdsFrom <= now,
  );
  return isDue ? { ...state, signedAt: now } : state;
}

function settingsOfPass(zone: ZoneSettings, policy: DnssecPolicy): SigningSettings {
  return {
    apex: apexOf(zone),
    soaTtl: zone.defaultTtl,
    soaRdata: soaRdata(zone),
    denial: policy.denial,
    lifetime: signatureLifetimeOf(policy),
  };
}
