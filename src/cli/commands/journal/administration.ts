/** Events of administration in words: what was made, changed or removed, and for whom. */
import { formatTime } from '../../../base/clock.ts';
import { unreachable } from '../../../base/problem.ts';
import type { Grant, Token, TsigKey } from '../../../domain/access/model.ts';
import type { AdministrationEvent } from '../../../domain/event.ts';
import type { Secondary } from '../../../domain/secondary.ts';

interface About {
  readonly subject: string;
  readonly what: string;
}

/** `zoneNameOf` tells the name of a zone that a grant knows by its id. */
export function aboutAdministration(
  event: AdministrationEvent,
  zoneNameOf: (zoneId: number) => string,
): About {
  const { kind } = event;
  switch (event.kind) {
    case 'secondary.registered':
    case 'secondary.forgotten':
      return { subject: event.secondary.name, what: `${kind} ${event.secondary.address}` };
    case 'secondary.updated': {
      const changes = changesOf(event.before, event.secondary);
      return { subject: event.secondary.name, what: [kind, ...changes].join(' ') };
    }
    case 'role.created':
    case 'role.deleted':
      return { subject: event.role.name, what: kind };
    case 'role.granted':
    case 'role.revoked':
      return { subject: event.roleName, what: `${kind} ${grantText(event.grant, zoneNameOf)}` };
    case 'token.created':
    case 'token.deleted':
      return { subject: event.token.name, what: `${kind} ${holderText(event)}` };
    case 'tsig-key.created':
    case 'tsig-key.deleted':
      return { subject: event.tsigKey.name, what: `${kind} ${holderText(event)}` };
    default:
      return unreachable(event);
  }
}

/** The settings that differ. */
function changesOf(before: Secondary, after: Secondary): string[] {
  const keys = ['address', 'enabled', 'notifyKeyName'] as const;
  return keys
    .filter((key) => before[key] !== after[key])
    .map((key) => `${key}: ${JSON.stringify(before[key])} -> ${JSON.stringify(after[key])}`);
}

/** Such as `#3 record:read,record:create in example.com on *.dyn, types A,AAAA`. */
function grantText(grant: Grant, zoneNameOf: (zoneId: number) => string): string {
  const { id, actions, zoneId, recordNamePattern, recordTypes } = grant;
  const where = zoneId === null ? 'all zones' : zoneNameOf(zoneId);
  const names = recordNamePattern === '*' ? '' : ` on ${recordNamePattern}`;
  const types = recordTypes === '*' ? '' : `, types ${recordTypes}`;
  return `#${id} ${actions.join(',')} in ${where}${names}${types}`;
}

type Holder = { readonly roleName: string } & (
  | { readonly token: Token }
  | { readonly tsigKey: TsigKey }
);

function holderText(holder: Holder): string {
  const role = `role ${holder.roleName}`;
  if ('tsigKey' in holder) return `${role}, ${holder.tsigKey.algorithm}`;
  const { expiresAt } = holder.token;
  return expiresAt === null ? role : `${role}, expires ${formatTime(expiresAt)}`;
}
