/**
 * The settings of a zone that is created of a master file: what its SOA and its first $TTL say, where
 * that can be held, and what the caller says in its place. Without a $TTL, as by transfer, the TTL of the SOA is the
 * default, so that the SOA is served as it was. One of them that is outside the range of default_ttl gives
 * way to the configured default; a serial of 0 counts as none and is chosen like that of a zone that is
 * created without one. Where records are left out the serial is one past that of the SOA. A name that was served
 * before goes on above its last serial.
 */
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import type { Warning } from '../base/warning.ts';
import { zoneSettings } from '../base/zone-settings.ts';
import type { FileSoa } from '../dns/zonefile/zone-file.ts';
import type { DecisionContext } from './decision.ts';
import type { NodeError } from './file-node.ts';
import {
  type GivenSettings,
  initialSettings,
  parseSetting,
  settingNames,
  settingsOfSoa,
  type Zone,
  type ZoneSettings,
} from './zone.ts';
import { firstSerial, soaWarning } from './zone-change.ts';

/** What the SOA and the first $TTL of a file say about a zone; judged when it is created of them. */
export interface ImportedZone extends Readonly<ReturnType<typeof settingsOfSoa>> {
  /** Line of the SOA; 0 when it came by transfer. */
  readonly line: number;
  /** Seconds of the first $TTL. */
  readonly defaultTtl: number | undefined;
  /** Seconds of the SOA record itself. */
  readonly soaTtl: number;
}

/** The fields of an SOA that a caller may give in place of the file's. */
const overrideNames = [
  'mname',
  'rname',
  'serial',
  'minimumTtl',
  'refresh',
  'retry',
  'expire',
] as const;

type OverrideName = (typeof overrideNames)[number];

/** Values that win over those of the SOA; judged like the fields of CreateZone. */
export type SoaOverrides = Pick<GivenSettings, OverrideName>;

/** Their names in the interface. */
export const overrideFields = Object.fromEntries(
  overrideNames.map((name) => [name, zoneSettings[name].field]),
) as Readonly<Record<OverrideName, string>>;

/** The names of those that are given. */
export function givenOverrides(overrides: SoaOverrides | undefined): string[] {
  const given = overrideNames.filter((name) => overrides?.[name] !== undefined);
  return given.map((name) => overrideFields[name]);
}

/** Why a value of a file's SOA is refused, and the field of the request that takes its place. */
export function refusedValue(name: OverrideName, reason: string): string {
  return `SOA ${reason}; give ${overrideFields[name]}`;
}

/** The field that leaves out records of types that are not stored. */
const skipField = 'skip_unsupported';

const override = new RegExp(`; give (${Object.values(overrideFields).join('|')})$`);
const fieldToGive = new RegExp(
  `; give (${[...Object.values(overrideFields), skipField].join('|')})$`,
);

const unsupported = new RegExp(`\\bis not stored(?:: |; give ${skipField}$|$)`);

/** Whether a line is about a record that `skip_unsupported` leaves out. */
export function isUnsupported(line: string): boolean {
  return unsupported.test(line);
}

/** The lines of a refused file; the first of a type that is not stored names what leaves such records out. */
export function withSkipField(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex(isUnsupported);
  return lines.map((line, index) => (index === first ? `${line}; give ${skipField}` : line));
}

/** A line without that: the command line names the option below all of them. */
export function withoutSkipField(line: string): string {
  const end = `; give ${skipField}`;
  return line.endsWith(end) ? line.slice(0, -end.length) : line;
}

/** The field that a line of refusedValue ends in; undefined for every other line. */
export function overriddenBy(line: string): string | undefined {
  return override.exec(line)?.[1];
}

/** The same line for the command line, whose options have the names of the fields with hyphens. */
export function withOption(line: string): string {
  return line.replace(fieldToGive, (_, field) => `; give ${optionOf(field)}`);
}

/** The option of the command line for a field. */
export function optionOf(field: string): string {
  return `--${field.replaceAll('_', '-')}`;
}

/**
 * What a file says about its zone. When records of it are left out the serial is the next one: secondaries that hold
 * the zone with them, at its serial, have to take it whole.
 */
