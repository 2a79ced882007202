/**
 * The inverse of one change of a zone: its records and settings go back to what they were before it, and all
 * later changes stay. Who reads the journal has compared (query/rollback-target.ts) and says the serial at which
 * it did; when the zone has moved since, nothing is done.
 *
 * Needed are the rights that the same change by the record commands and an update of the zone would need. What
 * the caller may not read of it makes it FORBIDDEN, in words that name no record.
 */
import { snakeCase } from '../base/field-name.ts';
import { DetailedProblem, Problem } from '../base/problem.ts';
import type { Warning } from '../base/warning.ts';
import { zoneSettings } from '../base/zone-settings.ts';
import { diffEntryText } from '../contract/record-json.ts';
import type { NameKey } from '../dns/name.ts';
import { requireInZone, requireOnRecord, requireWhole } from './access/require.ts';
import type { Decision, DecisionContext } from './decision.ts';
import { judgedToday, type NodeVersion, takeVersion } from './decide-rollback.ts';
import { changeSettings } from './decide-zone.ts';
import type { DiffEntry, RecordDiff } from './diff.ts';
import type { StagedDelta } from './event.ts';
import type { ZoneRecord } from './record.ts';
import { printWarnings } from './warnings.ts';
import { type NetChange, WorkingSet } from './working-set.ts';
import { apexOf, changedSettings, type SettingName, type Zone, type ZoneSettings } from './zone.ts';
import { changeZone, findZone, nextSerial, type OfZone } from './zone-change.ts';

/** Settings before and after the change that is undone. */
interface SettingsAround {
  readonly before: ZoneSettings;
  readonly after: ZoneSettings;
  /** Takes them back also where they changed since. */
  readonly isForced: boolean;
}

interface RevertChange extends OfZone {
  readonly zoneId: number;
  /** The serial of the zone at which it was compared. */
  readonly atSerial: number;
  /** Undefined when only records go back. */
  readonly settings?: SettingsAround | undefined;
  /** RRsets that changed since: `from` what is there, `to` what would come. */
  readonly conflicts: readonly DiffEntry[];
  /** Owners that go back, as they will be; none where the difference was staged before. */
  readonly nodes: readonly NodeVersion[];
  readonly staged?: StagedDelta | undefined;
}

/** What it did or, in a dry run, would do. The diff of what was staged has no entries. */
export interface RevertOutcome {
  /** The zone is no longer as it was compared: nothing was done. */
  readonly moved: boolean;
  readonly zone: Zone;
  readonly diff: RecordDiff;
  readonly settingsChanged: readonly SettingName[];
  readonly warnings: readonly Warning[];
}

function decideRevertChange(
  command: RevertChange,
  context: DecisionContext,
): Decision<RevertOutcome> {
  const { staged } = command;
  const zone = findZone(context, command.zoneName);
  const nothing = { diff: { apex: apexOf(zone), entries: [] }, settingsChanged: [], warnings: [] };
  if (zone.id !== command.zoneId || zone.serial !== command.atSerial) {
    return { event: undefined, outcome: { moved: true, zone, ...nothing } };
  }
  const work = new WorkingSet(context, zone);
  takeVersion(work, command.nodes, context);
  const net = judgedToday(() => work.netChange());
  requireRights(context, zone, net, command);
  const { settings, taken } = settingsBack(zone, command.settings);
  const settingsChanged = changedSettings(zone, settings);
  if (settingsChanged.length > 0) requireInZone(context.rights, 'zone:update', zone);
  refuseConflicts(zone, command.conflicts, taken);
  const warnings = printWarnings(work.warningsOf(net, false, { after: settings }));
  const outcome = { moved: false, zone, diff: work.diffOf(net), settingsChanged, warnings };
  const isSame = net.removed.length + net.added.length === 0;
  const { removed, added } = net;
  const change =
    isSame && staged === undefined
      ? changeSettings(context, zone, settings, 'zone.reverted')
      : changeZone('zone.reverted', zone, nextSerial(zone), { settings, removed, added, staged });
  if (change === undefined) return { event: undefined, outcome };
  return { event: change.event, outcome: { ...outcome, zone: change.zone } };
}

/** What the record commands would ask for: a record that keeps its id is updated. */
function requireRights(
  { rights }: DecisionContext,
  zone: Zone,
  { removed, added }: NetChange,
  { conflicts, staged }: Pick<RevertChange, 'conflicts' | 'staged'>,
): void {
  const isReadable = ({ owner, type }: { owner: NameKey; type: number }) =>
    rights.onRecord('record:read', zone.id, owner, type);
  if (![...removed, ...added, ...conflicts].every(isReadable)) {
    throw new Problem(
      'FORBIDDEN',
      'the change has records that this caller may not read; narrow it by names and types',
    );
  }
  if (staged !== undefined) {
    const actions = ['record:read', 'record:create', 'record:update', 'record:delete'] as const;
    for (const action of actions) requireWhole(rights, action, zone);
  }
  const before = new Set(removed.map(({ id }) => id));
  const after = new Set(added.map(({ id }) => id));
  const ask = (records: readonly ZoneRecord[], kept: ReadonlySet<number>, otherwise: Asked) => {
    for (const { id, owner, type } of records) {
      requireOnRecord(rights, kept.has(id) ? 'record:update' : otherwise, zone, owner, type);
    }
  };
  ask(removed, after, 'record:delete');
  ask(added, before, 'record:create');
}

type Asked = 'record:create' | 'record:delete';

/** The settings with those back that the change set, and the names of those that have another value since. */
function settingsBack(
  zone: Zone,
  around: SettingsAround | undefined,
): { readonly settings: ZoneSettings; readonly taken: readonly Record<string, unknown>[] } {
  if (around === undefined) return { settings: zone, taken: [] };
  const { before, after, isForced } = around;
  const taken: Record<string, unknown>[] = [];
  const settings: Record<string, unknown> = { ...zone };
  for (const name of changedSettings(before, after)) {
    if (name === 'serial' || zone[name] === before[name]) continue;
    if (zone[name] === after[name] || isForced) settings[name] = before[name];
    else {
      const setting = zoneSettings[name].field ?? snakeCase(name);
      taken.push({ setting, from: zone[name], to: before[name] });
    }
  }
  return { settings: settings as unknown as ZoneSettings, taken };
}

function refuseConflicts(
  zone: Zone,
  conflicts: readonly DiffEntry[],
  settings: readonly Record<string, unknown>[],
): void {
  const count = conflicts.length + settings.length;
  if (count === 0) return;
  const apex = apexOf(zone);
  const records = conflicts.map((entry) => JSON.parse(diffEntryText(entry, apex)) as unknown);
  throw new DetailedProblem(
    'REVERT_CONFLICT',
    `${count} of what the event changed in zone '${zone.name}' changed again since; ` +
      'force_names takes the names that are to go back all the same',
    { conflicts: records, settings },
  );
}

export const revertDecisions = { 'revert-change': decideRevertChange };
