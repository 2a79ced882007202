/**
 * Warnings: what a write was allowed to do although it is probably a mistake, as values with a code. A write
 * answers them beside its outcome; nothing is refused because of one.
 */

/** Every code of a warning of the HTTP interface. Four of delegations are of lint alone. */
export const warningCodes = [
  'NO_APEX_NS',
  'LARGE_RRSET',
  'TARGET_NO_ADDRESS',
  'TARGET_IS_ALIAS',
  'CNAME_TARGET_MISSING',
  'TARGET_SINGLE_LABEL',
  'SPF_MULTIPLE',
  'SPF_LOOKUPS',
  'ZONE_IS_ROLLED',
  'TTL_PROLONGS_ROLL',
  'SERIAL_RAISED',
  'SERIAL_BEHIND',
  'SOA_TTL_CHANGED',
  'DELEGATION_MISSING',
  'DELEGATION_DIFFERS',
  'DS_WITHOUT_KEY',
  'TTL_OUT_OF_STEP',
  'MORE_WARNINGS',
  'GUARDED',
] as const;

const ofWritesAlone: readonly string[] = [
  'ZONE_IS_ROLLED',
  'TTL_PROLONGS_ROLL',
  'SERIAL_RAISED',
  'SERIAL_BEHIND',
  'SOA_TTL_CHANGED',
  'MORE_WARNINGS',
  'GUARDED',
];

/** Those that lint finds: all but what is said of an answer, or of a write. */
export const lintCodes = warningCodes.filter((code) => !ofWritesAlone.includes(code));

export type WarningCode = (typeof warningCodes)[number];

/** One sentence for people and a code for machines, about an RRset or, with neither name nor type, the answer. */
export interface Warning {
  readonly code: WarningCode;
  /** Absolute, with trailing dot; null when it is about no name. */
  readonly name: string | null;
  /** Mnemonic of a record type; null when it is about no type. */
  readonly type: string | null;
  readonly message: string;
}
