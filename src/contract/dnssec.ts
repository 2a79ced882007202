/** Operations on how a zone is signed (interface 4.7, decisions 2). */
import { exampleDelegation, exampleDnssecStatus } from './dnssec-examples.ts';
import { defineRoute } from './route.ts';
import { message } from './schemas/common.ts';
import {
  abortBody,
  abortQuery,
  configureBody,
  disableBody,
  disableQuery,
  dnssecStatus,
  enableBody,
  promoteBody,
  promoteQuery,
  rollBody,
} from './schemas/dnssec.ts';

const path = '/zones/{name}/dnssec';
const dnssec = { tags: ['dnssec'], auth: 'token' } as const;
const read = { ...dnssec, action: 'dnssec:read' } as const;
const manage = { ...dnssec, action: 'dnssec:manage', conditional: true } as const;
const hidden = ['FORBIDDEN', 'ZONE_NOT_FOUND'] as const;
const onSigned = [...hidden, 'DNSSEC_NOT_ENABLED'] as const;
const signing = ['ZONE_CONFLICT', 'DNSSEC_SIGNING_FAILED'] as const;
const success = {
  status: 200,
  description: 'How it is signed now.',
  schema: dnssecStatus,
} as const;
const response = exampleDnssecStatus;

export const getDnssec = defineRoute({
  ...read,
  id: 'getDnssec',
  admission: { by: 'zone', action: 'dnssec:read' },
  method: 'GET',
  path,
  summary: 'Show how a zone is signed, or that it is not',
  success: { ...success, description: 'How it is signed.' },
  problems: hidden,
  examples: { response },
});

export const enableDnssec = defineRoute({
  ...manage,
  id: 'enableDnssec',
  admission: { by: 'zone', action: 'dnssec:manage' },
  method: 'POST',
  path,
  summary: 'Sign a zone',
  description:
    'Makes keys and signs everything, in one step of the serial. The DS records of the answer go ' +
    'to the parent, as they do by CDS and CDNSKEY after a while.',
  body: enableBody,
  bodyLimit: 'ordinary',
  success: { status: 201, description: 'How it is signed.', schema: dnssecStatus },
  problems: [...hidden, 'DNSSEC_POLICY_NOT_FOUND', 'DNSSEC_ALREADY_ENABLED', ...signing],
  examples: { request: { parent_ns_addrs: ['192.0.2.1'], policy_name: 'default' }, response },
});

export const configureDnssec = defineRoute({
  ...manage,
  id: 'configureDnssec',
  admission: { by: 'zone', action: 'dnssec:manage' },
  method: 'PUT',
  path,
  summary: 'Move a signed zone to another policy, or name other parent servers',
  description:
    'A policy of another algorithm starts an algorithm roll, one of another way of denial replaces ' +
    'the chain. At least one field must be given.',
  body: configureBody,
  bodyLimit: 'ordinary',
  success,
  problems: [...onSigned, 'DNSSEC_POLICY_NOT_FOUND', 'DNSSEC_ROLLOVER_IN_PROGRESS', ...signing],
  examples: { request: { parent_ns_addrs: ['192.0.2.1', '[2001:db8::1]:53'] }, response },
});

export const disableDnssec = defineRoute({
  ...manage,
  id: 'disableDnssec',
  admission: { by: 'zone', action: 'dnssec:manage' },
  method: 'DELETE',
  path,
  summary: 'Stop signing a zone',
  description: 'Refused while a parent server serves a DS, or can not be asked.',
  query: disableQuery,
  body: disableBody,
  bodyLimit: 'ordinary',
  bodyOptional: true,
  success: { status: 200, description: 'It is not signed any more.', schema: message },
  problems: [...onSigned, 'DNSSEC_DS_PUBLISHED', 'DNSSEC_DS_UNVERIFIED', ...signing],
  examples: {
    request: { skip_ds_check: false },
    response: { message: "zone 'example.com' is not signed any more" },
  },
});

export const checkDs = defineRoute({
  ...read,
  id: 'checkDs',
  admission: { by: 'zone', action: 'dnssec:read' },
  method: 'POST',
  path: `${path}/check-ds`,
  summary: 'Ask the parent servers for the DS of a zone',
  description: 'A server that can not be asked fails the check, and is named.',
  success: { ...success, description: 'How it is signed, with its delegation.' },
  problems: [...onSigned, 'DNSSEC_DS_UNVERIFIED'],
  examples: { response: { ...response, delegation: exampleDelegation } },
});

