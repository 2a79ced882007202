/**
 * The inverse of one change of a zone: its records and settings go back to what they were before it, and all
 * later changes stay. Who reads the journal has compared (query/rollback-target.ts) and says the serial at which
 * it did; when the zone has moved since, nothing is done.
 *
 * Needed are the rights that the same change by the record commands and an update of the zone would need. They come
 * before every rule, which may tell what stands there. What the caller may not read of the change makes it FORBIDDEN,
 * in words that name no record, and so do names and types that reach further than the caller reads.
 */
import { snakeCase } from '../base/field-name.ts';
import { DetailedProblem, Problem } from '../base/problem.ts';
import type { Warning } from '../base/warning.ts';
import { zoneSettings } from '../base/zone-settings.ts';
import { diffEntryText } from '../contract/record-json.ts';
import { type NameKey, printOwner } from '../dns/name.ts';
import { printType } from '../dns/rrtype.ts';
import { matchesType } from './access/pattern.ts';
import { requireInZone, requireOnRecord, requireWhole } from './access/require.ts';
import type { Rights } from './access/rights.ts';
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
  requireRights(context, zone, work.difference(), command);
  const net = judgedToday(() => work.netChange());
  const { settings, taken } = settingsBack(zone, command.settings);
  const settingsChanged = changedSettings(zone, settings);
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
  { conflicts, staged, settings }: Pick<RevertChange, 'conflicts' | 'staged' | 'settings'>,
): void {
  const isReadable = ({ owner, type }: { owner: NameKey; type: number }) =>
    rights.onRecord('record:read', zone.id, owner, type);
  if (![...removed, ...added, ...conflicts].every(isReadable)) {
    throw hiddenRecords();
  }
  if (staged !== undefined) requireLargeRevert(rights, zone);
  if (settings !== undefined && settingsSet(settings).length > 0) {
    requireInZone(rights, 'zone:update', zone);
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

function hiddenRecords(): Problem {
  return new Problem(
    'FORBIDDEN',
    'the change has records that this caller may not read; narrow it by names and types',
  );
}

/**
 * What is to go back of a change with records that the caller may not read: only names and types that it may read all
 * of, so that none can be found by asking for it.
 */
export function requireReadableScope(
  rights: Rights,
  zone: Zone,
  {
    names,
    types,
  }: { names?: readonly NameKey[] | undefined; types?: readonly number[] | undefined },
): void {
  const everywhere = (type: number) =>
    rights
      .scopesIn('record:read', zone.id)
      .find((scope) => scope.names.kind === 'any' && matchesType(scope.types, type)) !== undefined;
  const at = (owner: NameKey, type: number | undefined) =>
    rights.onRecord('record:read', zone.id, owner, type);
  const isReadable =
    names === undefined
      ? (types?.every(everywhere) ?? rights.whole('record:read', zone.id))
      : names.every((owner) => (types ?? [undefined]).every((type) => at(owner, type)));
  if (!isReadable) throw hiddenRecords();
}

/** What is so much that it is prepared beside the zone. */
export function requireLargeRevert(rights: Rights, zone: Zone): void {
  const actions = ['record:read', 'record:create', 'record:update', 'record:delete'] as const;
  for (const action of actions) requireWhole(rights, action, zone);
}

/** The settings that the change set. */
function settingsSet({ before, after }: SettingsAround): readonly SettingName[] {
  return changedSettings(before, after).filter((name) => name !== 'serial');
}

/** The settings with those back that the change set, and the names of those that have another value since. */
function settingsBack(
  zone: Zone,
  around: SettingsAround | undefined,
): { readonly settings: ZoneSettings; readonly taken: readonly Record<string, unknown>[] } {
  if (around === undefined) return { settings: zone, taken: [] };
  const { before, after, isForced } = around;
  const taken: Record<string, unknown>[] = [];
  const settings: Record<string, unknown> = { ...zone };
  for (const name of settingsSet(around)) {
    if (zone[name] === before[name]) continue;
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
    `${count} of what the event changed in zone '${zone.name}' changed again since: ` +
      `${namesOf(apex, conflicts, settings)} takes the names that are to go back all the same`,
    { conflicts: records, settings },
  );
}

/** RRsets and settings that the text of a refusal names. */
const namedConflicts = 5;

/** What changed again since, and what takes it all the same. */
function namesOf(
  apex: NameKey,
  conflicts: readonly DiffEntry[],
  settings: readonly Record<string, unknown>[],
): string {
  const rrsets = conflicts.slice(0, namedConflicts);
  const all = [
    ...rrsets.map(({ owner, type }) => `${printOwner(owner, apex)} ${printType(type)}`),
    ...settings.map(({ setting }) => `the setting ${setting}`),
  ];
  const named = all.slice(0, namedConflicts);
  const left = conflicts.length + settings.length - named.length;
  const owners = rrsets.map(({ owner }) => printOwner(owner, apex));
  const names = new Set(settings.length > 0 ? [...owners, '@'] : owners).values().toArray().join();
  const isTypable = left === 0 && /^[\w@.,-]+$/.test(names);
  const option = `force_names (--force-names ${isTypable ? names : 'NAME,...'})`;
  return `${named.join(', ')}${left > 0 ? ` and ${left} more` : ''}; ${option}`;
}

export const revertDecisions = { 'revert-change': decideRevertChange };
