/** Kinds of events, by the stream they stand in. */

/** Of a zone. */
export const zoneEventKinds = [
  'zone.created',
  'zone.updated',
  'zone.renamed',
  'zone.deleted',
  'zone.serial-bumped',
  'zone.recovered',
  'records.changed',
  'zone.imported',
  'zone.taken-over',
  'zone.rolled-back',
  'zone.reverted',
  'zone.guard-set',
  'zone.tagged',
  'zone.desired',
  'zone.desired-assigned',
  'zone.restored',
  'zone.signed',
  'zone.signing-noted',
  'zone.checkpointed',
  'zone.history-forgotten',
  'zone.purged',
] as const;

/** Of everything that is no zone. */
const administrationEventKinds = [
  'role.created',
  'role.updated',
  'role.deleted',
  'role.granted',
  'role.revoked',
  'token.created',
  'token.deleted',
  'session.opened',
  'session.closed',
  'session.refused',
  'tsig-key.created',
  'tsig-key.deleted',
  'secondary.registered',
  'secondary.updated',
  'secondary.forgotten',
  'policy.created',
  'policy.updated',
  'policy.deleted',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.replayed',
  'webhook.suspended',
  'service.recovered',
] as const;

export type ZoneEventKind = (typeof zoneEventKinds)[number];
export type AdministrationEventKind = (typeof administrationEventKinds)[number];

/** Kinds of changes that have an inverse, as long as what they did is retained; a deleted zone is restored. */
export const kindsWithInverse: ReadonlySet<string> = new Set<ZoneEventKind>([
  'zone.created',
  'zone.updated',
  'zone.renamed',
  'zone.deleted',
  'zone.restored',
  'zone.imported',
  'zone.taken-over',
  'zone.rolled-back',
  'zone.reverted',
  'zone.guard-set',
  'zone.desired',
  'records.changed',
]);

export const eventKinds = [...zoneEventKinds, ...administrationEventKinds] as const;
