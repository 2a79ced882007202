/**
 * Zones: the settings a caller edits (base/zone-settings.ts), the SOA made of them, and the rules each field obeys.
 *
 * Names of zones are stored lower-case without closing dot. Refused: the root, wildcards, labels
 * with other characters than letters, digits, hyphen, underscore and `/` (RFC 2317).
 */
import { limits } from '../base/limits.ts';
import { readEach } from '../base/item-errors.ts';
import { Memory } from '../base/memory.ts';
import { excerpt, Problem } from '../base/problem.ts';
import { type Setting, type SettingKinds, zoneSettings } from '../base/zone-settings.ts';
import { toAsciiName } from '../dns/idn.ts';
import {
  keyFromLabels,
  labelsOf,
  lowerAscii,
  type NameKey,
  nameToWire,
  parentOf,
  parseAbsoluteName,
  printLabels,
  splitNameText,
} from '../dns/name.ts';
import type { SoaFields } from '../dns/soa.ts';
import { parseGuard } from './guard-setting.ts';
import { parseNote } from './identifier.ts';

export type SettingName = keyof typeof zoneSettings;

type KindOf<Name extends SettingName> = SettingKinds[(typeof zoneSettings)[Name]['kind']];

/** The facts of a zone that its events carry; records are facts of their own. */
export type ZoneSettings = { readonly [Name in SettingName]: KindOf<Name>['stored'] };

/** Settings as a caller gives them: of the right type, not yet judged. Undefined means not given. */
export type GivenSettings = {
  readonly [Name in SettingName]?: KindOf<Name>['given'] | undefined;
};

export const settingNames = Object.keys(zoneSettings) as readonly SettingName[];

/** The settings that the SOA shows, its serial left out. */
export const soaSettings = settingNames.filter((name) => {
  const { soa }: Setting = zoneSettings[name];
  return soa !== undefined && name !== 'serial';
});

/** The settings that differ between two states of a zone. */
export function changedSettings(before: ZoneSettings, after: ZoneSettings): SettingName[] {
  return settingNames.filter((name) => before[name] !== after[name]);
}

/** The settings of a zone alone. Written out because every change asks for it: a loop takes several times as long. */
export function settingsOf(zone: ZoneSettings): ZoneSettings {
  const { name, mname, rname, defaultTtl, minimumTtl, refresh, retry, expire } = zone;
  const { serial, description, enabled, guard } = zone;
  const timers = { defaultTtl, minimumTtl, refresh, retry, expire };
  return { name, mname, rname, ...timers, serial, description, enabled, guard };
}

/** Settings that events of every version have: those of time, and all. */
type FirstTime = 'defaultTtl' | 'minimumTtl' | 'refresh' | 'retry' | 'expire';
type FirstSetting = 'name' | 'mname' | 'rname' | 'serial' | 'description' | 'enabled' | FirstTime;

type LaterSetting = Exclude<SettingName, FirstSetting>;

/** Settings as an event has them, whichever version wrote it. */
export type StoredSettings = Pick<ZoneSettings, FirstSetting> &
  Partial<Pick<ZoneSettings, LaterSetting>>;

/** What it means that an older event has no such setting. */
const laterSettings: Pick<ZoneSettings, LaterSetting> = { guard: null };

export function settingsFrom(stored: StoredSettings): ZoneSettings {
  return { ...laterSettings, ...stored };
}

/** A zone as the projections hold it. */
export interface Zone extends ZoneSettings {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** User records, the SOA not counted. */
  readonly recordCount: number;
  /** DNSSEC records (DNSSEC), the SOA's signature counted like any other. */
  readonly dnssecCount: number;
  /** Oldest serial from which the journal can still tell the steps to now, for IXFR. */
  readonly historyFromSerial: number;
}

/**
 * A zone with other settings, and other counts where some are given. Field by field, for every change makes one:
 * to spread two objects into one takes many times as long.
 */
export function changedZone(
  zone: Zone,
  after: ZoneSettings,
  counts: Partial<Pick<Zone, 'recordCount' | 'dnssecCount' | 'historyFromSerial'>> = {},
): Zone {
  return {
    id: zone.id,
    name: after.name,
    mname: after.mname,
    rname: after.rname,
    defaultTtl: after.defaultTtl,
    minimumTtl: after.minimumTtl,
    refresh: after.refresh,
    retry: after.retry,
    expire: after.expire,
    serial: after.serial,
    description: after.description,
    enabled: after.enabled,
    guard: after.guard,
    createdAt: zone.createdAt,
    recordCount: counts.recordCount ?? zone.recordCount,
    dnssecCount: counts.dnssecCount ?? zone.dnssecCount,
    historyFromSerial: counts.historyFromSerial ?? zone.historyFromSerial,
  };
}

