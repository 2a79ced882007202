/** Words that several screens say. */
import type { RefusedLogin } from '../domain/access/model.ts';
import type { DiffEntry, Event, EventKind } from './api.ts';
import { counted } from './counted.ts';
import { visible } from './parts/text.tsx';

/** Who did it, in a few words. */
export function actorText({ actor, source }: Pick<Event, 'actor' | 'source'>): string {
  if (actor === null) return source === 'system' ? 'the service' : 'the command line';
  return actor.name;
}

/** All kinds of events but what signing sees of others: one that is missing does not compile. */
export const kinds: Readonly<Record<Exclude<EventKind, `zone.signing-${string}`>, string>> = {
  'zone.created': 'Zone created',
  'zone.updated': 'Settings changed',
  'zone.renamed': 'Zone renamed',
  'zone.deleted': 'Zone deleted',
  'zone.serial-bumped': 'Serial advanced',
  'zone.recovered': 'Serial moved on after a recovery',
  'zone.imported': 'Zone file imported',
  'zone.taken-over': 'Imported from a server',
  'zone.rolled-back': 'Rolled back',
  'zone.reverted': 'Change undone',
  'zone.guard-set': 'Guard set',
  'zone.tagged': 'Tagged',
  'zone.restored': 'Zone restored',
  'zone.signed': 'Signing',
  'zone.checkpointed': 'Checkpoint',
  'zone.history-forgotten': 'Old versions deleted',
  'zone.purged': 'Zone purged',
  'zone.desired': 'Desired records set',
  'zone.desired-assigned': 'Desired records assigned',
  'records.changed': 'Records changed',
  'role.created': 'Role created',
  'role.updated': 'Role changed',
  'role.deleted': 'Role deleted',
  'role.granted': 'Grant given',
  'role.revoked': 'Grant revoked',
  'token.created': 'Token created',
  'token.deleted': 'Token deleted',
  'session.opened': 'Browser logged in',
  'session.closed': 'Browser logged out',
  'session.refused': 'Login refused',
  'tsig-key.created': 'TSIG key created',
  'tsig-key.deleted': 'TSIG key deleted',
  'secondary.registered': 'Secondary registered',
  'secondary.updated': 'Secondary changed',
  'secondary.forgotten': 'Secondary deleted',
  'policy.created': 'Signing policy created',
  'policy.updated': 'Signing policy changed',
  'policy.deleted': 'Signing policy deleted',
  'webhook.created': 'Webhook created',
  'webhook.updated': 'Webhook changed',
  'webhook.deleted': 'Webhook deleted',
  'webhook.replayed': 'Webhook replayed',
  'webhook.suspended': 'Webhook suspended',
  'service.recovered': 'Service recovered',
};

/** What an event did, as a heading. */
export function eventTitle(event: Event): string {
  const { kind, signing, diff, summary, settings_changed: settings } = event;
  if (signing !== null) return `Signing: ${signing.reason.replaceAll('-', ' ')}`;
  // Of a long change the list has a part, or nothing.
  if (kind === 'records.changed' && event.diff_truncated) {
    return summary?.changed == null
      ? 'Records changed'
      : `${counted(summary.changed, 'RRset')} changed`;
  }
  if (kind === 'records.changed' && diff !== null) {
    const [only, ...others] = diff.entries;
    if (only !== undefined && others.length === 0) return titleOf(only);
    const { added = 0, removed = 0 } = summary ?? {};
    const parts = [
      added > 0 ? `${counted(added, 'record')} added` : '',
      removed > 0 ? `${counted(removed, 'record')} removed` : '',
    ].filter((part) => part !== '');
    return parts.length === 0 ? 'Records changed' : parts.join(', ');
  }
  if (kind === 'zone.updated' && settings.length > 0) return `Changed ${settings.join(', ')}`;
  if (kind === 'session.refused') return refusedLoginTitle(event);
  return kinds[kind as keyof typeof kinds] ?? kind.replace(/[.-]/g, ' ');
}

/** Other records of the RRset may have stayed. */
function titleOf({ name, type, change, from }: DiffEntry): string {
  const rrset = `${visible(name.slice(0, -1))} ${type}`;
  if (change !== 'removed') return `${rrset} ${change}`;
  return `${rrset} ${from.length === 1 ? 'record' : `${from.length} records`} removed`;
}

function refusedLoginTitle({ details }: Event): string {
  const { address, reason, count } = details!.login as RefusedLogin;
  const times = count === 1 ? '' : ` ${counted(count, 'time')}`;
  return `Login refused${times} from ${visible(address)}: ${reason} token`;
}
