/**
 * The notifier: tells secondaries after commits that zones changed (RFC 1996, decisions 8).
 *
 * Each zone and secondary has at most one exchange in flight. A change that comes meanwhile waits, and soon replaces
 * the exchange: a NOTIFY always has the SOA of the moment of sending, so a thousand quick changes cost a few messages.
 * One that replaces what nobody acknowledged is waited for. Slow secondaries hold up no other.
 *
 * When zones come or go, the catalog is announced first: a consumer of it has to know a zone before it can take a
 * NOTIFY for it. A zone that was deleted or disabled is announced by the catalog alone.
 *
 * ```
 *   wanted --place free--> telling --answered, or nobody answers--> (gone)
 *                           |   ^
 *                           +---+ a newer change: the exchange is given up and begun anew
 * ```
 */
import pLimit, { type LimitFunction } from 'p-limit';
import { monotonicMs } from '../base/clock.ts';
import { inLists } from '../base/lists.ts';
import { reasonOf } from '../base/problem.ts';
import type { Secondary } from '../domain/secondary.ts';
import { apexOf, soaRdata, type Zone } from '../domain/zone.ts';
import { splitHostAndPort } from '../outbound/address.ts';
import type { Notice, NotifySender, NotifySigner } from '../outbound/notify.ts';
import { isOpen, type Outbound } from '../outbound/policy.ts';
import { unlessAborted } from '../outbound/resolver.ts';
import { isPassing } from '../outbound/sockets.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { NotifyAnswers } from './notify-answers.ts';

/** The part of a published change that the notifier looks at. */
export interface NotifiedChange {
  readonly kind: 'created' | 'changed' | 'renamed' | 'enabled' | 'disabled' | 'deleted' | 'bumped';
  readonly zone: Zone;
}

export interface NotifierServices {
  onCommit(listener: (changes: readonly NotifiedChange[]) => void): void;
  readonly secondaries: {
    byName(name: string): Secondary | undefined;
    enabled(): readonly Secondary[];
  };
  readonly zones: {
    byName(name: string): Zone | undefined;
    inOrder(descending: boolean, only: 'all'): Iterable<Zone>;
  };
  /** The catalog as it is now. */
  readonly catalog: () => Zone;
  readonly sender: NotifySender;
  readonly outbound: Pick<Outbound, 'destinationsTo'>;
  readonly metrics: Pick<Metrics, 'notifySent'>;
  readonly log: Log;
  readonly answers: Pick<NotifyAnswers, 'note'>;
  /** The signer of a TSIG key, by its name; undefined when there is no such key. */
  readonly signerFor?: ((keyName: string) => NotifySigner | undefined) | undefined;
}

export interface NotifierOptions {
  /** Milliseconds in which changes of a zone are announced together; 0 announces at once. */
  readonly batchMs: number;
}

/** What one address of a secondary said; null when it acknowledged. */
export interface AddressResult {
  readonly address: string;
  readonly error: string | null;
  /** True when the failure may be over soon. */
  readonly isPassing?: boolean;
}

export interface FailedSecondary {
  readonly secondary: string;
  readonly error: string;
}

/** Exchanges in flight with one secondary; the rest wait. */
const exchangesPerSecondary = 64;
/** Milliseconds an exchange has before a newer change replaces it. */
const minExchangeMs = 100;
/** Rounds of an exchange that meet no network, and milliseconds from one to the next. */
const passingRounds = 3;
const passingMs = 3000;
/** What callers get whose exchange was given up. */
const stopping = 'the service is stopping';
/** Milliseconds that a zone waits for its secondary's answer about the catalog. */
const catalogLeadMs = 1000;
/** Zones announced at a time when all are. */
const zonesPerPage = 1000;

/** One zone and secondary with something to tell. */
interface NotifyJob {
  readonly zoneName: string;
  readonly secondaryName: string;
  /** True when the secondary may not know the zone, and says so. */
  readonly isNew: boolean;
  /** True when something changed that the exchange in flight did not announce. */
  wanted: boolean;
  inFlight?: { readonly abort: AbortController; readonly startedMs: number } | undefined;
  /** True when the exchange before was replaced, and nobody had acknowledged it. */
  isReplacement?: boolean;
  replaceTimer?: NodeJS.Timeout | undefined;
  /** Callers that wait for the outcome: undefined, or what failed. */
  waiting: ((failure: string | undefined) => void)[];
}

