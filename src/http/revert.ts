/** The inverse of one event. A zone that it created is deleted, one that it deleted is restored. */
import type { Prepared } from '../background/import/requests.ts';
import { kindsWithInverse } from '../base/event-kind.ts';
import { Problem } from '../base/problem.ts';
import { zoneSettings } from '../base/zone-settings.ts';
import type { eventRoutes } from '../contract/events.ts';
import { requireInZone } from '../domain/access/require.ts';
import type { RevertOutcome } from '../domain/command.ts';
import { requireLargeRevert } from '../domain/decide-revert.ts';
import { changedSinceItCame } from '../domain/decide-zone.ts';
import type { Zone } from '../domain/zone.ts';
import type { SeenEvent } from '../query/event-reader.ts';
import type { SubmitOptions } from '../writer/submission.ts';
import { type Answer, json, streamed } from './answer.ts';
import type { RequestOf } from './endpoint.ts';
import { parseId } from './request-source.ts';
import type { HandlerServices } from './services.ts';
import { atOnceIn, rollbackDiff, untilStill } from './versions.ts';
import type { ChangeToUndo } from './view/versions.ts';

type Request = RequestOf<(typeof eventRoutes)['revertEvent']>;

export async function revertEvent(request: Request, services: HandlerServices): Promise<Answer> {
  const event = await request.view.events.get(parseId(request.params.seq));
  const { kind, zone, serial, seq } = event;
  const asked = request.submitOptions;
  const said = asked.why?.reason ?? `reverts event ${seq}`;
  const options = { ...asked, why: { reason: said, reference: asked.why?.reference ?? null } };
  if (zone !== null && kind === 'zone.deleted') return restore(request, services, event, options);
  if (zone === null || serial === null || !kindsWithInverse.has(kind)) {
    throw notRevertible(seq, `${kind} has no inverse`);
  }
  if (event.diff === null) throw notRevertible(seq, 'retention has deleted what it did');
  if (kind === 'zone.created' || kind === 'zone.restored') {
    return remove(request, services, { seq, zoneId: zone.id, serial }, options);
  }
  const { hidesRecords } = event;
  return undo(request, services, { seq, zoneId: zone.id, serial, hidesRecords }, options);
}

/** Names and types take a part of a change; a zone comes and goes as a whole. */
function requireNoScope({ body }: Request, seq: number, did: 'made' | 'deleted'): void {
  const field = (['names', 'types'] as const).find((name) => (body[name] ?? null) !== null);
  if (field === undefined) return;
  throw new Problem(
    'INVALID_INPUT',
    `${field}: event ${seq} ${did} the zone, which can only be undone as a whole; leave ${field} out`,
  );
}

function notRevertible(seq: number, reason: string): Problem {
  return new Problem('EVENT_NOT_REVERTIBLE', `event ${seq}: ${reason}`);
}

interface Undone extends ChangeToUndo {
  readonly seq: number;
}

async function undo(
  request: Request,
  services: HandlerServices,
  undone: Undone,
  options: SubmitOptions,
): Promise<Answer> {
  const { seq, zoneId } = undone;
  const { importer, writer } = services;
  const { rightsNow } = request;
  const { rights } = request.caller;
  const { names, types, force_names: forced } = request.body;
  let isCreation = false;
  const outcome = await untilStill<RevertOutcome | Prepared<RevertOutcome>>(async () => {
    const scope = { names, types, force_names: forced };
    const { zone, target, reading } = await request.view.versions.forRevert(
      undone,
      scope,
      atOnceIn(request, importer),
    );
    const { atSerial, nodes, conflicts, settings: after, settingsBefore: before } = reading;
    isCreation = before === undefined;
    const isWhole = target.names === undefined && target.types === undefined;
    const isForced = target.forced?.includes('' as never) ?? false;
    const settings = before !== undefined && isWhole ? { before, after, isForced } : undefined;
    if (isCreation) return unchanged(zone);
    if (nodes === undefined) {
      requireLargeRevert(rights, zone);
      return importer.revert({ zone, target, settings, rights, rightsNow, options });
    }
    const fields = { zoneName: zone.name, zoneId, atSerial, settings, conflicts, nodes };
    return writer.submit({ kind: 'revert-change', ...fields }, options);
  });
  // An import that made the zone.
  if (isCreation) return remove(request, services, undone, options);
  const { zone, settingsChanged, warnings } = outcome;
  request.changed(zone);
  return streamed(200, {
    ...request.applied,
    event: seq,
    zone: { id: zoneId, name: zone.name, deleted: false },
    serial: zone.serial,
    diff: rollbackDiff(outcome),
    settings_changed: settingsChanged.map((name) => zoneSettings[name].field),
    warnings,
  });
}

function unchanged(zone: Zone): RevertOutcome {
  const diff = { apex: '' as RevertOutcome['diff']['apex'], entries: [] };
  return { moved: false, zone, diff, settingsChanged: [], warnings: [] };
}

/** A zone that came by the event goes, if it is still as it came. */
async function remove(
  request: Request,
  { writer }: HandlerServices,
  { seq, zoneId, serial }: Omit<Undone, 'hidesRecords'>,
  options: SubmitOptions,
): Promise<Answer> {
  requireNoScope(request, seq, 'made');
  const zone = request.view.zones.byId(zoneId);
  requireInZone(request.caller.rights, 'zone:delete', zone);
  request.requireMatch(zone);
  if (zone.serial !== serial) throw changedSinceItCame(zone, seq);
  const ifMatch = [{ zoneId, serial }];
  const command = { kind: 'delete-zone', zoneName: zone.name, cameBy: seq } as const;
  const outcome = await writer.submit(command, { ...options, ifMatch });
  return answerWhole(request, seq, outcome, true);
}

/** A zone that the event deleted comes back. */
async function restore(
  request: Request,
  { writer }: HandlerServices,
  { seq, zone }: SeenEvent,
  options: SubmitOptions,
): Promise<Answer> {
  requireNoScope(request, seq, 'deleted');
  const { id, name, deleted } = zone!;
  if (!deleted) throw notRevertible(seq, `zone '${name}' is there again`);
  const outcome = await writer.submit({ kind: 'restore-zone', name, id }, options);
  return answerWhole(request, seq, outcome, false);
}

function answerWhole(
  request: Request,
  seq: number,
  { zone, warnings }: Pick<RevertOutcome, 'zone' | 'warnings'>,
  deleted: boolean,
): Answer {
  const { id, name, serial } = zone;
  const facts = { diff: null, settings_changed: [], warnings };
  return json(200, {
    ...request.applied,
    event: seq,
    zone: { id, name, deleted },
    serial,
    ...facts,
  });
}
