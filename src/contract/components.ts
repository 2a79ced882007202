/** Shapes with a name of their own in the specification. */
import { dnssecPolicy } from './dnssec-policies.ts';
import { delegation, dnssecStatus, dsRecord, signingKey } from './dnssec-status.ts';
import { importReport } from './exchange.ts';
import { externalRecord, externalRecordInput } from './external-dns.ts';
import { errorBody, errorCode, message, pagination, recordValue } from './fields.ts';
import { historyEntry } from './history.ts';
import { diffEntry, diffValue, record, recordDiff, recordInput } from './records.ts';
import { action, role, roleGrant } from './roles.ts';
import { probeResult, secondary, transferEntry, transferSummary } from './secondaries.ts';
import { token } from './tokens.ts';
import { tsigKey } from './tsig-keys.ts';
import { zoneVersion } from './versions.ts';
import { warning, warnings } from './warning.ts';
import { deletedZone, zone } from './zones.ts';

export const components = {
  Zone: zone,
  DeletedZone: deletedZone,
  ZoneVersion: zoneVersion,
  HistoryEntry: historyEntry,
  ImportReport: importReport,
  Record: record,
  RecordInput: recordInput,
  RecordValue: recordValue,
  RecordDiff: recordDiff,
  RecordDiffEntry: diffEntry,
  RecordDiffValue: diffValue,
  Warning: warning,
  Warnings: warnings,
  ExternalRecord: externalRecord,
  ExternalRecordInput: externalRecordInput,
  Secondary: secondary,
  ProbeResult: probeResult,
  TransferEntry: transferEntry,
  TransferSummary: transferSummary,
  Role: role,
  RoleGrant: roleGrant,
  Token: token,
  TsigKey: tsigKey,
  DnssecPolicy: dnssecPolicy,
  DnssecStatus: dnssecStatus,
  SigningKey: signingKey,
  DsRecord: dsRecord,
  Delegation: delegation,
  Pagination: pagination,
  Message: message,
  Action: action,
  ErrorCode: errorCode,
  Error: errorBody,
};
