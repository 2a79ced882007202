/** Shapes with a name of their own in the specification. */
import { action, role, roleGrant, token, tsigKey } from './schemas/access.ts';
import { errorBody, errorCode, message, pagination, recordValue } from './schemas/common.ts';
import { delegation, dnssecStatus, dsRecord, signingKey } from './schemas/dnssec.ts';
import { dnssecPolicy } from './schemas/dnssec-policy.ts';
import { externalRecord, externalRecordInput } from './schemas/external-dns.ts';
import { historyEntry } from './schemas/history.ts';
import { importReport } from './schemas/import.ts';
import { diffEntry, diffValue, record, recordDiff, recordInput } from './schemas/record.ts';
import { probeResult, secondary, transferEntry, transferSummary } from './schemas/secondary.ts';
import { zoneVersion } from './schemas/version.ts';
import { warning, warnings } from './schemas/warning.ts';
import { deletedZone, zone } from './schemas/zone.ts';

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
