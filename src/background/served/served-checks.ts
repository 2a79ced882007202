/**
 * Whether secondaries serve the records that we have, and not only our serials: asked for one zone of one secondary,
 * and at intervals for a sample of the zones of each. What differed is compared again in every round until it is the
 * same. A worker does the work (served-job.ts); results are kept in memory.
 */
import { setImmediate } from 'node:timers/promises';
import { limits } from '../../base/limits.ts';
import { Periodic } from '../../base/periodic.ts';
import { assert, Problem } from '../../base/problem.ts';
import type { Job, WorkerPool } from '../../base/worker-pool.ts';
import { parseAbsoluteName } from '../../dns/name.ts';
import type { TsigKeyFields } from '../../dns/wire/tsig-key.ts';
import type { Secondary } from '../../domain/secondary.ts';
import type { Zone } from '../../domain/zone.ts';
import type { Keystore } from '../../keystore/keystore.ts';
import type { Outbound } from '../../outbound/policy.ts';
import type { AccessQueries } from '../../query/access-queries.ts';
import type { ZoneQueries } from '../../query/zone-queries.ts';
import type { Log } from '../../telemetry/log.ts';
import type { GaugeValues } from '../../telemetry/metrics.ts';
import type { ServedJob, ServedReport, TransferBounds } from './served-job.ts';

export type { ServedReport } from './served-job.ts';

export interface ServedServices {
  readonly workers: Pick<WorkerPool, 'open'>;
  readonly secondaries: { enabled(): readonly Secondary[] };
  readonly zones: Pick<ZoneQueries, 'byId' | 'inOrder'>;
  readonly access: Pick<AccessQueries, 'listedTsigKey'>;
  readonly keystore: Pick<Keystore, 'tsigSecret'>;
  readonly outbound: Pick<Outbound, 'policy'>;
  readonly log: Log;
}

const bounds: TransferBounds = {
  records: limits.servedRecords,
  bytes: limits.servedBytes,
  totalMs: limits.servedCheckMs,
  silenceMs: limits.servedSilenceMs,
};
const msPerHour = 3_600_000;

/** What was last found of a zone at the address of a secondary. */
interface Found {
  readonly address: string;
  readonly zoneId: number;
  readonly result: 'same' | 'differs';
  readonly serial: number;
}

export class ServedChecks extends Periodic {
  readonly #services: ServedServices;
  readonly #found = new Map<string, Found>();
  /** The zone that the last round ended with, by the address of the secondary. */
  readonly #endedWith = new Map<string, string>();
  readonly #running = new Set<Job<ServedJob>>();

  /** Runs some minutes from the start and then at every interval; never where that is 0. */
  constructor(services: ServedServices, intervalHours: number) {
    super(() => this.run(), {
      everyMs: intervalHours * msPerHour,
      firstMs: limits.servedFirstMs,
      failed: (error) => services.log.error('secondaries.not-compared', { error }),
    });
    this.#services = services;
  }