export const rollKey = defineRoute({
  ...manage,
  id: 'rollKey',
  admission: { by: 'zone', action: 'dnssec:manage' },
  method: 'POST',
  path: `${path}/rollover`,
  summary: 'Publish a key that is to replace one',
  body: rollBody,
  bodyLimit: 'ordinary',
  bodyOptional: true,
  success,
  problems: [...onSigned, 'DNSSEC_ROLLOVER_IN_PROGRESS', ...signing],
  examples: { request: { role: 'zsk' }, response },
});

const promotion = {
  ...manage,
  method: 'POST',
  description:
    'Refused before caches know the new key, before every parent server serves its DS, and while an ' +
    'enabled secondary serves a serial from before the key was published. The answer holds what the ' +
    'parent servers said, when they were asked.',
  query: promoteQuery,
  body: promoteBody,
  bodyLimit: 'ordinary',
  bodyOptional: true,
  success,
  problems: [
    ...onSigned,
    'DNSSEC_NO_ROLLOVER_IN_PROGRESS',
    'DNSSEC_DS_NOT_PUBLISHED',
    'DNSSEC_DS_UNVERIFIED',
    'DNSSEC_SECONDARY_BEHIND',
    ...signing,
  ],
  examples: {
    request: { skip_ds_check: false, skip_holddown: false, skip_secondaries: false },
    response,
  },
} as const;

export const promoteKey = defineRoute({
  ...promotion,
  id: 'promoteKey',
  admission: { by: 'zone', action: 'dnssec:manage' },
  path: `${path}/rollover/promote`,
  summary: 'Make a published key the active one',
});

export const noteDsSeen = defineRoute({
  ...promotion,
  id: 'noteDsSeen',
  admission: { by: 'zone', action: 'dnssec:manage' },
  path: `${path}/rollover/ds-seen`,
  summary: 'Make a published key the active one (another path of the same)',
});

export const abortRoll = defineRoute({
  ...manage,
  id: 'abortRoll',
  admission: { by: 'zone', action: 'dnssec:manage' },
  method: 'POST',
  path: `${path}/rollover/abort`,
  summary: 'Take a published key away before it takes over',
  description:
    'The key leaves with its signatures, CDS and CDNSKEY in one step of the serial; all new keys do when ' +
    'a move to another algorithm is aborted, and the zone is back under the policy it was moved from. ' +
    'Refused after the promotion, and while a parent server relies on the key: where its DS stands ' +
    'alone, or is the only one of its algorithm.',
  query: abortQuery,
  body: abortBody,
  bodyLimit: 'ordinary',
  bodyOptional: true,
  success,
  problems: [
    ...onSigned,
    'DNSSEC_POLICY_NOT_FOUND',
    'DNSSEC_NO_ROLLOVER_IN_PROGRESS',
    'DNSSEC_DS_PUBLISHED',
    'DNSSEC_DS_UNVERIFIED',
    ...signing,
  ],
  examples: { request: { role: 'ksk', skip_ds_check: false }, response },
});

export const signZone = defineRoute({
  ...manage,
  id: 'signZone',
  admission: { by: 'zone', action: 'dnssec:manage' },
  method: 'POST',
  path: `${path}/sign`,
  summary: 'Make all signatures of a zone anew',
  success: { status: 200, description: 'It is signed anew.', schema: message },
  problems: [...onSigned, ...signing],
  examples: { response: { message: "zone 'example.com' is signed anew, at serial 12" } },
});

export const withdrawDs = defineRoute({
  ...manage,
  id: 'withdrawDs',
  admission: { by: 'zone', action: 'dnssec:manage' },
  method: 'POST',
  path: `${path}/withdraw`,
  summary: 'Ask the parent to remove the DS, by CDS and CDNSKEY (RFC 8078 4)',
  success,
  problems: [...onSigned, ...signing],
  examples: { response: { ...response, withdrawing: true } },
});

export const cancelWithdrawal = defineRoute({
  ...manage,
  id: 'cancelWithdrawal',
  admission: { by: 'zone', action: 'dnssec:manage' },
  method: 'DELETE',
  path: `${path}/withdraw`,
  summary: 'Ask the parent to keep the DS after all',
  success,
  problems: [...onSigned, ...signing],
  examples: { response },
});

export const dnssecRoutes = [
  getDnssec,
  enableDnssec,
  configureDnssec,
  disableDnssec,
  checkDs,
  rollKey,
  promoteKey,
  noteDsSeen,
  abortRoll,
  signZone,
  withdrawDs,
  cancelWithdrawal,
] as const;
