/** Earlier states of the zones that a caller may read as a whole. */
import { formatTime } from '../../base/clock.ts';
import { excerpt, Problem } from '../../base/problem.ts';
import type { Moment } from '../../contract/fields.ts';
import { mayBeStored, parseType } from '../../dns/rrtype.ts';
import { requireInZone } from '../../domain/access/require.ts';
import { checkRollbackTarget, requireRollback } from '../../domain/decide-rollback.ts';
import { noTag } from '../../domain/decide-tag.ts';
import { requireReadableScope } from '../../domain/decide-revert.ts';
import { parseOwner } from '../../domain/record.ts';
import { apexOf, noVersion, type Zone } from '../../domain/zone.ts';
import type { Listed, Page } from '../../projection/page.ts';
import type { ActivityRange } from '../../query/activity-queries.ts';
import type { BlameFilter, BlamePage } from '../../query/blame-queries.ts';
import type { HistoryEntry, HistoryFilter } from '../../query/history-queries.ts';
import type { RollbackReading } from '../../query/reader.ts';
import type { RollbackTarget } from '../../query/rollback-target.ts';
import type { ZoneTag } from '../../query/tag-queries.ts';
import { ownersOf, type WantedPart } from '../../query/version-page.ts';
import type { VersionFilter, ZoneVersion } from '../../query/version-queries.ts';
import { type NamedZone, ViewPart, ZoneView } from './zones.ts';

/** A version as a request names it, if it does. */
export type WantedVersion = Moment | undefined;

/** Names and types of a zone as a request gives them: owners relative to it. */
export interface GivenScope {
  readonly names?: readonly string[] | null | undefined;
  readonly types?: readonly string[] | null | undefined;
}

/** A change that an event made. */
export interface ChangeToUndo {
  readonly zoneId: number;
  /** Of the zone after it. */
  readonly serial: number;
  /** It has records that the caller may not read. */
  readonly hidesRecords: boolean;
}

function scopeOf(
  zone: Zone,
  { names, types }: GivenScope,
): Pick<RollbackTarget, 'names' | 'types'> {
  return {
    names: names?.map((name) => parseOwner(name, apexOf(zone))),
    types: types?.map((type) => {
      const parsed = parseType(type.trim());
      if (parsed !== undefined && mayBeStored(parsed)) return parsed;
      throw new Problem('INVALID_INPUT', `types: '${excerpt(type)}' is no type of records`);
    }),
  };
}

export class VersionView extends ViewPart {
  readonly #zones = new ZoneView(this.stored, this.rights);

  list(named: NamedZone, filter: VersionFilter, page: Page): Promise<Listed<ZoneVersion>> {
    const zone = this.#zones.with('zone:read', named);
    return this.stored.versions.list(zone, filter, page);
  }

  /** The version of a zone that a moment names. */
  of(zone: Zone, wanted: Moment): ZoneVersion {
    return this.#find(zone, this.#serialOf(zone, wanted)!);
  }

  /** What its changes, back to a week before a moment, replaced that caches may still hold. */
  replacedAnswers({ id, serial }: Zone, moment: number) {
    return this.stored.versions.replacedAnswers({ id, serial }, moment);
  }

  /** A zone with the settings of then. */
  zoneAt(zoneName: string, wanted: Moment): Zone {
    const zone = this.#zones.with('zone:read', zoneName);
    return { ...zone, ...this.of(zone, wanted).settings };
  }

  get(named: NamedZone, wanted: Moment) {
    const zone = this.#zones.whole(named);
    const version = this.of(zone, wanted);
    return { zone, version, records: this.stored.versions.recordsText(zone, version.serial) };
  }

  /** A part of a version. */
  async page(named: NamedZone, wanted: Moment, partOf: (zone: Zone) => WantedPart) {
    const zone = this.#zones.whole(named);
    const version = this.of(zone, wanted);
    const part = partOf(zone);
    return { zone, version, ...(await this.stored.versions.page(zone, version.serial, part)) };
  }

  /** A version of a zone of which the caller may read all; the current one when nothing names it. */
  whole(zoneName: string, wanted: WantedVersion): { zone: Zone; serial: number } {
    const zone = this.#zones.whole(zoneName);
    const serial = this.#serialOf(zone, wanted) ?? zone.serial;
    this.#find(zone, serial);
    return { zone, serial };
  }