/** A zone as it was when it was deleted. */
export interface DeletedZone extends Zone {
  /** Milliseconds since 1970. */
  readonly deletedAt: number;
}

/** Values of settings that a caller leaves out at creation; `dns.zone_defaults`. */
export type ZoneDefaults = Pick<
  ZoneSettings,
  'defaultTtl' | 'minimumTtl' | 'refresh' | 'retry' | 'expire'
>;

/** Settings of a new zone that nobody has set, and that neither the configuration nor an SOA says. */
export const initialSettings = { description: null, enabled: true, guard: null } as const;

const apexes = new Memory<string, NameKey>(1000);

/** The absolute key of a zone's apex. */
export function apexOf(zone: Pick<ZoneSettings, 'name'>): NameKey {
  return apexes.of(zone.name, parseAbsoluteName);
}

function invalid(message: string): Problem {
  return new Problem('INVALID_ZONE_FIELD', message);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const zoneLabel = /^[a-z0-9_/-]+$/;

/** Normalises the name of a zone from a path or a body, or throws INVALID_ZONE_FIELD. */
export function parseZoneName(text: string): string {
  const name = normaliseZoneName(text);
  if (name === '') throw invalid('name: a zone needs a name other than the root');
  const labels = orInvalid('name', name, () => {
    splitNameText(name);
    // No label of a zone has an escape: it is refused as it is written.
    return name.split('.');
  });
  for (const label of labels) {
    if (!zoneLabel.test(label)) {
      throw invalid(
        `name: '${excerpt(name)}' has the label '${excerpt(label)}'; ` +
          `labels are letters, digits, hyphen, underscore or / (1 to ${limits.labelBytes})`,
      );
    }
  }
  orInvalid('name', name, () => keyFromLabels(labels));
  return name;
}

/** Gives what a text is read as, or throws why it is none: INVALID_ZONE_FIELD. */
function orInvalid<Value>(field: string, text: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw invalid(`${field}: '${excerpt(text)}' ${reasonOf(error)}`);
  }
}

