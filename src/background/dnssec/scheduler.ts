/**
 * What signed zones need without being asked (decisions 10): signatures made anew before they run out,
 * CDS that come due, ZSK rolls, promotions, and the removal of keys that nobody needs any more. CSK and
 * KSK never begin a roll by themselves.
 */
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import pLimit from 'p-limit';
import { type Clock, ClockWatch, monotonicMs } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { Periodic } from '../../base/periodic.ts';
import { assert, Problem, ServiceStops } from '../../base/problem.ts';
import { signsSlowly } from '../../dnssec/algorithm.ts';
import { actionName, type KeyAction, keyActions } from '../../dnssec/key-roll.ts';
import { type ParentsSaid, removalBlock } from '../../dnssec/parent-ds.ts';
import type { SecondaryAnswer } from '../../dnssec/secondary-serials.ts';
import { retiredEntryPoints } from '../../dnssec/zone-key.ts';
import { cachesBlock, secondariesBlock } from '../../domain/decide-key-roll.ts';
import {
  algorithmNumberOf,
  type DnssecPolicy,
  signatureLifetimeOf,
} from '../../domain/dnssec-policy.ts';
import { isSigned, unsigned, withClockSet, type ZoneSigning } from '../../domain/signing.ts';
import { apexOf, type Zone } from '../../domain/zone.ts';
import type { Writer } from '../../writer/writer.ts';
import { bySystem } from '../../writer/submission.ts';
import type { PolicyQueries } from '../../query/named-queries.ts';
import type { Reader } from '../../query/reader.ts';
import type { SignatureFacts } from '../../query/signature-scan.ts';
import type { SigningQueries } from '../../projection/signing-store.ts';
import type { ZoneQueries } from '../../query/zone-queries.ts';
import type { Log } from '../../telemetry/log.ts';
import type { DelegationChecks } from './delegation-checks.ts';
import { DsLooks } from './ds-looks.ts';
import { type AskSecondaries, askerOfRun } from './secondaries.ts';
import { policyOfZone, scheduleTermsOf } from './next-actions.ts';
import type { SigningService } from './signing-service.ts';

export interface SchedulerServices {
  readonly writer: Pick<Writer, 'submit'>;
  readonly zones: Pick<ZoneQueries, 'byId'>;
  readonly policies: Pick<PolicyQueries, 'byId' | 'byName'>;
  readonly signing: Pick<SigningQueries, 'of' | 'signedZones'>;
  readonly reader: Pick<Reader, 'signatures'>;
  readonly signingService: Pick<SigningService, 'roll' | 'noteSecondaries' | 'noteBlocks'>;
  readonly checks: DelegationChecks;
  readonly askSecondaries: AskSecondaries;
  readonly clock: Clock;
  /** Milliseconds since 1970; after now when the clock was set back. */
  readonly lastEventAt: () => number;
  readonly log: Pick<Log, 'error' | 'info' | 'warn'>;
  /** Seconds between two runs; 0 for never. */
  readonly intervalSecs: number;
  /** Hears of the end of each run. */
  readonly ran: (result: 'ok' | 'failed', totals: SignatureTotals) => void;
}

/** Over all zones, as far as they were looked at. */
export interface SignatureTotals {
  readonly expiring: number;
  readonly expired: number;
  /** Before their time: the clock was ahead when they were made. */
  readonly future: number;
}

type Totals = { -readonly [Count in keyof SignatureTotals]: number };

/** Owners whose signatures one step makes anew: some 20 ms of signing, with slow algorithms too. */
const ownersPerSigning = { fast: 100, slow: 10 };
/** Owners that one look at a whole zone finds, for many steps. */
const ownersPerLook = 20_000;
/** Looks at one zone in one run; what is left and valid comes with the next. */
const looksPerRun = 25;

/** Milliseconds between two looks at whether the clock was set. */
const clockWatchMs = 5000;

/** What one run is about. */
interface Run {
  readonly totals: Totals;
  readonly askSecondaries: (zoneName: string) => Promise<SecondaryAnswer[]>;
  result: 'ok' | 'failed';
}

/** What others said about a zone in one run. */
interface Answers {
  /** Of the parents; undefined when they were not asked yet. */
  readonly said: ParentsSaid | undefined;
  readonly secondaries: readonly SecondaryAnswer[];
}

