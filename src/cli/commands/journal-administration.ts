/** Events of administration in words: what was made, changed or removed, and for whom. */
import { formatTime } from '../../base/clock.ts';
import { unreachable } from '../../base/problem.ts';
import type { Grant, Token, TsigKey } from '../../domain/access/model.ts';
import type { DnssecPolicy } from '../../domain/dnssec-policy.ts';
import type { EpochReason, ServiceRecovered } from '../../domain/epoch.ts';
import type { AdministrationEvent } from '../../domain/event.ts';

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
      const changes = differing(event.before, event.secondary, secondarySettings);
      return { subject: event.secondary.name, what: [kind, ...changes].join(' ') };
    }
    case 'policy.created':
    case 'policy.deleted':
      return { subject: event.policy.name, what: `${kind} ${policyText(event.policy)}` };
    case 'policy.updated': {
      const changes = differing(event.before, event.policy, policyDays);
      return { subject: event.policy.name, what: [kind, ...changes].join(' ') };
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
    case 'service.recovered': {
      const { epoch, reason, serials } = event;
      return {
        subject: 'service',
        what: `${kind} epoch ${epoch}, ${reasonTexts[reason]}${seen(serials)}`,
      };
    }
    default:
      return unreachable(event);
  }
}

const reasonTexts: Record<EpochReason, string> = {
  restore: 'by zonebook restore',
  recover: 'by serve --recover',
  new: 'by serve --new',
};

function seen(serials: ServiceRecovered['serials']): string {
  return serials.length === 0 ? '' : `; ${serials.length} names were served at greater serials`;
}

const secondarySettings = ['address', 'enabled', 'notifyKeyName'] as const;
const policyDays = ['signatureValidityDays', 'signatureRefreshDays', 'zskLifetimeDays'] as const;

/** Such as `ecdsap256sha256, nsec3, one CSK`. */
function policyText({ algorithm, denial, splitKeys }: DnssecPolicy): string {
  return `${algorithm}, ${denial}, ${splitKeys ? 'KSK and ZSK' : 'one CSK'}`;
}

/** The settings that differ, each with what it was and is: `enabled: true -> false`. */
export function differing<Subject>(
  before: Subject,
  after: Subject,
  keys: readonly (keyof Subject & string)[],
): string[] {
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