export function importedZoneOf(
  soa: FileSoa,
  defaultTtl: number | undefined,
  leftOut = 0,
): ImportedZone {
  const settings = settingsOfSoa(soa);
  const { serial } = settings;
  const isNext = leftOut > 0 && serial > 0 && serial < limits.startingSerial;
  return {
    line: soa.line,
    defaultTtl,
    soaTtl: soa.ttl,
    ...settings,
    serial: isNext ? serial + 1 : serial,
  };
}

/** What a file says about the zone to be created of it, or INVALID_INPUT when it has no SOA. */
export function requireSoa(file: ImportedZone | null | undefined, name: string): ImportedZone {
  if (file !== null && file !== undefined) return file;
  throw new Problem('INVALID_INPUT', `create: zone '${name}' needs an SOA record in the file`);
}

/**
 * Refuses overrides that can not be used: an existing zone keeps its SOA (ZONE_CONFLICT), and values
 * are those that a zone can be created with (INVALID_ZONE_FIELD).
 */
export function checkOverrides(overrides: SoaOverrides | undefined, zone: Zone | undefined): void {
  const given = givenOverrides(overrides);
  if (overrides === undefined || given.length === 0) return;
  if (zone !== undefined) {
    throw new Problem(
      'ZONE_CONFLICT',
      `zone '${zone.name}' exists and keeps its SOA: leave out ${given.join(', ')}`,
    );
  }
  for (const name of settingNames) {
    const value = (overrides as GivenSettings)[name];
    if (value !== undefined) parseSetting(name, value);
  }
}

/** What is wrong with the SOA of a file, as far as nothing is given in its place. */
export function errorsOfSoa(
  file: ImportedZone,
  overrides: SoaOverrides = {},
): readonly NodeError[] {
  return takeSoa(file, overrides).nodeErrors;
}

/** The settings of the new zone, what is to be said of them, and a fault for each value that can not be held. */
export function settingsOfFile(
  name: string,
  file: ImportedZone,
  overrides: SoaOverrides | undefined,
  context: DecisionContext,
): { settings: ZoneSettings; warnings: readonly Warning[]; nodeErrors: readonly NodeError[] } {
  const { taken, nodeErrors } = takeSoa(file, overrides ?? {});
  const given = overrides?.serial;
  const asked = given === undefined ? { source: file.serial === 0 ? 0 : taken.serial } : { given };
  const { serial, warnings } = firstSerial(context, name, asked);
  const defaultTtl = defaultTtlOf(file) ?? context.zoneDefaults.defaultTtl;
  const settings: ZoneSettings = {
    name,
    mname: name,
    rname: '',
    ...context.zoneDefaults,
    ...taken,
    defaultTtl,
    serial,
    ...initialSettings,
  };
  return { settings, warnings: [...warnings, ...ttlWarnings(file, settings)], nodeErrors };
}

/** The values of a file or those in their place; a value that is missing has a fault. */
function takeSoa(
  file: ImportedZone,
  overrides: SoaOverrides,
): { taken: Partial<Pick<ZoneSettings, OverrideName>>; nodeErrors: NodeError[] } {
  const taken: Partial<Record<OverrideName, string | number>> = {};
  const nodeErrors: NodeError[] = [];
  for (const name of overrideNames) {
    const given = overrides[name];
    if (name === 'serial' && given === undefined && file.serial === 0) continue;
    try {
      taken[name] = parseSetting(name, given ?? file[name]);
    } catch (error) {
      if (!(error instanceof Problem) || given !== undefined) throw error;
      nodeErrors.push({ line: file.line, message: refusedValue(name, error.message) });
    }
  }
  return { taken: taken as Partial<Pick<ZoneSettings, OverrideName>>, nodeErrors };
}

function defaultTtlOf({ defaultTtl, soaTtl }: ImportedZone): number | undefined {
  const [min, max] = zoneSettings.defaultTtl.range;
  const ttl = defaultTtl ?? soaTtl;
  return ttl >= min && ttl <= max ? ttl : undefined;
}

/** The SOA is served with the default TTL, and negative answers with that or less (RFC 2308 5). */
function ttlWarnings({ soaTtl }: ImportedZone, { name, defaultTtl }: ZoneSettings): Warning[] {
  if (soaTtl === defaultTtl) return [];
  const why =
    `the SOA has the TTL ${defaultTtl} here and ${soaTtl} at its source: here it is default_ttl, ` +
    'and no negative answer is cached longer';
  return [soaWarning('SOA_TTL_CHANGED', name, why)];
}
