/**
 * Types of the API's answers, taken from the contract: types only, so that a client starts without
 * loading the schemas.
 */
import type {
  diffEntry,
  diffValue,
  record,
  recordBulk,
  recordChange,
  recordDeletion,
  recordDiff,
} from '../contract/schemas/record.ts';
import type { secondary } from '../contract/schemas/secondary.ts';
import type { zone, zoneChange, zoneDeletion } from '../contract/schemas/zone.ts';

/** What a schema lets through. */
type OutputOf<Schema extends { readonly '~types'?: { readonly output: unknown } | undefined }> =
  NonNullable<Schema['~types']>['output'];

export type Zone = OutputOf<typeof zone>;
export type ZoneChange = OutputOf<typeof zoneChange>;
export type ZoneDeletion = OutputOf<typeof zoneDeletion>;
export type DnsRecord = OutputOf<typeof record>;
export type RecordChange = OutputOf<typeof recordChange>;
export type RecordDeletion = OutputOf<typeof recordDeletion>;
export type RecordBulk = OutputOf<typeof recordBulk>;
export type RecordDiff = OutputOf<typeof recordDiff>;
export type DiffEntry = OutputOf<typeof diffEntry>;
export type DiffValue = OutputOf<typeof diffValue>;
export type Secondary = OutputOf<typeof secondary>;

export interface Listing<Item> {
  readonly items: readonly Item[];
  readonly pagination: { readonly limit: number; readonly offset: number; readonly total: number };
}

export interface Message {
  readonly message: string;
}

export interface Role {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly builtin: boolean;
  readonly created_at: string;
  readonly grant_count: number;
  readonly token_count: number;
  readonly tsig_key_count: number;
}

export interface Grant {
  readonly id: number;
  readonly role_name: string;
  readonly zone_name: string | null;
  readonly actions: readonly string[];
  readonly record_name_pattern: string;
  readonly record_types: string;
  readonly created_at: string;
}

export interface Token {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly role_name: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

export interface TsigKey {
  readonly id: number;
  readonly name: string;
  readonly algorithm: string;
  readonly created_at: string;
  readonly role_name: string;
}
