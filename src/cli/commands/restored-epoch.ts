/**
 * The epoch that a restore begins (domain/epoch.ts): what the database that is replaced and the secondaries
 * have served, and where each zone goes on. Loaded by a restore alone.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  greatestSerials,
  seenSerials,
  type SurveyedSecondary,
  surveySecondaries,
} from '../../background/serial-survey.ts';
import { systemClock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { isTransient } from '../../base/storage-problem.ts';
import { recoveredSerial } from '../../domain/decide-epoch.ts';
import type { Said } from '../../domain/seen-serials.ts';
import type { Author } from '../../domain/why.ts';
import { beginEpochOffline } from '../../writer/offline-epoch.ts';
import { AccessError, type Connection, databaseFile, openReader } from '../../journal/database.ts';
import { entryOf, judgeEpoch, missedJumps } from '../../journal/epoch.ts';
import { type EpochEntry, readEpochFile } from '../../journal/epoch-file.ts';
import { Outbound, OutboundPolicy } from '../../outbound/policy.ts';
import { type CountedState, countedState, namesServed } from '../../query/epoch-queries.ts';
import { SecondaryQueries } from '../../query/named-queries.ts';
import type { LoadedConfig } from '../environment.ts';
import { type KeyLeft, keysLeft, keysOfZones } from './restored-keys.ts';

/** A serial that would leave a zone too few: nothing goes on beyond it. */
export interface IgnoredOfRestore {
  /** Null when the replaced database has it. */
  readonly secondary: string | null;
  readonly zone: string;
  readonly serial: number;
}

/** The greatest serial that a secondary serves of a zone, ignored or not; null when it did not say. */
export interface SecondarySerial {
  readonly secondary: string;
  readonly serial: number | null;
}

/** Where a name stands and goes on; null where it is unknown there. */
export interface RestoredZone {
  readonly zone: string;
  readonly backup_serial: number | null;
  readonly replaced_serial: number | null;
  readonly secondaries: readonly SecondarySerial[];
  /** Null for a zone that the backup does not have, and for one whose serials are used up. */
  readonly next_serial: number | null;
}

export interface RestoredEpoch {
  readonly epoch: number;
  readonly catalog: RestoredZone;
  readonly zones: readonly RestoredZone[];
  readonly secondaries: readonly {
    readonly name: string;
    readonly address: string;
    readonly zones: number;
    readonly error: string | null;
  }[];
  readonly ignored_serials: readonly IgnoredOfRestore[];
  /** Keys of signed zones that the replaced database has and the backup has not. */
  readonly keys_left: readonly KeyLeft[];
  /** What the epoch file says when the database is in its place. */
  readonly entry: EpochEntry;
}

/** A database that is replaced, as far as it can be read. */
interface Replaced extends CountedState {
  readonly entry: EpochEntry;
  /** Whether it is the one that was served last from its folder, and no older one. */
  readonly isLatest: boolean;
  /** Names of its zones, and its enabled secondaries. */
  readonly zoneNames: readonly string[];
  readonly keys: ReturnType<typeof keysOfZones>;
  readonly secondaries: readonly { readonly name: string; readonly address: string }[];
}

/** Begins the epoch in `copy`, a database that nobody uses yet. */
export async function beginRestoredEpoch(
  copy: Connection,
  config: LoadedConfig,
  author: Author,
): Promise<RestoredEpoch> {
  const { dataDir } = config;
  const catalogName = catalogNameOf(config);
  const replaced = readReplaced(dataDir);
  const before = countedState(copy);
  const surveyed = await survey(copy, replaced, config);
  const file = readEpochFile(dataDir);
  const now = entryOf(copy);
  const epochs = [now.epoch, replaced?.entry.epoch ?? 0, file?.epoch ?? 0, file?.next?.epoch ?? 0];
  const missed = Math.max(missedJumps(now, file), missedJumps(now, replaced?.entry));
  // The database that was served last says how far everything came that it knows.
  const isKnown = replaced?.isLatest === true;
  const unknown = {
    lostEvents: isKnown ? 0 : Math.max(0, (file?.seq ?? 0) - now.seq),
    missedJumps: isKnown ? 0 : missed,
  };
  const furthest = (now.jumped ?? 0) + missed;
  const others = [...serialsIn(replaced, catalogName), ...namesOnlyIn(before, replaced, missed)];
  const sources = [...surveyed, { name: null, serials: others }];
  const { ignored, ...elsewhere } = seenSerials(sources, before, catalogName);
  const event = beginEpochOffline(
    copy,
    {
      kind: 'begin-epoch',
      epoch: Math.max(...epochs) + 1,
      reason: 'restore',
      seen: {
        ...elsewhere,
        counters: { ...replaced?.counters, jumped: furthest },
        ...unknown,
      },
    },
    author,
    systemClock(),
  );
  const restored = nextSerialsOf(copy, event.jump);
  const replacedNames = new Set(replaced?.zoneNames);
  const names = new Set([...restored.keys(), ...replacedNames]);
  const asked = surveyed.map((each) => ({ ...each, serials: greatestSerials(each.serials) }));
  return {
    epoch: event.epoch,
    catalog: {
      zone: catalogName,
      backup_serial: before.catalogSerial,
      replaced_serial: replaced?.catalogSerial ?? null,
      secondaries: serialsAt(asked, catalogName),
      next_serial: event.catalogSerial,
    },
    zones: [...names].sort().map((zone) => ({
      zone,
      backup_serial: restored.get(zone)?.serial ?? null,
      replaced_serial: replacedNames.has(zone) ? (replaced?.serials.get(zone) ?? null) : null,
      secondaries: serialsAt(asked, zone),
      next_serial: restored.get(zone)?.next ?? null,
    })),
    secondaries: asked.map(({ serials, ...each }) => ({ ...each, zones: serials.size })),
    ignored_serials: ignored.map(({ source: secondary, own: _, ...said }) => {
      return { secondary, ...said };
    }),
    keys_left: keysLeft(replaced?.keys ?? [], keysOfZones(copy)),
    entry: entryOf(copy),
  };
}

