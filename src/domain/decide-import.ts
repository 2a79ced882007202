/**
 * Import: the records of a master file, or of a transfer, go into a zone in one change; see
 * file-node.ts for what the modes do. With `create` a missing zone is made of the file's SOA. Where the
 * records were judged and staged before (background/import), what is left is who may, whether the zone is
 * still as it was, and the settings of a new one.
 *
 * What is wrong with the file is reported in lines, all of it at once, and then nothing is applied. A
 * Problem is only what is wrong with the request: rights, names, a missing SOA.
 */
import type { Warning } from '../base/warning.ts';
import { emptyName, type NameKey } from '../dns/name.ts';
import type { FileRecord } from '../dns/zonefile/zone-file.ts';
import { requireEverywhere, requireWhole } from './access/require.ts';
import type { Rights } from './access/rights.ts';
import type { Decision, DecisionContext } from './decision.ts';
import type { RecordDiff } from './diff.ts';
import type { KnowsOwner } from './dname-rules.ts';
import type { StagedDelta } from './event.ts';
import {
  type NodeError,
  errorOfOcclusion,
  type ImportMode,
  importNode,
  type ImportSummary,
  printNodeErrors,
  type ReadRecords,
  recordsFor,
} from './file-node.ts';
import {
  checkOverrides,
  type ImportedZone,
  requireSoa,
  settingsOfFile,
  type SoaOverrides,
} from './imported-zone.ts';
import { incrementOfImport } from './source-serial.ts';
import { printWarnings } from './warnings.ts';
import { WorkingSet } from './working-set.ts';
import { normaliseZoneName, parseZoneName, type Zone } from './zone.ts';
import {
  changeZone,
  createZone,
  emptyZone,
  refuseTakenName,
  requireVisible,
} from './zone-change.ts';

interface OfImport {
  readonly zoneName: string;
  readonly mode: ImportMode;
  /** In a dry run: the name may be that of the own catalog, under which no zone is made. */
  readonly readsCatalog?: boolean | undefined;
  /** Only for a zone that is to be created, and does not exist. */
  readonly overrides?: SoaOverrides | undefined;
}

interface ImportZone extends OfImport, ReadRecords {
  /**
   * Given when a missing zone is to be created: what the file says about it, or null when the file
   * has no SOA. An existing zone keeps its settings.
   */
  readonly create?: ImportedZone | null | undefined;
  /** The same of the file, whether or not the zone is there; without, nor any record, its source is empty. */
  readonly soa?: ImportedZone | undefined;
}

/** An import whose records were judged and written ahead, against the zone at `atSerial`. */
interface PublishImport extends OfImport {
  /** Whether a missing zone is to be created: of what the file says, null when it has no SOA. */
  readonly isCreating: boolean;
  readonly file: ImportedZone | null;
  /** Records of the file, the SOA not counted. */
  readonly fileRecords: number;
  readonly zoneId: number;
  /** Null when the zone is new. */
  readonly atSerial: number | null;
  readonly staged: StagedDelta;
}

/** What an import did or, in a dry run, would do. */
export interface ImportOutcome {
  /** Undefined when the zone was to be created and `errors` kept it from that. */
  readonly zone: Zone | undefined;
  /** `line 12: ...`; when there are any, nothing was applied. */
  readonly errors: readonly string[];
  readonly summary: ImportSummary;
  /** Undefined when the zone keeps the serial that it has. */
  readonly newSerial: number | undefined;
  readonly diff: RecordDiff;
  readonly warnings: readonly Warning[];
}

type Decided = Decision<ImportOutcome>;

interface PublishOutcome {
  /** The zone is no longer as it was when the import was prepared: nothing was done. */
  readonly moved: boolean;
  /** Of the SOA of a new zone; when there are any, nothing was done. */
  readonly errors: readonly string[];
  readonly newSerial: ImportOutcome['newSerial'];
  /** None of what was prepared ahead: who prepared it has them. */
  readonly warnings: readonly Warning[];
}

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
 * Why a file that is to replace records may not: it has none, as the file of a program that
 * failed has none. An SOA alone makes a zone, or leaves one that is empty, but it empties no other.
 * Append takes any file.
 */
