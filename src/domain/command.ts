/** What other rooms know of commands and their outcomes; each stands with its decision. */
import type { CommandOf } from './decide.ts';

export type { FileRecord } from '../dns/zonefile/zone-file.ts';
export type { Command, CommandOf, OutcomeOf } from './decide.ts';
export type { ImportOutcome } from './decide-import.ts';
export type { RecordOutcome } from './decide-records.ts';
export type { RevertOutcome } from './decide-revert.ts';
export type { NodeVersion, RollbackOutcome } from './decide-rollback.ts';
export type { ZoneOutcome } from './decide-zone.ts';
export type { ImportMode, ImportSummary } from './file-node.ts';
export type { ImportedZone, SoaOverrides } from './imported-zone.ts';

export type CreateRecords = CommandOf<'create-records'>;
export type CreateZone = CommandOf<'create-zone'>;
