/** Shapes with a name of their own in the specification. */
import { role, roleGrant, token, tsigKey } from './schemas/access.ts';
import { errorBody, message, pagination, recordValue } from './schemas/common.ts';
import { diffEntry, diffValue, record, recordDiff, recordInput } from './schemas/record.ts';
import { secondary } from './schemas/secondary.ts';
import { zone } from './schemas/zone.ts';

export const components = {
  Zone: zone,
  Record: record,
  RecordInput: recordInput,
  RecordValue: recordValue,
  RecordDiff: recordDiff,
  RecordDiffEntry: diffEntry,
  RecordDiffValue: diffValue,
  Secondary: secondary,
  Role: role,
  RoleGrant: roleGrant,
  Token: token,
  TsigKey: tsigKey,
  Pagination: pagination,
  Message: message,
  Error: errorBody,
};