  gauges(): GaugeValues {
    return { differingZones: this.#differing().length };
  }

  /** Compares what a secondary serves of a zone with that zone; OVERLOADED while others are compared. */
  async check(secondary: Secondary, zone: Zone): Promise<ServedReport> {
    if (this.#running.size >= limits.servedChecks) {
      throw new Problem('OVERLOADED', `${limits.servedChecks} zones are being compared`, 5);
    }
    const tsigKey = this.#keyOf(secondary);
    if (tsigKey === null) return unavailable(`TSIG key '${secondary.notifyKeyName}'`);
    const job = this.#services.workers.open<ServedJob>('served');
    this.#running.add(job);
    try {
      const { address: server } = secondary;
      const outbound = this.#services.outbound.policy.rules;
      const { id, name } = zone;
      const question = { zone: { id, name }, server, tsigKey, outbound, bounds };
      const report = await job.call('compare', question);
      this.#note(secondary, zone, report);
      return report;
    } finally {
      this.#running.delete(job);
      job.release();
    }
  }

  /** What is known of the records that an address serves under a serial. */
  resultOf(address: string, zoneId: number, visibleSerial: number | null) {
    const found = this.#found.get(keyOf(address, zoneId));
    if (found === undefined || visibleSerial === null) return 'unknown';
    // A change that is sent as a difference leaves what differs where it is.
    if (found.result === 'differs') return 'differs';
    return found.serial === visibleSerial ? 'same' : 'unknown';
  }

  /** Ids of the zones that differed at an address when they were compared last. */
  differingAt(address: string): readonly number[] {
    return this.#differing().flatMap((found) => (found.address === address ? [found.zoneId] : []));
  }

  /** One round over all enabled secondaries: one that can not be compared keeps no other from it. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const secondary of this.#services.secondaries.enabled()) {
      await this.#compareSample(secondary).catch((error) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  override stop(): Promise<void> {
    const stopped = super.stop();
    for (const job of this.#running) job.end();
    return stopped;
  }

  async #compareSample(secondary: Secondary): Promise<void> {
    const { log } = this.#services;
    const { name, address } = secondary;
    const counts = { same: 0, differs: 0, unknown: 0 };
    for (const zone of this.#sampleOf(address)) {
      const report = await this.#tried(secondary, zone);
      if (report === undefined) return;
      counts[report.result]++;
      const { result, serial, missing, extra, differing, error } = report;
      if (result === 'differs') {
        const found = { zone: zone.name, serial, missing, extra, differing };
        log.warn('secondary.content-differs', { secondary: name, ...found });
      }
      // It does not answer, or sends no zones: others would come to the same.
      if (result === 'unknown' && serial === null) {
        log.info('secondary.not-compared', { secondary: name, zone: zone.name, error });
        break;
      }
      await setImmediate();
    }
    log.info('secondary.compared', { secondary: name, ...counts });
  }

  /** Undefined when the service stops. */
  async #tried(secondary: Secondary, zone: Zone): Promise<ServedReport | undefined> {
    if (this.isStopped) return undefined;
    try {
      return await this.check(secondary, zone);
    } catch (error) {
      if (this.isStopped) return undefined;
      throw error;
    }
  }

  /** The zones that differed, then some by name from where the last round ended. */
  #sampleOf(address: string): readonly Zone[] {
    const { zones } = this.#services;
    const sample = new Map<number, Zone>();
    for (const id of this.differingAt(address)) {
      const zone = zones.byId(id);
      if (zone !== undefined) sample.set(id, zone);
    }
    const after = this.#endedWith.get(address);
    let wanted: number = limits.servedSample;
    const take = (from: Iterable<Zone>) => {
      for (const zone of from) {
        if (wanted === 0) return;
        if (!zone.enabled || sample.has(zone.id)) continue;
        sample.set(zone.id, zone);
        this.#endedWith.set(address, zone.name);
        wanted--;
      }
    };
    take(zones.inOrder(false, 'all', after));
    if (after !== undefined) take(zones.inOrder(false, 'all'));
    return [...sample.values()];
  }

  #note({ address }: Secondary, { id: zoneId }: Zone, report: ServedReport): void {
    const { result, serial } = report;
    // What could not be compared leaves what was found before.
    if (result === 'unknown') return;
    assert(serial !== null, 'what was compared has a serial');
    const key = keyOf(address, zoneId);
    this.#found.delete(key);
    this.#found.set(key, { address, zoneId, result, serial });
    if (this.#found.size <= limits.servedResults) return;
    const [oldest] = this.#found.keys();
    this.#found.delete(oldest!);
  }

  /** Of zones and addresses that are there still. */
  #differing(): readonly Found[] {
    const { secondaries, zones } = this.#services;
    const differing = [...this.#found.values()].filter(({ result }) => result === 'differs');
    if (differing.length === 0) return differing;
    const addresses = new Set(secondaries.enabled().map(({ address }) => address));
    return differing.filter(({ address, zoneId }) => {
      return addresses.has(address) && zones.byId(zoneId) !== undefined;
    });
  }

  /** Undefined for a secondary without a key; null for a key that can not be had. */
  #keyOf({ notifyKeyName }: Secondary): TsigKeyFields | null | undefined {
    if (notifyKeyName === null) return undefined;
    const { access, keystore } = this.#services;
    const key = access.listedTsigKey(notifyKeyName);
    const secret = key && keystore.tsigSecret(key.id);
    if (key === undefined || secret === undefined) return null;
    return { name: parseAbsoluteName(key.name), algorithm: key.algorithm, secret };
  }
}

function keyOf(address: string, zoneId: number): string {
  return `${zoneId} ${address}`;
}

function unavailable(what: string): ServedReport {
  const nothing = { compared: 0, missing: 0, extra: 0, differing: 0, rrsets: [] };
  const error = `${what} is not available`;
  return { result: 'unknown', serial: null, ...nothing, isRefused: false, error };
}
