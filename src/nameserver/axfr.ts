/**
 * The records of a full transfer (RFC 5936 2.2): the SOA, everything else in stored order, the SOA.
 */
import type { PackedRecords, TransferSource } from './transfer-source.ts';

export function* fullZone(source: TransferSource): Generator<PackedRecords> {
  yield source.soa;
  yield* source.blocks();
  yield source.soa;
}
