/**
 * The records of a transfer in order, full (RFC 5936 2.2) or incremental (RFC 1995), and which form an IXFR takes.
 *
 * The client's serial decides: as new as ours or newer, one SOA; history is missing, the steps hold
 * as many records as the zone, or one that fits no message, the full zone; else the steps, oldest first, each as old SOA,
 * removed records, new SOA, added records between two SOAs of now (RFC 1995 4). Condensed, the
 * steps become one.
 */
import { packedEndOf } from '../dns/record.ts';
import { compareSerials } from '../dns/serial.ts';
import { condenseSteps } from './condense-ixfr.ts';
import { nameserverLimits } from './limits.ts';
import {
  type DeltaStep,
  type PackedRecords,
  packSoa,
  type TransferSource,
} from './transfer-source.ts';

export type IxfrForm = 'current' | 'full' | 'delta';

export interface IxfrPlan {
  readonly form: IxfrForm;
  /** Records in the order they are sent; read when they are asked for. */
  readonly runs: Iterable<PackedRecords>;
}

export function planIxfr(
  source: TransferSource,
  clientSerial: number,
  condense: boolean,
): IxfrPlan {
  // A serial exactly half the circle away is neither older nor newer: the full zone settles it.
  const comparison = compareSerials(clientSerial, source.serial);
  if (comparison !== undefined && comparison >= 0) return { form: 'current', runs: [source.soa] };
  const steps = comparison === undefined ? undefined : source.steps(clientSerial);
  if (steps === undefined || steps.length === 0) return fullPlan(source);
  const deltaRecords = countRecords(steps);
  // Counted before anything is read, so a long history costs no more than the zone itself.
  if (deltaRecords >= source.recordCount && deltaRecords > 0) return fullPlan(source);
  if (!steps.every((step) => isSendable(source, step))) return fullPlan(source);
  const condensed =
    condense && steps.length > 1 && deltaRecords <= nameserverLimits.condensedRecords;
  return {
    form: 'delta',
    runs: condensed ? condensedDelta(source, steps) : stepwiseDelta(source, steps),
  };
}

/** The SOA, everything else in stored order, the SOA. */
export function* fullZone(source: TransferSource): Generator<PackedRecords> {
  yield source.soa;
  yield* source.blocks();
  yield source.soa;
}

function fullPlan(source: TransferSource): IxfrPlan {
  return { form: 'full', runs: fullZone(source) };
}

/**
 * Whether every record of a step fits a message. Since an RRset has a limit all do; a journal may be older than the
 * limit, and then the zone of now may be sendable all the same.
 */
function isSendable(source: TransferSource, step: DeltaStep): boolean {
  if ((step.largestPartBytes ?? 0) <= nameserverLimits.transferRecordBytes) return true;
  for (const { records } of source.parts(step)) {
    for (let at = 0; at < records.length; ) {
      const end = packedEndOf(records, at);
      if (end - at > nameserverLimits.transferRecordBytes) return false;
      at = end;
    }
  }
  return true;
}

function countRecords(steps: readonly DeltaStep[]): number {
  return steps.reduce((sum, step) => sum + step.removedCount + step.addedCount, 0);
}

function* stepwiseDelta(
  source: TransferSource,
  steps: readonly DeltaStep[],
): Generator<PackedRecords> {
  yield source.soa;
  for (const step of steps) {
    yield packSoa(step.soaTtlBefore, step.soaBefore);
    let adding = false;
    for (const part of source.parts(step)) {
      if (part.change === 'added' && !adding) {
        adding = true;
        yield packSoa(step.soaTtlAfter, step.soaAfter);
      }
      yield part;
    }
    if (!adding) yield packSoa(step.soaTtlAfter, step.soaAfter);
  }
  yield source.soa;
}

function* condensedDelta(
  source: TransferSource,
  steps: readonly DeltaStep[],
): Generator<PackedRecords> {
  const { removed, added } = condenseSteps(source, steps);
  const first = steps[0]!;
  yield source.soa;
  yield packSoa(first.soaTtlBefore, first.soaBefore);
  yield removed;
  yield source.soa;
  yield added;
  yield source.soa;
}
