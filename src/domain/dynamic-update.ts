/**
 * A dynamic update as a value (RFC 2136): what has to be so before it, and what it changes, in the order
 * of its message. Owners are relative to the apex, RDATA canonical.
 */
import type { NameKey } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import type { Zone } from './zone.ts';

/** The five forms of RFC 2136 2.4. */
export type Prerequisite =
  | { readonly kind: 'name-in-use'; readonly owner: NameKey }
  | { readonly kind: 'name-not-in-use'; readonly owner: NameKey }
  | { readonly kind: 'rrset-exists'; readonly owner: NameKey; readonly type: number }
  | { readonly kind: 'rrset-absent'; readonly owner: NameKey; readonly type: number }
  /** The RRset has these RDATA and no other. */
  | {
      readonly kind: 'rrset-equals';
      readonly owner: NameKey;
      readonly type: number;
      readonly rdatas: readonly Buffer[];
    };

/** The four forms of RFC 2136 2.5. */
export type UpdateOperation =
  | { readonly kind: 'add'; readonly record: ResourceRecord }
  | { readonly kind: 'delete-name'; readonly owner: NameKey }
  | { readonly kind: 'delete-rrset'; readonly owner: NameKey; readonly type: number }
  | {
      readonly kind: 'delete-record';
      readonly owner: NameKey;
      readonly type: number;
      readonly rdata: Buffer;
    };

/**
 * Prerequisites and steps are one decision: all of it is done, or nothing. Of a message with a fault they are what
 * counts before it.
 */
export interface DynamicUpdate {
  readonly kind: 'dynamic-update';
  readonly zoneName: string;
  readonly prerequisites: readonly Prerequisite[];
  readonly operations: readonly UpdateOperation[];
  /** What is wrong with the rest of the message, if anything: answered when all prerequisites here hold. */
  readonly messageError?: UpdateErrorCode | undefined;
}

/** A record that can not be where it is, or one of another zone (RFC 2136 3.2, 3.4.1). */
export type UpdateErrorCode = 'FORMERR' | 'NOTZONE';

/** The RCODE of an update: its prerequisites held and it is done, or what stands against it first. */
export type UpdateRcode =
  | 'NOERROR'
  | 'NXDOMAIN'
  | 'YXDOMAIN'
  | 'NXRRSET'
  | 'YXRRSET'
  | UpdateErrorCode;

export interface UpdateOutcome {
  readonly rcode: UpdateRcode;
  /** As it is after the update. */
  readonly zone: Zone;
}
