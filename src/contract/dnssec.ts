/** Operations on how a zone is signed (interface 4.7, decisions 2). */
import * as v from 'valibot';
import { limits } from '../base/limits.ts';
import { delegation, dnssecStatus, foreseen } from './dnssec-status.ts';
import {
  booleanParameter,
  deletedIdParameter,
  described,
  dryRun,
  dryRunParameter,
  flag,
  message,
  optional,
  text,
} from './fields.ts';
import { answers, defineRoute, resource } from './route.ts';
import { serverAddress } from './shapes.ts';

const parentNsAddrs = v.pipe(
  v.array(serverAddress, 'must be an array of strings'),
  v.metadata({ minItems: 1, maxItems: limits.parentServers }),
  v.description(
    'Name servers of the parent, host[:port], port 53 when left out; at least one. Private addresses are asked only when the caller holds zone:create or secondary:manage in all zones.',
  ),
);

const policyName = described(optional(text), 'The built-in policy when left out.');
const dsCheckRule = 'Do not ask the parent servers.';
const holddownRule = 'Do not wait until caches know the new key.';

const secondariesRule =
  'Do not wait for secondaries that serve a serial from before the key was published, now or at the ' +
  'removal of the key that is replaced.';

function switchParameter(description: string) {
  return described(v.optional(booleanParameter), description);
}

function switchField(description: string) {
  return described(optional(flag), description);
}

const manage = {
  conditional: true,
  admission: { by: 'zone', action: 'dnssec:manage' },
} as const;
const signing = ['ZONE_CONFLICT', 'DNSSEC_SIGNING_FAILED'] as const;

/** What was done, of operations after which there is no more to say of a zone. */
const done = v.object({ ...message.entries, ...foreseen });

const status = answers(200, 'How it is signed now.', dnssecStatus, dnssecStatus.example);

const promotion = {
  ...manage,
  description:
    'Refused before caches know the new key, before every parent server serves its DS, and while an ' +
    'enabled secondary serves a serial from before the key was published. The answer holds what the ' +
    'parent servers said, when they were asked.',
  query: v.strictObject({
    skip_ds_check: switchParameter(dsCheckRule),
    skip_holddown: switchParameter(holddownRule),
    skip_secondaries: switchParameter(secondariesRule),
    dry_run: dryRunParameter,
  }),
  body: v.strictObject({
    skip_ds_check: switchField(dsCheckRule),
    skip_holddown: switchField(holddownRule),
    skip_secondaries: switchField(secondariesRule),
    dry_run: dryRun,
  }),
  bodyOptional: true,
  ...status,
  problems: [
    'DNSSEC_NOT_ENABLED',
    'DNSSEC_NO_ROLLOVER_IN_PROGRESS',
    'DNSSEC_DS_NOT_PUBLISHED',
    'DNSSEC_DS_UNVERIFIED',
    'DNSSEC_SECONDARY_BEHIND',
    ...signing,
  ],
  exampleBody: { skip_ds_check: false, skip_holddown: false, skip_secondaries: false },
} as const;

export const delegationAnswer = v.object({ delegation });

