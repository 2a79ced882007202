/** Messages between a bulk insert and its thread. Octets are handed over, not copied. */
import type { ProblemCode } from '../../base/problem.ts';
import type { Warning } from '../../base/warning.ts';
import type { PlainRecords } from '../../contract/plain-bulk.ts';
import type { RightsMessage } from '../../domain/access/rights.ts';
import type { CommandOf } from '../../domain/command.ts';
import type { RecordInput } from '../../domain/record.ts';
import type { Zone } from '../../domain/zone.ts';
import type { StageSlice } from '../../projection/stage-store.ts';
import type { StageReport } from './protocol.ts';

export interface BulkReadJob {
  /** As they were written: a JSON array that was found plain (contract/plain-bulk.ts). Else they were sent before. */
  readonly records: PlainRecords | undefined;
  readonly zone: Zone;
  /** Of the caller, who is shown only what it may read. */
  readonly rights: RightsMessage;
}

export interface BulkPlanJob {
  /** As it is, and as the records are judged beside what it holds. */
  readonly zone: Zone;
  /** 0 in a dry run, which prepares nothing. */
  readonly firstId: number;
  /** Milliseconds since 1970: when the records are made. */
  readonly createdAt: number;
  readonly isPatch: boolean;
}

export interface BulkReport extends StageReport {
  readonly warnings: readonly Warning[];
  /** All of them, when their maker is not one who may create any. */
  readonly records?: CommandOf<'publish-records'>['records'];
}

export type ToBulkThread =
  /** Some of the records, unless they are plain. */
  | { readonly kind: 'inputs'; readonly inputs: readonly RecordInput[] }
  | { readonly kind: 'read'; readonly job: BulkReadJob }
  | { readonly kind: 'plan'; readonly job: BulkPlanJob }
  /** The last slice is written: the next may come. */
  | { readonly kind: 'taken' }
  /** The next piece of the answer, please. */
  | { readonly kind: 'text' }
  /** Nobody wants any more of it. */
  | { readonly kind: 'rest' };

export type FromBulkThread =
  | { readonly kind: 'failed'; readonly code: ProblemCode | undefined; readonly message: string }
  | { readonly kind: 'read' }
  | { readonly kind: 'slice'; readonly slice: StageSlice }
  | { readonly kind: 'planned'; readonly report: BulkReport }
  /** Undefined after the last piece. */
  | { readonly kind: 'text'; readonly piece: Uint8Array | undefined };