/** The first one, and how many there were. */
type Failures = Readonly<{ first: string | undefined; count: number }>;

interface NotifyOrder {
  readonly done?: ((failure: string | undefined) => void) | undefined;
  /** Plain secondaries refuse the catalog, and its consumers a zone that they have not made yet. */
  readonly isNew?: boolean;
}

export class Notifier {
  readonly #services: NotifierServices;
  readonly #jobs = new Map<string, NotifyJob>();
  readonly #limits = new Map<string, LimitFunction>();
  /** Zones with news, and whether they are new to the catalog. */
  readonly #batch = new Map<string, { isMemberNew: boolean }>();
  #isCatalogChanged = false;
  #batchTimer: NodeJS.Timeout | undefined;
  readonly #leadTimers = new Set<NodeJS.Timeout>();
  #batchMs: number;
  #isStopped = false;

  constructor(services: NotifierServices, { batchMs }: NotifierOptions) {
    this.#services = services;
    this.#batchMs = batchMs;
    services.onCommit((changes) => this.#hear(changes));
  }

  /** Tells all enabled secondaries of a zone or the catalog, or of the catalog and all enabled zones; waits for it. */
  async notifyNow(zoneName: string | undefined): Promise<FailedSecondary[]> {
    const asked = this.#services.secondaries.enabled().map(async ({ name: secondary }) => {
      const isAll = zoneName === undefined;
      const { first, count } = await (isAll
        ? this.#tellAll(secondary)
        : this.#tellOf([zoneName], secondary));
      if (first === undefined) return [];
      return [{ secondary, error: count === 1 ? first : `${first} (and ${count - 1} more)` }];
    });
    return (await Promise.all(asked)).flat();
  }

  /** Tells one enabled secondary of one zone, and waits for nothing. */
  notifyAgain(zoneName: string, secondaryName: string): void {
    this.#want(zoneName, secondaryName);
  }

  setBatchMs(batchMs: number): void {
    this.#batchMs = batchMs;
  }