export const dnssecRoutes = resource('dnssec', {
  getDnssec: defineRoute('GET /zones/{name}/dnssec', {
    admission: { by: 'zone', action: 'dnssec:read' },
    summary: 'Show how a zone is signed, or that it is not',
    ...answers(200, 'How it is signed.', dnssecStatus, dnssecStatus.example),
  }),

  enableDnssec: defineRoute('POST /zones/{name}/dnssec', {
    ...manage,
    summary: 'Sign a zone',
    description:
      'Makes keys and signs everything, in one increment of the serial. The DS records of the answer go ' +
      'to the parent, as they do by CDS and CDNSKEY after a while.',
    body: v.strictObject({
      parent_ns_addrs: parentNsAddrs,
      policy_name: policyName,
      dry_run: dryRun,
    }),
    exampleBody: { parent_ns_addrs: ['192.0.2.1'], policy_name: 'default' },
    ...answers(201, 'How it is signed.', dnssecStatus, dnssecStatus.example),
    problems: ['DNSSEC_POLICY_NOT_FOUND', 'DNSSEC_ALREADY_ENABLED', 'RECORD_CONFLICT', ...signing],
  }),

  configureDnssec: defineRoute('PUT /zones/{name}/dnssec', {
    ...manage,
    summary: 'Move a signed zone to another policy, or name other parent servers',
    description:
      'A policy of another algorithm starts an algorithm roll, one of another way of denial replaces ' +
      'the chain. At least one field must be given.',
    body: v.strictObject({
      policy_name: described(
        optional(text),
        'Moves a signed zone; the key layout must be the same.',
      ),
      parent_ns_addrs: described(
        optional(parentNsAddrs),
        'Replaces them; alone it is for unsigned zones too. At least one entry.',
      ),
      dry_run: dryRun,
    }),
    exampleBody: { parent_ns_addrs: ['192.0.2.1', '[2001:db8::1]:53'] },
    ...status,
    problems: [
      'DNSSEC_NOT_ENABLED',
      'DNSSEC_POLICY_NOT_FOUND',
      'DNSSEC_ROLLOVER_IN_PROGRESS',
      'RECORD_CONFLICT',
      ...signing,
    ],
  }),

  disableDnssec: defineRoute('DELETE /zones/{name}/dnssec', {
    ...manage,
    summary: 'Stop signing a zone',
    description: 'Refused while a parent server serves a DS, or can not be asked.',
    query: v.strictObject({
      skip_ds_check: switchParameter(dsCheckRule),
      dry_run: dryRunParameter,
    }),
    body: v.strictObject({ skip_ds_check: switchField(dsCheckRule), dry_run: dryRun }),
    exampleBody: { skip_ds_check: false },
    bodyOptional: true,
    ...answers(200, 'It is not signed any more.', done, {
      message: "zone 'example.com' is not signed any more",
    }),
    problems: ['DNSSEC_NOT_ENABLED', 'DNSSEC_DS_PUBLISHED', 'DNSSEC_DS_UNVERIFIED', ...signing],
  }),

  checkDs: defineRoute('POST /zones/{name}/dnssec/check-ds', {
    admission: { by: 'zone', action: 'dnssec:read' },
    summary: 'Ask the parent servers for the DS of a zone',
    description: 'A server that can not be asked fails the check, and is named.',
    ...answers(200, 'How it is signed, with its delegation.', dnssecStatus, {
      ...dnssecStatus.example,
      delegation: delegation.example,
    }),
    problems: ['DNSSEC_NOT_ENABLED', 'DNSSEC_DS_UNVERIFIED'],
  }),

  getDelegation: defineRoute('GET /zones/{name}/delegation', {
    admission: { by: 'zone', action: 'dnssec:read' },
    summary: 'Ask the parent servers how a zone is delegated, or a deleted one still is',
    description:
      'Those that are known of it are asked; nothing of what they say is kept. One that can not be asked is named.',
    query: v.strictObject({ deleted_id: deletedIdParameter }),
    ...answers(200, 'What they said.', delegationAnswer, {
      delegation: delegation.example,
    }),
  }),

  rollKey: defineRoute('POST /zones/{name}/dnssec/rollover', {
    ...manage,
    summary: 'Publish a key that is to replace one',
    body: v.strictObject({
      role: described(
        optional(text),
        'Which key to roll, ksk or zsk; needed when the zone has both.',
      ),
      dry_run: dryRun,
    }),
    exampleBody: { role: 'zsk' },
    bodyOptional: true,
    ...status,
    problems: ['DNSSEC_NOT_ENABLED', 'DNSSEC_ROLLOVER_IN_PROGRESS', ...signing],
  }),

  promoteKey: defineRoute('POST /zones/{name}/dnssec/rollover/promote', {
    ...promotion,
    summary: 'Make a published key the active one',
  }),

  noteDsSeen: defineRoute('POST /zones/{name}/dnssec/rollover/ds-seen', {
    ...promotion,
    summary: 'Make a published key the active one (another path of the same)',
  }),

  abortRoll: defineRoute('POST /zones/{name}/dnssec/rollover/abort', {
    ...manage,
    summary: 'Take a published key away before it takes over',
    description:
      'The key leaves with its signatures, CDS and CDNSKEY in one increment of the serial; all new keys do when ' +
      'a move to another algorithm is aborted, and the zone is back under the policy it was moved from. ' +
      'Refused after the promotion, and while a parent server relies on the key: where its DS stands ' +
      'alone, or is the only one of its algorithm. Refused after a restore too, until caches know the other keys; ' +
      'skip_ds_check skips all of that.',
    query: v.strictObject({
      skip_ds_check: switchParameter(dsCheckRule),
      dry_run: dryRunParameter,
    }),
    body: v.strictObject({
      role: described(
        optional(text),
        'The key of which role, csk, ksk or zsk. When left out: the keys that wait for the parent, or else ' +
          'the ZSK.',
      ),
      skip_ds_check: switchField(dsCheckRule),
      dry_run: dryRun,
    }),
    exampleBody: { role: 'ksk', skip_ds_check: false },
    bodyOptional: true,
    ...status,
    problems: [
      'DNSSEC_NOT_ENABLED',
      'DNSSEC_POLICY_NOT_FOUND',
      'DNSSEC_NO_ROLLOVER_IN_PROGRESS',
      'DNSSEC_DS_PUBLISHED',
      'DNSSEC_DS_UNVERIFIED',
      ...signing,
    ],
  }),

  signZone: defineRoute('POST /zones/{name}/dnssec/sign', {
    ...manage,
    summary: 'Make all signatures of a zone again',
    query: v.strictObject({ dry_run: dryRunParameter }),
    ...answers(200, 'It is signed again.', done, {
      message: "zone 'example.com' is signed anew, at serial 12",
    }),
    problems: ['DNSSEC_NOT_ENABLED', ...signing],
  }),

  withdrawDs: defineRoute('POST /zones/{name}/dnssec/withdraw', {
    ...manage,
    summary: 'Ask the parent to remove the DS, by CDS and CDNSKEY (RFC 8078 4)',
    query: v.strictObject({ dry_run: dryRunParameter }),
    ...status,
    problems: ['DNSSEC_NOT_ENABLED', ...signing],
    exampleAnswer: { ...dnssecStatus.example, withdrawing: true },
  }),

  cancelWithdrawal: defineRoute('DELETE /zones/{name}/dnssec/withdraw', {
    ...manage,
    summary: 'Ask the parent to keep the DS after all',
    query: v.strictObject({ dry_run: dryRunParameter }),
    ...status,
    problems: ['DNSSEC_NOT_ENABLED', ...signing],
  }),
});
