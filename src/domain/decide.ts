/** All decisions in one table: every kind of command has exactly one. Pure: see domain/decision.ts. */
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
import { decideImportZone, decidePublishImport } from './decide-import.ts';
import {
  decideAbortRoll,
  decideNoteParents,
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
import {
  decideCreateRecords,
  decideDeleteRecord,
  decideDeleteRecords,
  decidePublishRecords,
  decideUpdateRecord,
} from './decide-records.ts';
import { decidePublishRollback, decideRollbackZone } from './decide-rollback.ts';
import {
  decideCreateSecondary,
  decideDeleteSecondary,
  decideUpdateSecondary,
} from './decide-secondary.ts';
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
  decideCheckpointZone,
  decideCreateZone,
  decideDeleteZone,
  decidePurgeZone,
  decideRestoreZone,
  decideUpdateZone,
} from './decide-zone.ts';
import type { Decision, DecisionContext } from './decision.ts';

type Kind = Command['kind'];

/** The command of a kind; one type may stand for two kinds. */
type CommandOf<Wanted extends Kind> = Command extends infer One
  ? One extends Command
    ? Wanted extends One['kind']
      ? One
      : never
    : never
  : never;

type Decide<One extends Command> = (
  command: One,
  context: DecisionContext,
) => Decision<OutcomeOf<One>>;

/** The compiler asks for every kind. */
const decisions: { readonly [Each in Kind]: Decide<CommandOf<Each>> } = {
  'create-zone': decideCreateZone,
  'update-zone': decideUpdateZone,
  'delete-zone': decideDeleteZone,
  'bump-serial': decideBumpSerial,
  'restore-zone': decideRestoreZone,
  'purge-zone': decidePurgeZone,
  'checkpoint-zone': decideCheckpointZone,
  'import-zone': decideImportZone,
  'publish-import': decidePublishImport,
  'rollback-zone': decideRollbackZone,
  'publish-rollback': decidePublishRollback,
  'create-records': decideCreateRecords,
  'publish-records': decidePublishRecords,
  'update-record': decideUpdateRecord,
  'delete-record': decideDeleteRecord,
  'delete-records': decideDeleteRecords,
  'dynamic-update': decideDynamicUpdate,
  'apply-external-dns': decideApplyExternalDns,
  'begin-epoch': decideBeginEpoch,
  'recover-zone': decideRecoverZone,
  'create-secondary': decideCreateSecondary,
  'update-secondary': decideUpdateSecondary,
  'delete-secondary': decideDeleteSecondary,
  'ensure-default-policy': decideEnsureDefaultPolicy,
  'create-policy': decideCreatePolicy,
  'update-policy': decideUpdatePolicy,
  'delete-policy': decideDeletePolicy,
  'ensure-admin-role': decideEnsureAdminRole,
  'create-role': decideCreateRole,
  'delete-role': decideDeleteRole,
  'create-grant': decideCreateGrant,
  'delete-grant': decideDeleteGrant,
  'create-token': decideCreateToken,
  'delete-token': decideDeleteToken,
  'create-tsig-key': decideCreateTsigKey,
  'delete-tsig-key': decideDeleteTsigKey,
  'enable-signing': decideEnableSigning,
  'disable-signing': decideDisableSigning,
  'configure-signing': decideConfigureSigning,
  'sign-zone': decideSignZone,
  'withdraw-ds': decideWithdrawDs,
  'cancel-withdrawal': decideWithdrawDs,
  'set-clock-back': decideSetClockBack,
  'start-key-roll': decideStartKeyRoll,
  'promote-keys': decidePromoteKeys,
  'abort-roll': decideAbortRoll,
  'remove-keys': decideRemoveKeys,
  'note-parents': decideNoteParents,
  'note-secondaries': decideNoteSecondaries,
};

export function decide(command: Command, context: DecisionContext): Decision<OutcomeOf<Command>> {
  const decideOne = decisions[command.kind] as Decide<Command>;
  return decideOne(command, context);
}
