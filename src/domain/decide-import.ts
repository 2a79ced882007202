/**
 * Import: the records of a master file, or of a transfer, go into a zone in one step; see
 * plan-node.ts for what the modes do. With `create` a missing zone is made of the file's SOA.
 *
 * What is wrong with the file is told in lines, all of it at once, and then nothing is applied. A
 * Problem is only what is wrong with the asking: rights, names, a missing SOA.
 */
import { emptyName, type NameKey } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { requireEverywhere, requireWhole } from './access/require.ts';
import type { Rights } from './access/rights.ts';
import type {
  FileRecord,
  ImportMode,
  ImportOutcome,
  ImportSummary,
  ImportZone,
} from './command.ts';
import { nextSerial, refuseTakenName, requireVisible, settingsOf } from './decide-zone.ts';
import type { Decision, DecisionContext } from './decision.ts';
import { emptyDelta, type ZoneEvent } from './event.ts';
import { type Fault, faultOfOcclusion, importNode, printFaults } from './file-node.ts';
import { checkOverrides, requireSoa, settingsOfFile } from './imported-zone.ts';
import type { ZoneRecord } from './record.ts';
import { printWarnings } from './warnings.ts';
import { stepOf, WorkingSet } from './working-set.ts';
import { normaliseZoneName, parseZoneName, type Zone } from './zone.ts';

const actionsOf = {
  append: ['record:create'],
  upsert: ['record:create', 'record:delete'],
  replace: ['record:create', 'record:delete'],
} as const;

export interface ImportRequest {
  readonly zoneName: string;
  readonly mode: ImportMode;
  readonly create: boolean;
}

/**
 * What an import needs, to be asked before a file is fetched or read; `zone` is the one stored under
 * the name. Who may create is asked to hold everything in all zones, whether or not there is one.
 */
export function requireImport(
  rights: Rights,
  { zoneName, mode, create }: ImportRequest,
  zone: Zone | undefined,
): void {
  if (create) {
    requireEverywhere(rights, 'zone:create');
    for (const action of actionsOf[mode]) requireEverywhere(rights, action);
  } else {
    requireVisible(rights, zone, zoneName);
    for (const action of actionsOf[mode]) requireWhole(rights, action, zone);
  }
}

/**
 * Why a file that is to stand in place of records may not: it has none, as the file of a program that
 * failed has none. An SOA alone makes a zone, or leaves one that is empty, but it empties no other.
 * Append takes any file.
 */
export function faultOfEmptyFile(
  mode: ImportMode,
  file: { readonly records: number; readonly hasSoa: boolean },
  zone: Zone | undefined,
): string | undefined {
  if (mode === 'append' || file.records > 0) return undefined;
  if (file.hasSoa && (zone?.recordCount ?? 0) === 0) return undefined;
  const what = file.hasSoa ? 'no record to store besides its SOA' : 'no record to store';
  return `the file holds ${what}: ${mode} needs one; is its source empty, or did it fail?`;
}

export function decideImportZone(
  command: ImportZone,
  context: DecisionContext,
): Decision<ImportOutcome> {
  const zone = context.view.zoneByName(normaliseZoneName(command.zoneName));
  const { zoneName, mode, create } = command;
  requireImport(context.rights, { zoneName, mode, create: create !== undefined }, zone);
  checkOverrides(command.overrides, zone);
  const { hasSoa = false, records } = command;
  const empty = faultOfEmptyFile(mode, { records: records.length, hasSoa }, zone);
  if (empty !== undefined) return refusal(emptyName, 0, [{ line: 0, message: empty }], zone);
  return zone === undefined ? createFrom(command, context) : importInto(zone, command, context);
}