export function errorOfEmptyFile(
  mode: ImportMode,
  file: { readonly records: number; readonly hasSoa: boolean },
  zone: Zone | undefined,
): string | undefined {
  if (mode === 'append' || file.records > 0) return undefined;
  if (file.hasSoa && (zone?.recordCount ?? 0) === 0) return undefined;
  const what = file.hasSoa ? 'no record to store besides its SOA' : 'no record to store';
  return `the file holds ${what}: ${mode} needs one; is its source empty, or did it fail?`;
}

function decideImportZone(command: ImportZone, context: DecisionContext): Decided {
  const zone = context.view.zoneByName(normaliseZoneName(command.zoneName));
  const { zoneName, mode, create } = command;
  requireImport(context.rights, { zoneName, mode, create: create !== undefined }, zone);
  checkOverrides(command.overrides, zone);
  const file = { records: command.records.length, hasSoa: command.soa !== undefined };
  const empty = errorOfEmptyFile(mode, file, zone);
  if (empty !== undefined) return importProblem(emptyName, 0, [{ line: 0, message: empty }], zone);
  return zone === undefined ? createFrom(command, context) : importInto(zone, command, context);
}

function importInto(zone: Zone, command: ImportZone, context: DecisionContext): Decided {
  const work = new WorkingSet(context, zone);
  const records = recordsFor(zone, command);
  const { summary, nodeErrors } = takeFile(work, { ...command, records });
  if (nodeErrors.length > 0) return importProblem(work.apex, summary.parsed, nodeErrors, zone);
  const net = work.netChange();
  const { mode, soa } = command;
  const isChange = net.removed.length + net.added.length > 0;
  const { kind, serial, ...said } = incrementOfImport(
    zone,
    { mode, soa, isChange },
    context.rights,
  );
  const change = serial === undefined ? undefined : changeZone(kind, work.zone, serial, net);
  const ofRecords = work.warningsOf(net, true, { isWhole: mode === 'replace' });
  const warnings = [...said.warnings, ...printWarnings(ofRecords)];
  const outcome = { errors: [], summary, newSerial: serial, diff: work.diffOf(net), warnings };
  return { event: change?.event, outcome: { zone: change?.zone ?? zone, ...outcome } };
}

function createFrom(command: ImportZone, context: DecisionContext): Decided {
  const made = newSettings(command.zoneName, command.create, command, context);
  const { settings, nodeErrors } = made;
  const empty = emptyZone(context.allocateId('zone'), settings, context.now);
  const work = new WorkingSet(context, empty, true);
  const { summary, nodeErrors: ofRecords } = takeFile(work, { ...command, mode: 'replace' });
  const all = [...nodeErrors, ...ofRecords];
  if (all.length > 0) return importProblem(work.apex, summary.parsed, all, undefined);
  const net = work.netChange();
  const { event, zone } = createZone('zone.imported', work.zone, net);
  const warnings = [...made.warnings, ...printWarnings(work.warningsOf(net))];
  const outcome = { errors: [], summary, newSerial: zone.serial, diff: work.diffOf(net), warnings };
  return { event, outcome: { zone, ...outcome } };
}

/** The settings of a zone that an import creates, with what is wrong with the SOA that says them. */
function newSettings(
  zoneName: string,
  file: ImportedZone | null | undefined,
  { overrides, readsCatalog }: Pick<OfImport, 'overrides' | 'readsCatalog'>,
  context: DecisionContext,
) {
  const name = parseZoneName(zoneName);
  const isOwnCatalog = readsCatalog === true && name === context.catalogZoneName;
  if (!isOwnCatalog) refuseTakenName(context, name);
  return settingsOfFile(name, requireSoa(file, name), overrides, context);
}

