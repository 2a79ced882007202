/**
 * A zone in memory with the steps that led to it, for tests of transfers: what a snapshot of the
 * projection gives.
 */
import {
  compareRecords,
  packedBytes,
  packRecords,
  type ResourceRecord,
  rdataKey,
} from '../../src/dns/record.ts';
import { apexOf, soaRdata, type Zone } from '../../src/domain/zone.ts';
import type {
  DeltaPart,
  Difference,
  TransferSource,
  ZoneSnapshot,
} from '../../src/nameserver/transfer-source.ts';
import { openZoneSource } from '../../src/nameserver/transfer-source.ts';
import { type MemoryZone, makeRecord, packedBlocks } from './memory-zones.ts';

export interface MemoryStep extends Difference {
  readonly removed: readonly ResourceRecord[];
  readonly added: readonly ResourceRecord[];
}

export interface Change {
  readonly removed?: readonly string[];
  readonly added?: readonly string[];
  /** Settings that the step changes, such as the timers of the SOA. */
  readonly fields?: Partial<Zone>;
}

export class MemoryHistory implements MemoryZone {
  zone: Zone;
  records: readonly ResourceRecord[];
  readonly steps: MemoryStep[] = [];
  opened = 0;
  closed = 0;
  blockSize = 100;

  constructor(start: MemoryZone) {
    this.zone = start.zone;
    this.records = start.records;
  }

  /** One serial step. */
  change({ removed = [], added = [], fields = {} }: Change): void {
    this.changeRecords(
      removed.map((line) => makeRecord(this.zone, line)),
      added.map((line) => makeRecord(this.zone, line)),
      fields,
    );
  }

  changeRecords(
    removed: readonly ResourceRecord[],
    added: readonly ResourceRecord[],
    fields: Partial<Zone> = {},
  ): void {
    const gone = new Set(removed.map(keyOf));
    const kept = this.records.filter((record) => !gone.has(keyOf(record)));
    const before = this.zone;
    this.records = [...kept, ...added].sort(compareRecords);
    this.zone = {
      ...before,
      ...fields,
      serial: before.serial + 1,
      recordCount: this.records.length,
    };
    this.steps.push({
      serialBefore: before.serial,
      serial: this.zone.serial,
      soaBefore: soaRdata(before),
      soaAfter: soaRdata(this.zone),
      soaTtlBefore: before.defaultTtl,
      soaTtlAfter: this.zone.defaultTtl,
      removedCount: removed.length,
      addedCount: added.length,
      largestPartBytes: Math.max(0, ...[...removed, ...added].map(packedBytes)),
      removed,
      added,
    });
  }

  /** The state of this moment; later changes are not seen through it. */
  snapshot(): ZoneSnapshot {
    const { zone, records, blockSize } = this;
    const steps = [...this.steps];
    this.opened++;
    let open = true;
    return {
      findZone: (name) => (name === apexOf(zone) ? zone : undefined),
      *blocks() {
        yield* packedBlocks(records, blockSize);
      },
      differences(_zone, fromSerial) {
        if (fromSerial < zone.historyFromSerial || fromSerial > zone.serial) return undefined;
        return steps.filter(({ serial }) => serial > fromSerial);
      },
      *parts(step): Generator<DeltaPart> {
        const { removed, added } = step as MemoryStep;
        for (const block of packedBlocks(removed, 3)) yield { change: 'removed', ...block };
        for (const block of packedBlocks(added, 3)) yield { change: 'added', ...block };
      },
      close: () => {
        if (open) this.closed++;
        open = false;
      },
    };
  }

  source(): TransferSource {
    return openZoneSource(this.snapshot(), apexOf(this.zone))!;
  }
}

function keyOf(record: ResourceRecord): string {
  return `${record.owner} ${rdataKey(record.type, record.rdata)}`;
}

/** Packed records as one line each, for comparisons. */
export function packedText(records: readonly ResourceRecord[]): string {
  return packRecords([...records].sort(compareRecords)).toString('hex');
}
