/** Messages between a pass over a whole zone and its thread. Octets are handed over, not copied. */
import type { ProblemCode } from '../../base/problem.ts';
import type { WholePass } from '../../engine/zone-signer.ts';
import type { StageSlice } from '../../projection/stage-store.ts';

export interface SigningJob {
  readonly whole: WholePass;
  /** The private halves, PKCS #8 in DER, by the ids of the keys. */
  readonly privateKeys: ReadonlyMap<number, Uint8Array>;
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