function importProblem(
  apex: NameKey,
  parsed: number,
  nodeErrors: readonly NodeError[],
  zone: Zone | undefined,
): Decided {
  const summary = { parsed, added: 0, deleted: 0, updated: 0, unchanged: 0 };
  const diff = { apex, entries: [] };
  const errors = printNodeErrors(nodeErrors);
  const refused = { errors, summary, newSerial: undefined, diff, warnings: [] };
  return { event: undefined, outcome: { zone, ...refused } };
}

/** Puts the records of a file into a working set, and says what is wrong with them. */
function takeFile(
  work: WorkingSet,
  { mode, records }: Pick<ImportZone, 'mode' | 'records'>,
): { summary: ImportSummary; nodeErrors: NodeError[] } {
  const nodes = Map.groupBy(records, ({ owner }) => owner);
  if (mode === 'replace') work.loadAll();
  else work.load([...nodes.keys()]);
  const summary = { parsed: 0, added: 0, deleted: 0, updated: 0, unchanged: 0 };
  const nodeErrors: NodeError[] = [];
  const takeNode = (owner: NameKey, file: readonly FileRecord[]): void => {
    const { apex, make } = work;
    const node = importNode(mode, { apex, owner, current: work.at(owner), file }, make);
    work.replace(owner, node.after);
    for (const error of node.nodeErrors) nodeErrors.push(error);
    for (const key of Object.keys(summary) as (keyof ImportSummary)[]) {
      summary[key] += node.counts[key];
    }
  };
  for (const [owner, file] of nodes) takeNode(owner, file);
  if (mode === 'replace') {
    for (const owner of work.owners()) if (!nodes.has(owner)) takeNode(owner, []);
  }
  for (const occlusion of work.occlusions()) {
    const fileAt = (owner: NameKey) => nodes.get(owner) ?? [];
    const reads = (...asked: Parameters<KnowsOwner>) => work.reads(...asked);
    nodeErrors.push(errorOfOcclusion(work.apex, occlusion, fileAt, reads));
  }
  return { summary, nodeErrors };
}

/** The same where the records were judged and staged before. */
function decidePublishImport(
  command: PublishImport,
  context: DecisionContext,
): Decision<PublishOutcome> {
  const { zoneName, mode, isCreating: create, staged, atSerial, zoneId } = command;
  const zone = context.view.zoneByName(zoneName);
  requireImport(context.rights, { zoneName, mode, create }, zone);
  const isSame = zone === undefined ? atSerial === null : zone.serial === atSerial;
  if (!isSame || (zone !== undefined && zone.id !== zoneId)) {
    return unpublished({ moved: true });
  }
  checkOverrides(command.overrides, zone);
  const file = { records: command.fileRecords, hasSoa: command.file !== null };
  const empty = errorOfEmptyFile(mode, file, zone);
  if (empty !== undefined) return unpublished({ errors: [empty] });
  if (zone === undefined) {
    const made = newSettings(zoneName, command.file, command, context);
    if (made.nodeErrors.length > 0)
      return unpublished({ errors: printNodeErrors(made.nodeErrors) });
    const empty = emptyZone(zoneId, made.settings, context.now);
    return published(createZone('zone.imported', empty, { staged }), made.warnings);
  }
  const soa = command.file ?? undefined;
  const isChange = staged.removed + staged.added > 0;
  const { kind, serial, warnings } = incrementOfImport(
    zone,
    { mode, soa, isChange },
    context.rights,
  );
  const parts = isChange ? { staged } : {};
  if (serial === undefined) return unpublished({ warnings });
  return published(changeZone(kind, zone, serial, parts), warnings);
}

function published(
  { event, zone }: ReturnType<typeof createZone>,
  warnings: readonly Warning[],
): Decision<PublishOutcome> {
  return { event, outcome: { moved: false, errors: [], newSerial: zone.serial, warnings } };
}

function unpublished(more: Partial<PublishOutcome>): Decision<PublishOutcome> {
  const nothing = { moved: false, errors: [], newSerial: undefined, warnings: [] };
  return { event: undefined, outcome: { ...nothing, ...more } };
}

export const importDecisions = {
  'import-zone': decideImportZone,
  'publish-import': decidePublishImport,
};
