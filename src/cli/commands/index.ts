/** Every command, in the order in which help shows them. */
import type { Command, Group } from '../command.ts';
import { backup } from './backup/backup.ts';
import { restore } from './backup/restore.ts';
import { configCheck } from './config/check.ts';
import { configShow } from './config/show.ts';
import { dnssecAbort } from './dnssec/abort.ts';
import { dnssecCheckDs } from './dnssec/check-ds.ts';
import { dnssecDisable } from './dnssec/disable.ts';
import { dnssecEnable } from './dnssec/enable.ts';
import { dnssecKeyExport } from './dnssec/key/export.ts';
import { dnssecKeyImport } from './dnssec/key/import.ts';
import { dnssecPromote } from './dnssec/promote.ts';
import { dnssecRoll } from './dnssec/roll.ts';
import { dnssecSet } from './dnssec/set.ts';
import { dnssecSign } from './dnssec/sign.ts';
import { dnssecStatus } from './dnssec/status.ts';
import { withdrawCancel } from './dnssec/withdraw/cancel.ts';
import { withdrawStart } from './dnssec/withdraw/start.ts';
import { policyCreate } from './dnssec-policy/create.ts';
import { policyDelete } from './dnssec-policy/delete.ts';
import { policyGet } from './dnssec-policy/get.ts';
import { policyList } from './dnssec-policy/list.ts';
import { policyUpdate } from './dnssec-policy/update.ts';
import { journalLog } from './journal/log.ts';
import { journalRebuild } from './journal/rebuild.ts';
import { journalVerify } from './journal/verify.ts';
import { recordBulk } from './record/bulk.ts';
import { recordCreate } from './record/create.ts';
import { recordDelete } from './record/delete.ts';
import { recordGet } from './record/get.ts';
import { recordHistory } from './record/history.ts';
import { recordList } from './record/list.ts';
import { recordUpdate } from './record/update.ts';
import { roleCreate } from './role/create.ts';
import { roleDelete } from './role/delete.ts';
import { roleGet } from './role/get.ts';
import { roleGrant } from './role/grant.ts';
import { roleGrants } from './role/grants.ts';
import { roleList } from './role/list.ts';
import { roleRevoke } from './role/revoke.ts';
import { secondaryCheck } from './secondary/check.ts';
import { secondaryCreate } from './secondary/create.ts';
import { secondaryDelete } from './secondary/delete.ts';
import { secondaryGet } from './secondary/get.ts';
import { secondaryList } from './secondary/list.ts';
import { secondaryTransfers } from './secondary/transfers.ts';
import { secondaryUpdate } from './secondary/update.ts';
import { completion } from './service/completion.ts';
import { doctor } from './service/doctor.ts';
import { externalDns } from './service/external-dns.ts';
import { openapi } from './service/openapi.ts';
import { serve } from './service/serve.ts';
import { status } from './service/status.ts';
import { tokenCreate } from './token/create.ts';
import { tokenDelete } from './token/delete.ts';
import { tokenList } from './token/list.ts';
import { tokenSelf } from './token/self.ts';
import { tsigKeyCreate } from './tsig-key/create.ts';
import { tsigKeyDelete } from './tsig-key/delete.ts';
import { tsigKeyGet } from './tsig-key/get.ts';
import { tsigKeyList } from './tsig-key/list.ts';
import { zoneCreate } from './zone/create.ts';
import { zoneDelete } from './zone/delete.ts';
import { zoneExport } from './zone/export.ts';
import { zoneForgetHistory } from './zone/forget-history.ts';
import { zoneGet } from './zone/get.ts';
import { zoneHistory } from './zone/history.ts';
import { zoneImport } from './zone/import.ts';
import { zoneList } from './zone/list.ts';
import { zoneNotify } from './zone/notify.ts';
import { zonePurge } from './zone/purge.ts';
import { zoneRestore } from './zone/restore.ts';
import { zoneStatus } from './zone/status.ts';
import { zoneUpdate } from './zone/update.ts';
import { versionDiff } from './zone/version/diff.ts';
import { versionGet } from './zone/version/get.ts';
import { versionList } from './zone/version/list.ts';
import { versionRollback } from './zone/version/rollback.ts';

export const commands: readonly Command[] = [
  serve,
  externalDns,
  status,
  doctor,
  backup,
  restore,
  openapi,
  completion,
];

export const groups: readonly Group[] = [
  {
    name: 'zone',
    summary: 'Zones: their SOA and what belongs to it',
    commands: [
      zoneCreate,
      zoneList,
      zoneGet,
      zoneUpdate,
      zoneDelete,
      zoneImport,
      zoneExport,
      zoneHistory,
      zoneRestore,
      zonePurge,
      zoneForgetHistory,
      zoneNotify,
      zoneStatus,
    ],
    groups: [
      {
        name: 'version',
        summary: 'Versions of a zone: what it was at each serial',
        commands: [versionList, versionGet, versionDiff, versionRollback],
      },
    ],
  },
  {
    name: 'record',
    summary: 'Records of zones',
    commands: [
      recordCreate,
      recordList,
      recordGet,
      recordUpdate,
      recordDelete,
      recordBulk,
      recordHistory,
    ],
  },
  {
    name: 'secondary',
    summary: 'Servers that are told of changes and may transfer zones',
    commands: [
      secondaryCreate,
      secondaryList,
      secondaryGet,
      secondaryUpdate,
      secondaryDelete,
      secondaryCheck,
      secondaryTransfers,
    ],
  },
  {
    name: 'role',
    summary: 'Roles: what tokens and TSIG keys may do',
    commands: [roleCreate, roleList, roleGet, roleDelete, roleGrant, roleGrants, roleRevoke],
  },
  {
    name: 'token',
    summary: 'Tokens of callers of the HTTP interface',
    commands: [tokenCreate, tokenList, tokenDelete, tokenSelf],
  },
  {
    name: 'tsig-key',
    summary: 'TSIG keys of DNS updates, transfers and NOTIFY',
    commands: [tsigKeyCreate, tsigKeyList, tsigKeyGet, tsigKeyDelete],
  },
  {
    name: 'dnssec',
    summary: 'The signing of zones: keys, signatures, and the DS at the parent',
    commands: [
      dnssecEnable,
      dnssecStatus,
      dnssecSet,
      dnssecDisable,
      dnssecCheckDs,
      dnssecSign,
      dnssecRoll,
      dnssecPromote,
      dnssecAbort,
    ],
    groups: [
      {
        name: 'withdraw',
        summary: 'Asking the parent to remove the DS',
        commands: [withdrawStart, withdrawCancel],
      },
      {
        name: 'key',
        summary: 'Private keys on this host, in the form of BIND',
        commands: [dnssecKeyExport, dnssecKeyImport],
      },
    ],
  },
  {
    name: 'dnssec-policy',
    summary: 'How zones are signed, and how long signatures last',
    commands: [policyCreate, policyList, policyGet, policyUpdate, policyDelete],
  },
  {
    name: 'journal',
    summary: 'The journal on this host, whether the service runs or not',
    commands: [journalVerify, journalRebuild, journalLog],
  },
  {
    name: 'config',
    summary: 'The configuration on this host',
    commands: [configCheck, configShow],
  },
];