function importInto(
  zone: Zone,
  command: ImportZone,
  context: DecisionContext,
): Decision<ImportOutcome> {
  const work = new WorkingSet(context, zone);
  const { summary, faults } = takeFile(work, command, context);
  if (faults.length > 0) return refusal(work.apex, summary.parsed, faults, zone);
  const settlement = work.settle();
  const warnings = printWarnings(work.warningsOf(settlement, 'zone'));
  const outcome = { zone, errors: [], summary, diff: work.diffOf(settlement), warnings };
  if (settlement.removed.length === 0 && settlement.added.length === 0) {
    return { event: undefined, outcome };
  }
  const after = { ...settingsOf(zone), serial: nextSerial(zone) };
  const step = stepOf('zone.imported', zone, after, settlement);
  return { event: step.event, outcome: { ...outcome, zone: step.zone } };
}

function createFrom(command: ImportZone, context: DecisionContext): Decision<ImportOutcome> {
  const name = parseZoneName(command.zoneName);
  refuseTakenName(context, name);
  const { settings: after, faults } = settingsOfFile(
    name,
    requireSoa(command.create, name),
    command.overrides,
    context,
  );
  const empty: Zone = {
    ...after,
    id: context.allocateId('zone'),
    createdAt: context.now,
    recordCount: 0,
    derivedCount: 0,
    historyFromSerial: after.serial,
  };
  const work = new WorkingSet(context, empty);
  const taken = takeFile(work, { ...command, mode: 'replace' }, context);
  const all = [...faults, ...taken.faults];
  if (all.length > 0) return refusal(work.apex, taken.summary.parsed, all, undefined);
  const settlement = work.settle();
  const { added } = settlement;
  const diff = work.diffOf(settlement);
  const warnings = printWarnings(work.warningsOf(settlement, 'new zone'));
  const event: ZoneEvent = {
    kind: 'zone.imported',
    zoneId: empty.id,
    before: null,
    after,
    delta: { ...emptyDelta, added },
  };
  const zone = { ...empty, recordCount: added.length };
  return { event, outcome: { zone, errors: [], summary: taken.summary, diff, warnings } };
}

function refusal(
  apex: NameKey,
  parsed: number,
  faults: readonly Fault[],
  zone: Zone | undefined,
): Decision<ImportOutcome> {
  const summary = { parsed, added: 0, deleted: 0, updated: 0, unchanged: 0 };
  const diff = { apex, entries: [] };
  const errors = printFaults(faults);
  return { event: undefined, outcome: { zone, errors, summary, diff, warnings: [] } };
}

/** Puts the records of a file into a working set, and says what is wrong with them. */
function takeFile(
  work: WorkingSet,
  { mode, records }: ImportZone,
  context: DecisionContext,
): { summary: ImportSummary; faults: Fault[] } {
  const nodes = Map.groupBy(records, ({ owner }) => owner);
  if (mode === 'replace') work.loadAll();
  else work.load([...nodes.keys()]);
  const summary = { parsed: 0, added: 0, deleted: 0, updated: 0, unchanged: 0 };
  const faults: Fault[] = [];
  const make = ({ owner, type, ttl, rdata }: ResourceRecord): ZoneRecord => ({
    id: context.allocateId('record'),
    owner,
    type,
    ttl,
    rdata,
    createdAt: context.now,
  });
  const takeNode = (owner: NameKey, file: readonly FileRecord[]): void => {
    const node = importNode(mode, { apex: work.apex, owner, current: work.at(owner), file }, make);
    work.replace(owner, node.after);
    for (const fault of node.faults) faults.push(fault);
    summary.parsed += node.counts.parsed;
    summary.added += node.counts.added;
    summary.deleted += node.counts.deleted;
    summary.updated += node.counts.updated;
    summary.unchanged += node.counts.unchanged;
  };
  for (const [owner, file] of nodes) takeNode(owner, file);
  if (mode === 'replace') {
    for (const owner of work.owners()) if (!nodes.has(owner)) takeNode(owner, []);
  }
  for (const occlusion of work.occlusions()) {
    faults.push(faultOfOcclusion(work.apex, occlusion, (owner) => nodes.get(owner) ?? []));
  }
  return { summary, faults };
}