/** The name a path or filter means, for look-ups: what is no zone name matches nothing. */
export function normaliseZoneName(text: string): string {
  const lower = lowerAscii(text.trim());
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

/** ZONE_NOT_FOUND for a name that a caller wrote; one with characters beyond ASCII gets its A-labels. */
export function noZone(text: string): Problem {
  const name = normaliseZoneName(text);
  const ascii = toAsciiName(name) ?? name;
  const hint = ascii === name ? '' : `; write it as '${ascii}'`;
  return new Problem('ZONE_NOT_FOUND', `zone '${excerpt(name)}' does not exist${hint}`);
}

/** The same for a deleted zone. `name` is normalised. */
export function noDeletedZone(name: string, id: number | undefined): Problem {
  const which = id === undefined ? '' : ` with id ${id}`;
  return new Problem('ZONE_NOT_FOUND', `no deleted zone '${excerpt(name)}'${which} exists`);
}

/** A serial that a zone never had, or of which nothing is retained. */
export function noVersion({ name }: Pick<Zone, 'name'>, serial: number): Problem {
  return new Problem(
    'VERSION_NOT_FOUND',
    `zone '${name}' has no version with the serial ${serial}`,
  );
}

const hostLabel = /^[a-z0-9_-]+$/;

/** Normalises a host name (mname): lower-case, no closing dot. */
function parseHostName(field: string, text: string): string {
  const name = normaliseZoneName(text);
  return orInvalid(field, text, () => {
    // The closing dot is removed already: a name that is still absolute ended in two.
    const { labels, absolute } = splitNameText(name);
    if (absolute || labels.some((label) => !hostLabel.test(label))) {
      throw new Error('is not a host name of letters, digits, hyphen and underscore');
    }
    return printLabels(keyFromLabels(labels));
  });
}

/** Normalises the responsible party from its e-mail form. */
function parseResponsible(text: string): string {
  const trimmed = text.trim();
  const at = trimmed.indexOf('@');
  if (at < 0 || at !== trimmed.lastIndexOf('@')) {
    throw invalid(`rname: '${excerpt(text)}' is not an e-mail address with one @`);
  }
  const local = trimmed.slice(0, at);
  if (local.length < 1 || local.length > 64) {
    throw invalid(`rname: the part before @ has ${local.length} characters (1 to 64)`);
  }
  if (!/^[\x21-\x7e]+$/.test(local) || local.split('.').includes('')) {
    throw invalid(
      `rname: the part before @ in '${excerpt(text)}' has an empty label or an odd character`,
    );
  }
  const domain = parseHostName('rname', trimmed.slice(at + 1));
  const address = `${local}@${domain}`;
  if (address.length > 254) throw invalid(`rname: ${address.length} characters (at most 254)`);
  orInvalid('rname', text, () => responsibleKey(address));
  return address;
}

/**
 * The absolute key of the responsible party: dots of the local part belong to its one label. Without
 * an @ it is a name already, as nobody's is.
 */
export function responsibleKey(rname: string): NameKey {
  const at = rname.lastIndexOf('@');
  if (at < 0) return parseAbsoluteName(rname);
  return keyFromLabels([rname.slice(0, at), ...splitNameText(rname.slice(at + 1)).labels]);
}

/** The e-mail form of an SOA's rname: its first label is the part before the @. */
function printResponsible(rname: NameKey): string {
  const [local = ''] = labelsOf(rname);
  const domain = parentOf(rname);
  return domain === undefined ? local : `${local}@${printLabels(domain)}`;
}

/** Checks a number that has a range in `zoneSettings`. */
function checkRange(name: SettingName, value: number): number {
  const { field, range }: Setting = zoneSettings[name];
  const [min, max] = range!;
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalid(`${field}: ${value} is outside ${min}..${max}`);
}

const parsers: {
  readonly [Kind in keyof SettingKinds]: (
    given: SettingKinds[Kind]['given'],
    name: SettingName,
  ) => SettingKinds[Kind]['stored'];
} = {
  'zone-name': parseZoneName,
  'host-name': (text, name) => parseHostName(name, text),
  mailbox: parseResponsible,
  seconds: (value, name) => checkRange(name, value),
  serial: (value, name) => checkRange(name, value),
  note(text, name) {
    const { field, range }: Setting = zoneSettings[name];
    return parseNote(text, 'INVALID_ZONE_FIELD', field, range![1]);
  },
  switch: (value) => value,
  guard: parseGuard,
};

/** What is stored of a setting as a caller gives it, or INVALID_ZONE_FIELD. */
export function parseSetting<Name extends SettingName>(
  name: Name,
  given: KindOf<Name>['given'],
): KindOf<Name>['stored'] {
  const parse = parsers[zoneSettings[name].kind] as (
    given: KindOf<Name>['given'],
    name: Name,
  ) => KindOf<Name>['stored'];
  return parse(given, name);
}

/** The settings with those that are given in their places, each judged; without any, the same values. */
export function withSettings<Base extends Partial<ZoneSettings>>(
  base: Base,
  given: GivenSettings,
): Base {
  const named = settingNames.filter((name) => given[name] !== undefined);
  const values = readEach(named, (name) => [name, parseSetting(name, given[name]!)] as const);
  return { ...base, ...Object.fromEntries(values) };
}

/** The two names of an SOA in wire form, which every step of a zone needs and few of them change. */
const soaNames = new Memory<string, Buffer>(1000);

/** SOA RDATA of the settings at their serial (RFC 1035 3.3.13), in canonical form. */
export function soaRdata(zone: ZoneSettings): Buffer {
  const names = soaNames.of(`${zone.mname} ${zone.rname}`, () =>
    Buffer.concat([
      nameToWire(parseAbsoluteName(zone.mname)),
      nameToWire(responsibleKey(zone.rname)),
    ]),
  );
  const rdata = Buffer.allocUnsafe(names.length + 20);
  rdata.set(names);
  let at = names.length;
  for (const value of [zone.serial, zone.refresh, zone.retry, zone.expire, zone.minimumTtl]) {
    at = rdata.writeUInt32BE(value, at);
  }
  return rdata;
}

/** What an SOA says of settings, as a caller would give it; the root, which is no host and no mailbox, is `.`. */
export function settingsOfSoa({
  mname,
  rname,
  serial,
  refresh,
  retry,
  expire,
  minimum,
}: SoaFields) {
  const names = { mname: printLabels(mname) || '.', rname: printResponsible(rname) || '.' };
  return { ...names, serial, refresh, retry, expire, minimumTtl: minimum };
}
