/** Signing put together: its operations, its scheduler, and the passes that sign whole zones ahead. */
import type { Clock } from '../../base/clock.ts';
import type { SigningState } from '../../base/signing-state.ts';
import type { WorkerPool } from '../../base/worker-pool.ts';
import type { ParentAnswer } from '../../dnssec/parent-ds.ts';
import type { Writer } from '../../writer/writer.ts';
import type { PolicyQueries, SecondaryQueries } from '../../query/named-queries.ts';
import type { Reader } from '../../query/reader.ts';
import type { SigningQueries } from '../../projection/signing-store.ts';
import type { ZoneQueries } from '../../query/zone-queries.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { DelegationChecks } from './delegation-checks.ts';
import type { Parents } from './parents.ts';
import { type SignatureTotals, SigningScheduler } from './scheduler.ts';
import type { AskSecondaries } from './secondaries.ts';
import { SigningCount } from './signing-count.ts';
import { SigningService } from './signing-service.ts';
import { WholePasses } from './whole-passes.ts';

export interface SigningServices {
  readonly writer: Pick<
    Writer,
    'submit' | 'operate' | 'endStage' | 'hold' | 'sendKeys' | 'onEvents' | 'signAhead'
  >;
  readonly zones: ZoneQueries;
  readonly policies: PolicyQueries;
  readonly signing: SigningQueries;
  readonly reader: Reader;
  readonly metrics: Pick<Metrics, 'signatures' | 'schedulerRuns' | 'collectFrom'>;
  readonly log: Log;
  readonly clock: Clock;
  /** When the last event was written, in milliseconds since 1970; 0 before the first. */
  readonly lastEventAt: () => number;
  readonly workers: Pick<WorkerPool, 'open'>;
  readonly askParents: (zoneName: string, parents: Parents) => Promise<ParentAnswer[]>;
  readonly secondaries: Pick<SecondaryQueries, 'enabled'>;
  readonly askSecondaries: AskSecondaries;
  /** Seconds between two runs of the scheduler; 0 for never. */
  readonly intervalSecs: number;
}

export interface Signing {
  readonly signingService: SigningService;
  readonly scheduler: SigningScheduler;
  readonly wholePasses: WholePasses;
  /** Ids of the zones whose signing is in a state. */
  readonly zonesBySigning: (state: SigningState) => Iterable<number>;
}

export function createSigning(services: SigningServices): Signing {
  const { writer, metrics, signing } = services;
  const count = new SigningCount(writer, signing);
  let totals: SignatureTotals = { expiring: 0, expired: 0, future: 0 };
  const checks = new DelegationChecks(services);
  const wholePasses = new WholePasses({
    ...services,
    renewed: (command) => checks.renewed(command),
    signed: (signatures) => metrics.signatures.inc(signatures),
  });
  writer.signAhead = (command, options) => wholePasses.run(command, options);
  const signingService = new SigningService({ ...services, checks });
  const scheduler = new SigningScheduler({
    ...services,
    signingService,
    checks,
    ran(result: 'ok' | 'failed', seen) {
      totals = seen;
      metrics.schedulerRuns.inc(result);
    },
  });
  metrics.collectFrom(() => {
    const { zones, keys, foreignDs } = count.totals();
    return {
      signedZones: zones,
      signingKeys: keys,
      foreignDsZones: foreignDs,
      expiringSignatures: totals.expiring,
      expiredSignatures: totals.expired,
      futureSignatures: totals.future,
    };
  });
  const zonesBySigning = (state: SigningState) => {
    if (state === 'rolling') return count.rolling();
    // What was in the way of a zone's steps may be remembered when it is not signed any more.
    const stillSigned = (ids: Iterable<number>) => [...ids].filter((id) => count.isSigned(id));
    const waiting = stillSigned(signingService.blocked());
    if (state === 'waiting') return waiting;
    return [...count.withForeignDs(), ...waiting, ...stillSigned(scheduler.failed())];
  };
  return { signingService, scheduler, wholePasses, zonesBySigning };
}
