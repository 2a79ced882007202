/** The law in one place: every command has exactly one decision. Pure: see domain/decision.ts. */
import { unreachable } from '../base/problem.ts';
import {
  decideCreateRole,
  decideCreateToken,
  decideCreateTsigKey,
  decideDeleteRole,
  decideDeleteToken,
  decideDeleteTsigKey,
  decideEnsureAdminRole,
} from './access/decide-access.ts';
import { decideCreateGrant, decideDeleteGrant } from './access/decide-grant.ts';
import type { Command, OutcomeOf } from './command.ts';
import { decideBeginEpoch, decideRecoverZone } from './decide-epoch.ts';
import { decideApplyExternalDns } from './decide-external-dns.ts';
import { decideImportZone } from './decide-import.ts';
import {
  decideAbortRoll,
  decideNoteSecondaries,
  decidePromoteKeys,
  decideRemoveKeys,
  decideStartKeyRoll,
} from './decide-key-roll.ts';
import {
  decideCreatePolicy,
  decideDeletePolicy,
  decideEnsureDefaultPolicy,
  decideUpdatePolicy,
} from './decide-policy.ts';
import { decidePublishImport, decidePublishRecords } from './decide-publish.ts';
import {
  decideCreateRecords,
  decideDeleteRecord,
  decideDeleteRecords,
  decideUpdateRecord,
} from './decide-records.ts';
import { decideRestoreZone } from './decide-restore.ts';
import { decideCheckpointZone, decidePurgeZone } from './decide-retention.ts';
import { decidePublishRollback, decideRollbackZone } from './decide-rollback.ts';
import {
  decideCreateSecondary,
  decideDeleteSecondary,
  decideUpdateSecondary,
} from './decide-secondary.ts';
import { decideNoteParents } from './decide-note-parents.ts';
import {
  decideConfigureSigning,
  decideDisableSigning,
  decideEnableSigning,
  decideSetClockBack,
  decideSignZone,
  decideWithdrawDs,
} from './decide-signing.ts';
import { decideDynamicUpdate } from './decide-update.ts';
import {
  decideBumpSerial,
  decideCreateZone,
  decideDeleteZone,
  decideUpdateZone,
} from './decide-zone.ts';
import type { Decision, DecisionContext } from './decision.ts';

export function decide(command: Command, context: DecisionContext): Decision<OutcomeOf<Command>> {
  switch (command.kind) {
    case 'create-zone':
      return decideCreateZone(command, context);
    case 'update-zone':
      return decideUpdateZone(command, context);
    case 'delete-zone':
      return decideDeleteZone(command, context);
    case 'bump-serial':
      return decideBumpSerial(command, context);
    case 'restore-zone':
      return decideRestoreZone(command, context);
    case 'purge-zone':
      return decidePurgeZone(command, context);
    case 'checkpoint-zone':
      return decideCheckpointZone(command, context);
    case 'import-zone':
      return decideImportZone(command, context);
    case 'rollback-zone':
      return decideRollbackZone(command, context);
    case 'publish-rollback':
      return decidePublishRollback(command, context);
    case 'create-records':
      return decideCreateRecords(command, context);
    case 'update-record':
      return decideUpdateRecord(command, context);
    case 'delete-record':
      return decideDeleteRecord(command, context);
    case 'delete-records':
      return decideDeleteRecords(command, context);
    case 'dynamic-update':
      return decideDynamicUpdate(command, context);
    case 'apply-external-dns':
      return decideApplyExternalDns(command, context);
    case 'publish-import':
      return decidePublishImport(command, context);
    case 'publish-records':
      return decidePublishRecords(command, context);
    case 'begin-epoch':
      return decideBeginEpoch(command, context);
    case 'recover-zone':
      return decideRecoverZone(command, context);
    case 'create-secondary':
      return decideCreateSecondary(command, context);
    case 'update-secondary':
      return decideUpdateSecondary(command, context);
    case 'delete-secondary':
      return decideDeleteSecondary(command, context);
    case 'ensure-default-policy':
      return decideEnsureDefaultPolicy(context);
    case 'create-policy':
      return decideCreatePolicy(command, context);
    case 'update-policy':
      return decideUpdatePolicy(command, context);
    case 'delete-policy':
      return decideDeletePolicy(command, context);
    case 'ensure-admin-role':
      return decideEnsureAdminRole(context);
    case 'create-role':
      return decideCreateRole(command, context);
    case 'delete-role':
      return decideDeleteRole(command, context);
    case 'create-grant':
      return decideCreateGrant(command, context);
    case 'delete-grant':
      return decideDeleteGrant(command, context);
    case 'create-token':
      return decideCreateToken(command, context);
    case 'delete-token':
      return decideDeleteToken(command, context);
    case 'create-tsig-key':
      return decideCreateTsigKey(command, context);
    case 'delete-tsig-key':
      return decideDeleteTsigKey(command, context);
    case 'enable-signing':
      return decideEnableSigning(command, context);
    case 'disable-signing':
      return decideDisableSigning(command, context);
    case 'configure-signing':
      return decideConfigureSigning(command, context);
    case 'start-key-roll':
      return decideStartKeyRoll(command, context);
    case 'promote-keys':
      return decidePromoteKeys(command, context);
    case 'abort-roll':
      return decideAbortRoll(command, context);
    case 'note-secondaries':
      return decideNoteSecondaries(command, context);
    case 'remove-keys':
      return decideRemoveKeys(command, context);
    case 'sign-zone':
      return decideSignZone(command, context);
    case 'withdraw-ds':
    case 'cancel-withdrawal':
      return decideWithdrawDs(command, context);
    case 'note-parents':
      return decideNoteParents(command, context);
    case 'set-clock-back':
      return decideSetClockBack(command, context);
    default:
      return unreachable(command);
  }
}