  /** The names of its serials. */
  tags(zoneName: string): readonly ZoneTag[] {
    return this.stored.versions.tags(this.#zones.with('zone:read', zoneName));
  }

  /** A version for who may name it; the current one when nothing is said. */
  toTag(zoneName: string, wanted: WantedVersion): { zoneId: number; serial: number } {
    const zone = this.#zones.with('zone:update', zoneName);
    const serial = this.#serialOf(zone, wanted) ?? zone.serial;
    return { zoneId: zone.id, serial: this.#find(zone, serial).serial };
  }

  /** The fields of a version. */
  summary(named: NamedZone, wanted: Moment) {
    const zone = this.#zones.whole(named);
    return { zone, version: this.of(zone, wanted) };
  }

  /**
   * Owners whose records differ between two versions, by one actor where one is named. The second is the zone of now
   * when nothing names it.
   */
  diff(
    named: NamedZone,
    from: WantedVersion,
    to: WantedVersion,
    partOf: (zone: Zone) => WantedPart,
    actor: string | undefined,
  ) {
    const zone = this.#zones.whole(named);
    const part = partOf(zone);
    const fromSerial = this.#serialOf(zone, from) ?? zone.serial;
    const toSerial = this.#serialOf(zone, to) ?? zone.serial;
    this.#find(zone, fromSerial);
    this.#find(zone, toSerial);
    const span = [fromSerial, toSerial] as const;
    const nodes = this.stored.versions.changedNodes(zone, ...span, ownersOf(part), actor);
    return { zone, from: fromSerial, to: toSerial, nodes, part };
  }

  /** A master file of the zone, of now when nothing names a version. */
  exportText(named: NamedZone, wanted: WantedVersion, signed: boolean): AsyncIterable<string> {
    const zone = this.#zones.whole(named);
    const serial = this.#serialOf(zone, wanted);
    if (serial !== undefined) this.#find(zone, serial);
    return this.stored.exporter.exportText(zone, { serial, signed });
  }

  /** `filterOf` makes the filter once the caller may know of the zone. */
  history(
    named: NamedZone,
    filterOf: (zone: Zone) => HistoryFilter,
    page: Page,
  ): Promise<Listed<HistoryEntry>> {
    const zone = this.#zones.whole(named);
    return this.stored.versions.history(this.rights, zone, filterOf(zone), page);
  }

  /** How much changed in it; `rangeOf` makes the range once the caller may know of the zone. */
  activity(named: NamedZone, rangeOf: (zone: Zone) => ActivityRange) {
    const zone = this.#zones.whole(named);
    return this.stored.versions.activity(zone.id, rangeOf(zone));
  }

  /**
   * The RRsets that the caller may read of a zone, now or at a moment, with what made them so. The serial of a moment
   * is null for who may not read versions: it counts changes that this caller may not see.
   */
  async blame(
    named: NamedZone,
    wanted: WantedVersion,
    filterOf: (zone: Zone) => BlameFilter,
    page: BlamePage,
  ) {
    const zone = this.#zones.get(named);
    const filter = filterOf(zone);
    const serial = wanted === undefined ? zone.serial : this.of(zone, wanted).serial;
    const isKnown = wanted === undefined || this.#readsVersions(zone);
    const found = await this.stored.versions.blame(this.rights, { zone, serial }, filter, page);
    return { zone, serial: isKnown ? serial : null, ...found };
  }

  /** The zone for who may roll it back; `check` is asked first, and says how many records are read at once. */
  async forRollback(
    zoneName: string,
    wanted: WantedVersion,
    scope: GivenScope,
    check: (zone: Zone) => number,
  ): Promise<{ zone: Zone; target: RollbackTarget; reading: RollbackReading }> {
    const zone = this.#zones.get(zoneName);
    requireRollback(this.rights, zone);
    const maxRecords = check(zone);
    const serial = this.#serialOf(zone, wanted) ?? zone.serial;
    checkRollbackTarget(zone, serial);
    const target = { ...scopeOf(zone, scope), serial, isUndo: false };
    return { zone, target, reading: await this.#readBack(zone, target, maxRecords) };
  }

  /** What one change of a zone did, for who may undo it. */
  async forRevert(
    { zoneId, serial, hidesRecords }: ChangeToUndo,
    { force_names, ...scope }: GivenScope & { readonly force_names?: GivenScope['names'] },
    check: (zone: Zone) => number,
  ): Promise<{ zone: Zone; target: RollbackTarget; reading: RollbackReading }> {
    const zone = this.#zones.byId(zoneId);
    const { names: forced } = scopeOf(zone, { names: force_names });
    const target = { ...scopeOf(zone, scope), forced, serial, isUndo: true };
    if (hidesRecords) requireReadableScope(this.rights, zone, target);
    const maxRecords = check(zone);
    return { zone, target, reading: await this.#readBack(zone, target, maxRecords) };
  }

  async #readBack(
    zone: Zone,
    target: RollbackTarget,
    maxRecords: number,
  ): Promise<RollbackReading> {
    const reading = await this.stored.versions.forRollback(zone, target, maxRecords);
    if (reading === undefined) throw noVersion(zone, target.serial);
    return reading;
  }

  #find(zone: Zone, serial: number): ZoneVersion {
    const version = this.stored.versions.get(zone, serial);
    if (version === undefined) throw noVersion(zone, serial);
    return version;
  }

  /** Whether the caller may know of versions of a zone: by the list of them, or because it reads each as a whole. */
  #readsVersions(zone: Zone): boolean {
    return this.rights.inZone('zone:read', zone.id) || this.#zones.readsWhole(zone);
  }

  /** Undefined when nothing is named. To others than readers of versions a tag would tell which there are. */
  #serialOf(zone: Zone, wanted: WantedVersion): number | undefined {
    if (wanted === undefined) return undefined;
    if ('tag' in wanted && !this.#readsVersions(zone)) {
      requireInZone(this.rights, 'zone:read', zone);
    }
    const found = this.stored.versions.serialOf(zone, wanted);
    if (found !== undefined) return found;
    if ('tag' in wanted) throw noTag(zone.name, wanted.tag);
    const time = 'at' in wanted ? formatTime(wanted.at) : '';
    throw new Problem('VERSION_NOT_FOUND', `zone '${zone.name}' had no version at ${time}`);
  }
}