/**
 * Where names of the backup may have come that the database which is replaced knows nothing of: they were
 * served in a time that was taken back already.
 */
function namesOnlyIn(
  { serials }: CountedState,
  replaced: Replaced | undefined,
  missed: number,
): ReadonlyMap<string, number> {
  if (replaced === undefined || missed === 0) return new Map();
  const lost = replaced.counters.lost_serial ?? 0;
  const names = [...serials].filter(([name]) => !replaced.serials.has(name));
  return new Map(names.map(([name, serial]) => [name, Math.max(lost, serial + missed)]));
}

/** The serials of a database that is replaced, that of its catalog among them. */
function serialsIn(replaced: Replaced | undefined, catalogName: string): readonly Said[] {
  if (replaced === undefined) return [];
  return [...replaced.serials, [catalogName, replaced.catalogSerial]];
}

interface AskedSecondary {
  readonly name: string;
  readonly serials: ReadonlyMap<string, number>;
}

function serialsAt(asked: readonly AskedSecondary[], zone: string): SecondarySerial[] {
  return asked.map(({ name, serials }) => ({
    secondary: name,
    serial: serials.get(zone) ?? null,
  }));
}

/** Undefined when there is none, or it is damaged: then what secondaries serve has to do. */
function readReplaced(dataDir: string): Replaced | undefined {
  const file = join(dataDir, databaseFile);
  if (!existsSync(file)) return undefined;
  let connection: Connection | undefined;
  try {
    connection = openReader(file);
    connection.exec('BEGIN');
    return {
      ...countedState(connection),
      entry: entryOf(connection),
      isLatest: judgeEpoch(connection, readEpochFile(dataDir)).kind === 'current',
      zoneNames: connection.prepare('SELECT name FROM zone').pluck().all() as string[],
      keys: keysOfZones(connection),
      secondaries: new SecondaryQueries(connection).enabled(),
    };
  } catch (error) {
    if (isTransient(error) || error instanceof AccessError) throw error;
    return undefined;
  } finally {
    connection?.close();
  }
}

function catalogNameOf({ settings }: LoadedConfig): string {
  return String(settings['dns.catalog_zone_name']);
}

/** Asks the secondaries of both databases. */
async function survey(
  copy: Connection,
  replaced: Replaced | undefined,
  config: LoadedConfig,
): Promise<readonly SurveyedSecondary[]> {
  const all = [...new SecondaryQueries(copy).enabled(), ...(replaced?.secondaries ?? [])];
  const secondaries = [...new Map(all.map((each) => [each.address, each])).values()];
  const zoneNames = [...new Set([...namesServed(copy), ...(replaced?.zoneNames ?? [])])];
  const catalogName = catalogNameOf(config);
  const question = { zoneNames, catalogName, withinMs: limits.epochSurveyMs };
  const deny = config.settings['outbound.deny'] as readonly string[];
  const allow = config.settings['outbound.allow'] as readonly string[];
  const asker = new Outbound(new OutboundPolicy({ deny, allow, listeners: [] }));
  return surveySecondaries(secondaries, question, asker);
}

/** The serials of zones, and those that they take when the service starts. */
function nextSerialsOf(copy: Connection, jump: number) {
  const rows = copy
    .prepare(
      `SELECT name, serial, last_serial AS former FROM zone LEFT JOIN former_name USING (name)`,
    )
    .all() as { name: string; serial: number; former: number | null }[];
  return new Map(
    rows.map(({ name, serial, former }) => {
      return [name, { serial, next: recoveredSerial(serial, former ?? undefined, jump) ?? null }];
    }),
  );
}
