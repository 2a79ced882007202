/** Messages between a pass over a whole zone and its thread. Octets are handed over, not copied. */
import type { MessagePort } from 'node:worker_threads';
import type { ProblemCode } from '../../base/problem.ts';
import type { WholePass } from '../../engine/zone-signer.ts';
import type { StageSlice } from '../../projection/stage-store.ts';

export interface SigningJob {
  readonly whole: WholePass;
  /** The private halves of keys that the step brings in, PKCS #8 in DER, by the ids of the keys. */
  readonly madeKeys: ReadonlyMap<number, Uint8Array>;
  /** Whence those of stored keys come (SentKeys): from who has the keystore, and through nobody else. */
  readonly storedKeys: MessagePort;
}

export interface SigningReport {
  readonly partCount: number;
  readonly partsDigest: Uint8Array;
  readonly derivedRemoved: number;
  readonly derivedAdded: number;
  readonly signatures: number;
  /** Of all records that were signed or served before, in seconds. */
  readonly largestTtl: number;
}

export type ToSigner =
  | { readonly kind: 'sign'; readonly job: SigningJob }
  /** A slice is written: another may come. */
  | { readonly kind: 'taken' };

export type FromSigner =
  | { readonly kind: 'slice'; readonly slice: StageSlice }
  | { readonly kind: 'signed'; readonly report: SigningReport }
  | { readonly kind: 'failed'; readonly code: ProblemCode | undefined; readonly message: string };
