/**
 * One log line for every event that the journal took, written when it is durable: what happened, to
 * what, by whom and in which request. The journal has the whole story; the line says where to look.
 *
 * Events hold no secrets, and of records only their number is logged.
 */
import { unreachable } from '../base/problem.ts';
import { type AdministrationEvent, isZoneEvent } from '../domain/event.ts';
import type { JournalledEvent, ReportedEvent, ReportedZoneEvent } from '../writer/submission.ts';
import type { Log, LogFields } from '../telemetry/log.ts';

interface EventSource {
  onEvents(listener: (events: readonly JournalledEvent[]) => void): void;
}

/** Logs all events from now on. */
export function logEvents(source: EventSource, log: Log): void {
  source.onEvents((events) => {
    if (!log.writes('info')) return;
    for (const { event, provenance } of events) {
      const { changeSource, actorKind, actorName, requestId } = provenance;
      log.info(event.kind, {
        ...fieldsOf(event),
        source: changeSource,
        by: actorKind === null ? undefined : `${actorKind}:${actorName}`,
        requestId: requestId ?? undefined,
      });
    }
  });
}

function fieldsOf(event: ReportedEvent): LogFields {
  return isZoneEvent(event) ? zoneFields(event) : administrationFields(event);
}

function zoneFields({
  zoneId,
  zoneName,
  formerName,
  serial,
  counts,
}: ReportedZoneEvent): LogFields {
  return {
    zone: zoneName,
    zoneId,
    formerName,
    serial: serial ?? undefined,
    added: positive(counts.added),
    removed: positive(counts.removed),
    dnssecAdded: positive(counts.dnssecAdded),
    dnssecRemoved: positive(counts.dnssecRemoved),
  };
}

/** Numbers that are 0 are left out. */
function positive(count: number): number | undefined {
  return count === 0 ? undefined : count;
}

function administrationFields(event: AdministrationEvent): LogFields {
  switch (event.kind) {
    case 'secondary.registered':
    case 'secondary.updated':
    case 'secondary.forgotten': {
      const { name, address, enabled } = event.secondary;
      return { secondary: name, address, enabled };
    }
    case 'webhook.created':
    case 'webhook.updated':
    case 'webhook.replayed':
    case 'webhook.suspended':
    case 'webhook.deleted':
      return { webhook: event.webhook.name };
    case 'policy.created':
    case 'policy.updated':
    case 'policy.deleted':
      return { policy: event.policy.name };
    case 'role.created':
    case 'role.updated':
    case 'role.deleted':
      return { role: event.role.name };
    case 'role.granted':
    case 'role.revoked': {
      const { id, zoneId, actions } = event.grant;
      return { role: event.roleName, grant: id, zoneId, actions: actions.join() };
    }
    case 'token.created':
    case 'token.deleted':
      return { token: event.token.name, role: event.roleName };
    case 'session.opened':
    case 'session.closed': {
      const { id, token, address } = event.session;
      return { session: id, token: token?.name, address };
    }
    case 'session.refused':
      return { ...event.login };
    case 'service.recovered': {
      const { epoch, reason, serials, catalogSerial } = event;
      return { epoch, reason, catalogSerial, servedFurther: positive(serials.length) };
    }
    case 'tsig-key.created':
    case 'tsig-key.deleted':
      return { key: event.tsigKey.name, role: event.roleName };
    default:
      return unreachable(event);
  }
}