  /** Gives up what is in flight; nothing is sent afterwards. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#batchTimer);
    for (const timer of this.#leadTimers) clearTimeout(timer);
    this.#leadTimers.clear();
    this.#batch.clear();
    for (const job of this.#jobs.values()) job.inFlight?.abort.abort();
  }

  #hear(changes: readonly NotifiedChange[]): void {
    for (const { kind, zone } of changes) {
      const isMemberNew = kind === 'created' || kind === 'enabled' || kind === 'renamed';
      // The settings of a deleted zone are its last ones.
      const isMemberRemoved = kind === 'disabled' || (kind === 'deleted' && zone.enabled);
      if (isMemberRemoved || (isMemberNew && zone.enabled)) this.#isCatalogChanged = true;
      if (isMemberRemoved || !zone.enabled) continue;
      this.#batch.set(zone.name, {
        isMemberNew: isMemberNew || (this.#batch.get(zone.name)?.isMemberNew ?? false),
      });
    }
    // Never within the commit's own turn, so that no caller waits for sockets.
    if (this.#isStopped || (!this.#isCatalogChanged && this.#batch.size === 0)) return;
    this.#batchTimer ??= setTimeout(() => this.#flushBatch(), this.#batchMs);
  }

  #flushBatch(): void {
    this.#batchTimer = undefined;
    const names = [...this.#batch.keys()];
    const later = names.filter((name) => this.#batch.get(name)!.isMemberNew);
    const atOnce = names.filter((name) => !this.#batch.get(name)!.isMemberNew);
    const withCatalog = this.#isCatalogChanged;
    this.#batch.clear();
    this.#isCatalogChanged = false;
    try {
      const catalogName = withCatalog ? this.#services.catalog().name : undefined;
      for (const { name } of this.#services.secondaries.enabled()) {
        for (const zoneName of atOnce) this.#want(zoneName, name);
        if (catalogName === undefined) continue;
        this.#afterCatalog(catalogName, name, () => {
          for (const zoneName of later) this.#want(zoneName, name, { isNew: true });
        });
      }
    } catch (error) {
      this.#services.log.error('notify.lost', { zones: names.length, error });
    }
  }

  /**
   * Notifies a secondary of the catalog, and goes on when it answered. It may not answer, or get
   * ever newer catalogs, so there is an end to waiting.
   */
  #afterCatalog(catalogName: string, secondaryName: string, goOn: () => void): void {
    let isWaiting = true;
    const next = () => {
      if (!isWaiting) return;
      isWaiting = false;
      clearTimeout(timer);
      this.#leadTimers.delete(timer);
      goOn();
    };
    const timer = setTimeout(next, catalogLeadMs);
    this.#leadTimers.add(timer);
    this.#want(catalogName, secondaryName, { isNew: true, done: next });
  }

  /** Records that a secondary is to be notified of a zone; `done` gets the outcome. */
  #want(zoneName: string, secondaryName: string, { done, isNew = false }: NotifyOrder = {}): void {
    if (this.#isStopped) {
      done?.(stopping);
      return;
    }
    const key = `${zoneName} ${secondaryName}`;
    const known = this.#jobs.get(key);
    const job: NotifyJob = known ?? { zoneName, secondaryName, isNew, wanted: true, waiting: [] };
    job.wanted = true;
    if (done !== undefined) job.waiting.push(done);
    if (known !== undefined) this.#replaceSoon(job);
    else this.#begin(job, key);
  }

  #begin(job: NotifyJob, key: string): void {
    const { secondaryName } = job;
    const limit = this.#limits.get(secondaryName) ?? pLimit(exchangesPerSecondary);
    this.#limits.set(secondaryName, limit);
    this.#jobs.set(key, job);
    void limit(() => this.#run(job, key)).finally(() => {
      const last = this.#limits.get(secondaryName);
      if (last?.activeCount === 0 && last.pendingCount === 0) this.#limits.delete(secondaryName);
    });
  }

  /** Gives up the exchange in flight, but not before its message had a chance. */
  #replaceSoon(job: NotifyJob): void {
    const { inFlight } = job;
    if (inFlight === undefined || job.replaceTimer !== undefined || job.isReplacement) return;
    const delayMs = Math.max(0, inFlight.startedMs + minExchangeMs - monotonicMs());
    job.replaceTimer = setTimeout(() => inFlight.abort.abort(), delayMs);
  }

  async #run(job: NotifyJob, key: string): Promise<void> {
    while (job.wanted && !this.#isStopped) {
      job.wanted = false;
      const waiting = job.waiting.splice(0);
      const abort = new AbortController();
      job.inFlight = { abort, startedMs: monotonicMs() };
      const failure = await this.#exchange(job, abort.signal);
      job.inFlight = undefined;
      clearTimeout(job.replaceTimer);
      job.replaceTimer = undefined;
      job.isReplacement = failure === null;
      // Who waited for a replaced exchange waits for the one that replaces it.
      if (failure === null && job.wanted) job.waiting.unshift(...waiting);
      else for (const done of waiting) done(failure === null ? stopping : failure);
    }
    for (const done of job.waiting.splice(0)) done(stopping);
    // In the turn that ends it: what is wanted later is another job.
    this.#jobs.delete(key);
  }

  /** One round of telling: undefined when any address acknowledged, null when given up before, or what went wrong. */
  async #exchange(job: NotifyJob, signal: AbortSignal): Promise<string | undefined | null> {
    try {
      const secondary = this.#services.secondaries.byName(job.secondaryName);
      const notice = this.#noticeOf(job.zoneName);
      // Both may have gone or been disabled since; then there is nothing to tell.
      if (secondary === undefined || !secondary.enabled || notice === undefined) return undefined;
      const all = await this.#tellInTime(secondary, notice, signal);
      // Of an exchange that was given up the acknowledgements count.
      const results = signal.aborted ? all.filter(({ error }) => error === null) : all;
      if (signal.aborted && results.length === 0) return null;
      for (const { address, error } of results) {
        this.#services.metrics.notifySent.inc(error === null ? 'ok' : 'failed');
        if (error !== null) this.#warn(job, address, error);
        else this.#services.log.info('notify.acknowledged', { ...namesOf(job), address });
      }
      const isAcknowledged = results.some(({ error }) => error === null);
      const failure = results.map(({ error }) => error).join('; ');
      return this.#note(job, isAcknowledged ? undefined : failure);
    } catch (error) {
      if (signal.aborted) return null;
      this.#services.metrics.notifySent.inc('failed');
      this.#warn(job, undefined, error);
      return this.#note(job, reasonOf(error));
    }
  }

  /** That a secondary does not take what is new to it says nothing of the secondary. */
  #note({ secondaryName, zoneName, isNew }: NotifyJob, failure: string | undefined) {
    if (failure === undefined || !isNew) {
      this.#services.answers.note(secondaryName, zoneName, failure);
    }
    return failure;
  }

  #warn(job: NotifyJob, address: string | undefined, error: unknown): void {
    const level = job.isNew ? 'info' : 'warn';
    this.#services.log[level]('notify.failed', { ...namesOf(job), address, error });
  }

  #noticeOf(zoneName: string): Notice | undefined {
    const computed = this.#services.catalog();
    const zone = zoneName === computed.name ? computed : this.#services.zones.byName(zoneName);
    if (zone === undefined || !zone.enabled) return undefined;
    return { apex: apexOf(zone), soa: { ttl: zone.defaultTtl, rdata: soaRdata(zone) } };
  }

  /** Tells one secondary, enabled or not, at each of its addresses; rejects when it has none. */
  async tell(secondary: Secondary, notice: Notice, signal?: AbortSignal): Promise<AddressResult[]> {
    const { host } = splitHostAndPort(secondary.address);
    const signer = this.#signerOf(secondary);
    // Who may register secondaries may name any address.
    const destinations = await this.#services.outbound.destinationsTo(secondary.address, 'private');
    if (destinations.length === 0) throw new Error(`${host} has no address`);
    return Promise.all(
      destinations.map(async (destination) => {
        const { address } = destination;
        if (!isOpen(destination)) return { address, error: destination.problem };
        try {
          await this.#services.sender.send(notice, { destination, signer }, signal);
          return { address, error: null };
        } catch (error) {
          return { address, error: reasonOf(error), isPassing: isPassing(error) };
        }
      }),
    );
  }

  /** The same, again where nothing but the network fails. */
  async #tellInTime(
    secondary: Secondary,
    notice: Notice,
    signal: AbortSignal,
    rounds = passingRounds,
  ): Promise<AddressResult[]> {
    const results = await this.tell(secondary, notice, signal).catch((error) => {
      if (rounds === 1 || !isPassing(error)) throw error;
      return [];
    });
    if (rounds === 1 || !results.every((each) => each.isPassing)) return results;
    await unlessAborted(signal, new Promise((resolve) => setTimeout(resolve, passingMs).unref()));
    return this.#tellInTime(secondary, notice, signal, rounds - 1);
  }

  #signerOf(secondary: Secondary): NotifySigner | undefined {
    const { notifyKeyName } = secondary;
    if (notifyKeyName === null) return undefined;
    const signer = this.#services.signerFor?.(notifyKeyName);
    // Sending unsigned instead would go against what was asked for.
    if (signer === undefined) throw new Error(`TSIG key '${notifyKeyName}' is not available`);
    return signer;
  }

  /** Tells a secondary of the catalog and of all enabled zones, a page at a time; returns what failed. */
  async #tellAll(secondaryName: string): Promise<Failures> {
    const ofCatalog = this.#tellOf([this.#services.catalog().name], secondaryName, true);
    let failures: Failures = { first: undefined, count: 0 };
    let zones = 0;
    for (const page of inLists(this.#services.zones.inOrder(false, 'all'), zonesPerPage)) {
      const names = page.filter(({ enabled }) => enabled).map(({ name }) => name);
      zones += names.length;
      const { first, count } = await this.#tellOf(names, secondaryName);
      failures = { first: failures.first ?? first, count: failures.count + count };
      if (this.#isStopped) break;
    }
    const refused = await ofCatalog;
    // Plain secondaries refuse the catalog; of one that takes all zones that is no failure.
    return zones === 0 ? refused : failures;
  }

  /** Tells a secondary of some zones; returns what failed. */
  async #tellOf(zoneNames: string[], secondaryName: string, isNew = false): Promise<Failures> {
    const outcomes = zoneNames.map((zoneName) => {
      const { promise, resolve: done } = Promise.withResolvers<string | undefined>();
      this.#want(zoneName, secondaryName, { done, isNew });
      return promise;
    });
    const failed = (await Promise.all(outcomes)).filter((failure) => failure !== undefined);
    return { first: failed[0], count: failed.length };
  }
}

function namesOf({ zoneName, secondaryName }: NotifyJob) {
  return { zone: zoneName, secondary: secondaryName };
}