/** When the signatures of a zone have to be looked at again, under terms that may change. */
interface NextLook {
  readonly terms: string;
  /** Seconds since 1970. */
  readonly at: number;
  /** When that was found out. */
  readonly foundAt: number;
}

export class SigningScheduler extends Periodic {
  readonly #services: SchedulerServices;
  readonly #looks = new Map<number, NextLook>();
  readonly #dsLooks: DsLooks;
  readonly #failed = new Set<number>();
  readonly #intervalMs: number;
  #looking: Promise<void> | undefined;
  readonly #clockLooks: Periodic;
  /** From when on keys take steps, by the monotonic clock. */
  #keysFromMs = 0;

  constructor(services: SchedulerServices) {
    const everyMs = services.intervalSecs * 1000;
    // Zones whose parents are asked keep no run waiting.
    super(() => this.#run(), { everyMs, firstMs: 0 });
    this.#services = services;
    this.#dsLooks = new DsLooks(services.clock);
    this.#intervalMs = everyMs;
    const watch = new ClockWatch(services.clock);
    this.#clockLooks = new Periodic(() => this.#lookAtClock(watch), { everyMs: clockWatchMs });
  }

  override start(): void {
    super.start();
    if (this.#intervalMs > 0) this.#clockLooks.start();
  }

  override async stop(): Promise<void> {
    await this.#clockLooks.stop();
    await super.stop();
  }

  /**
   * Where the clock was set, signatures may have run out, or not begun. Steps of keys, which can not be undone, wait
   * for the interval: the clock may be wrong now, and be set again.
   */
  #lookAtClock(watch: ClockWatch): void {
    if (!watch.wasSet()) return;
    this.#keysFromMs = monotonicMs() + this.#intervalMs;
    void this.wake();
  }

  resume(): void {
    if (this.#intervalMs > 0) void this.runOnce();
  }

  /** Ids of zones that could not be looked after when that was last tried. */
  failed(): Iterable<number> {
    return this.#failed;
  }

  /**
   * Looks at every signed zone once, and at the DS of those whose day is over. A zone that fails is logged
   * and does not keep others waiting, nor does one that waits for others' answers.
   */
  async runOnce(): Promise<void> {
    await this.wake();
    await this.#looking;
  }

  async #run(): Promise<void> {
    const { ran, askSecondaries, log } = this.#services;
    const run: Run = {
      totals: { expiring: 0, expired: 0, future: 0 },
      askSecondaries: askerOfRun(askSecondaries),
      result: 'ok',
    };
    const atRest: number[] = [];
    try {
      await this.#lookAfterAll(run, atRest);
    } catch (error) {
      // What zones there are can not even be read.
      run.result = 'failed';
      log.error('dnssec.run-failed', { error });
    }
    if (this.isStopped) return;
    const due = this.#dsLooks.due(atRest, this.#intervalMs);
    this.#looking ??= this.#lookAtDs(due).finally(() => {
      this.#looking = undefined;
    });
    ran(run.result, run.totals);
  }

  /** Looks after every signed zone, and notes those whose parents are not asked on the way. */
  async #lookAfterAll(run: Run, atRest: number[]): Promise<void> {
    const { signing, zones, clock } = this.#services;
    const asking = pLimit(limits.signingZonesAsked);
    const asked: Promise<void>[] = [];
    for (const { zoneId, signing: state } of signing.signedZones()) {
      if (this.isStopped) break;
      // Many small zones are looked at without waiting for anything: others have their turn between.
      await turnOfLoop();
      const zone = zones.byId(zoneId);
      if (zone === undefined) continue;
      if (zone.enabled && state.parentNsAddrs.length > 0) atRest.push(zoneId);
      if (this.#asksOthers(zone, state, clock())) {
        asked.push(asking(() => this.#lookAfter(zone, run)));
      } else await this.#lookAfter(zone, run);
    }
    await Promise.all(asked);
  }

  /** Whether a zone's keys have to do with what parents or secondaries say now. */
  #asksOthers(zone: Zone, state: ZoneSigning, now: number): boolean {
    if (state.keys.some((key) => key.state !== 'active')) return true;
    const policy = policyOfZone(state, this.#services.policies);
    if (policy === undefined || policy.zskLifetimeDays === 0) return false;
    const [first] = keyActions(state.keys, scheduleTermsOf(zone, state, policy, now));
    return first !== undefined && first.at <= now;
  }

  /** Asks the parents of zones for their DS, those of some zones at a time. */
  async #lookAtDs(zoneIds: readonly number[]): Promise<void> {
    const { zones, signing, log } = this.#services;
    const limit = pLimit(limits.signingZonesAsked);
    await limit.map(zoneIds, async (zoneId) => {
      if (this.isStopped) return;
      const zone = zones.byId(zoneId);
      const state = signing.of(zoneId);
      if (zone === undefined || !isSigned(state)) return;
      try {
        await this.#ask(zone);
        const since = signing.of(zoneId)?.foreignDsSince ?? null;
        if (since !== null && state.foreignDsSince === null) {
          log.warn('dnssec.foreign-ds', { zone: zone.name });
        }
      } catch (error) {
        // It may have gone, or been unsigned, meanwhile.
        if (this.isStopped || error instanceof Problem) return;
        log.error('dnssec.zone-failed', { zone: zone.name, error: String(error) });
      }
    });
  }

  async #lookAfter(zone: Zone, run: Run): Promise<void> {
    if (this.isStopped) return;
    const { log } = this.#services;
    try {
      const state = await this.#dated(zone);
      const policy = state && policyOfZone(state, this.#services.policies);
      if (state === undefined || policy === undefined) return;
      if (monotonicMs() >= this.#keysFromMs) await this.#applyKeyActions(zone, state, policy, run);
      await this.#refresh(zone, policy, run.totals);
      this.#failed.delete(zone.id);
    } catch (error) {
      if (this.isStopped || error instanceof ServiceStops || isNoMore(error)) return;
      run.result = 'failed';
      this.#failed.add(zone.id);
      log.error('dnssec.zone-failed', { zone: zone.name, error: String(error) });
    }
  }

  /** How the zone is signed, with its times set by the clock; that is read last, for the writer goes on. */
  async #dated(zone: Zone): Promise<ZoneSigning | undefined> {
    const { signing, writer, clock, lastEventAt, log } = this.#services;
    const state = signing.of(zone.id);
    const [newestAt, now] = [lastEventAt(), clock()];
    if (state === undefined || withClockSet(state, now, newestAt > now) === state) return state;
    await writer.submit({ kind: 'follow-clock', zoneName: zone.name }, bySystem);
    const next = signing.of(zone.id);
    const how = next?.clockSetBackTo === null ? 'right' : 'back';
    log.info(`dnssec.clock-set-${how}`, { zone: zone.name });
    return next;
  }

  async #applyKeyActions(
    zone: Zone,
    before: ZoneSigning,
    policy: DnssecPolicy,
    run: Run,
  ): Promise<void> {
    const { clock, signingService } = this.#services;
    const isRolling = before.keys.some((key) => key.state !== 'active');
    const secondaries = isRolling ? await run.askSecondaries(zone.name) : [];
    if (this.isStopped) return;
    await signingService.noteSecondaries(zone, secondaries);
    // Who relies on a retired key has to be seen when it happens: caches are given their time from then.
    const isWaiting = retiredEntryPoints(before.keys).length > 0;
    const said = isWaiting ? await this.#ask(zone) : undefined;
    // While others were asked, the clock may have been set.
    const state = (await this.#dated(zone)) ?? before;
    const blocks = new Map<string, string>();
    const now = clock();
    for (const action of keyActions(state.keys, scheduleTermsOf(zone, state, policy, now))) {
      if (action.at > now || this.isStopped) break;
      // What is in the way of one step is not in the way of the others.
      const reason = await this.#take(zone, action, { said, secondaries }, run);
      if (reason !== undefined) blocks.set(actionName(action), reason);
    }
    signingService.noteBlocks(zone.id, blocks);
  }

  /** Takes one step; returns what keeps it from being taken. `said` is what parents were asked already. */
  async #take(
    zone: Zone,
    action: KeyAction,
    { said, secondaries }: Answers,
    run: Run,
  ): Promise<string | undefined> {
    const { writer, signing, signingService, checks, clock, log } = this.#services;
    const zoneName = zone.name;
    const asks = action.awaits !== 'nothing';
    // An earlier step may have signed all of a large zone.
    const known = said && !checks.isLate(said) ? said : undefined;
    const latest = asks ? (known ?? (await this.#ask(zone))) : null;
    if (this.isStopped) return undefined;
    // An earlier step, or an answer, may have changed what this one is about.
    const state = signing.of(zone.id) ?? unsigned;
    const by = { said: latest, secondaries };
    const keyIds = action.keys.map(({ id }) => id);
    try {
      switch (action.kind) {
        case 'publish-cds':
          await writer.submit({ kind: 'sign-zone', zoneName, reason: 'cds-published' }, bySystem);
          break;
        case 'promote': {
          const how = { skipDsCheck: !asks, skipHolddown: false, skipSecondaries: false };
          const given = { ...by, scheduledKeyIds: keyIds, ...how };
          await writer.submit({ kind: 'promote-keys', zoneName, ...given }, bySystem);
          break;
        }
        case 'remove': {
          const ring = { zoneName: `'${zoneName}'`, apex: apexOf(zone), keys: state.keys };
          const block =
            removalBlock(ring, action.keys, latest?.answers ?? []) ??
            cachesBlock(zone, state, action.keys, clock()) ??
            secondariesBlock(state, action.keys, secondaries, clock());
          if (block !== null) return block;
          await writer.submit({ kind: 'remove-keys', zoneName, ...by, keyIds }, bySystem);
          break;
        }
        case 'start-zsk-roll':
          await signingService.roll(zone, { role: 'zsk' }, bySystem, run.askSecondaries);
          break;
      }
      log.info('dnssec.key-step', { zone: zoneName, action: action.kind });
      return undefined;
    } catch (error) {
      if (error instanceof Problem) return error.message;
      throw error;
    }
  }

  async #ask(zone: Zone): Promise<ParentsSaid> {
    const { checks } = this.#services;
    this.#dsLooks.note(zone.id);
    const said = await checks.askNow(zone);
    // Nothing is written any more: the database is about to be closed.
    if (!this.isStopped) await checks.note(zone, said);
    return said;
  }

  /** Makes signatures anew that have entered the refresh window, some owners with each step. */
  async #refresh(zone: Zone, policy: DnssecPolicy, totals: Totals): Promise<void> {
    const { reader, writer, clock, lastEventAt } = this.#services;
    const refreshSeconds = signatureLifetimeOf(policy).refreshSeconds;
    const terms = `${policy.id} ${policy.signatureValidityDays} ${policy.signatureRefreshDays}`;
    const isSlow = signsSlowly(algorithmNumberOf(policy));
    const atOnce = isSlow ? ownersPerSigning.slow : ownersPerSigning.fast;
    const known = this.#looks.get(zone.id);
    const [newestAt, started] = [lastEventAt(), clock()];
    // Where the journal is ahead of the clock, signatures may be too.
    const wasSetBack = newestAt > started || (known?.foundAt ?? 0) > started / 1000;
    if (!wasSetBack && known?.terms === terms && known.at > started / 1000) return;
    let last: SignatureFacts | undefined;
    const isInvalid = () => last !== undefined && last.expired + last.future > 0;
    try {
      for (let look = 0; (look < looksPerRun || isInvalid()) && !this.isStopped; look++) {
        const now = Math.floor(clock() / 1000);
        const question = { now, expiringBy: now + refreshSeconds, maxOwners: ownersPerLook };
        const facts = await reader.signatures(zone, question);
        const isStuck = facts.expiring.length > 0 && facts.expiring[0] === last?.expiring[0];
        assert(!isStuck, 'steps make the signatures of their owners anew');
        last = facts;
        if (facts.expiring.length === 0) {
          // A signature made after this look has to be made anew half of that time after it, or later.
          const soonest =
            now + Math.floor((policy.signatureValidityDays * 86_400 - refreshSeconds) / 2);
          const at = Math.min((facts.earliestExpiration ?? now) - refreshSeconds, soonest);
          this.#looks.set(zone.id, { terms, at, foundAt: now });
          return;
        }
        for (let at = 0; at < facts.expiring.length && !this.isStopped; at += atOnce) {
          const revisit = facts.expiring.slice(at, at + atOnce);
          const command = { kind: 'sign-zone', reason: 'signatures-refreshed', revisit } as const;
          await writer.submit({ ...command, zoneName: zone.name }, bySystem);
        }
      }
    } finally {
      totals.expiring += last?.expiring.length ?? 0;
      totals.expired += last?.expired ?? 0;
      totals.future += last?.future ?? 0;
    }
  }
}

/** Whether a zone was deleted, renamed or unsigned meanwhile. */
function isNoMore(error: unknown): boolean {
  return error instanceof Problem && /^(ZONE_NOT_FOUND|DNSSEC_NOT_ENABLED)$/.test(error.code);
}
