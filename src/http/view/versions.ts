/** Earlier states of the zones that a caller may read as a whole. */
import { formatTime } from '../../base/clock.ts';
import { Problem } from '../../base/problem.ts';
import { checkRollbackTarget, requireRollback } from '../../domain/decide-rollback.ts';
import type { Zone } from '../../domain/zone.ts';
import type { HistoryEntry, HistoryFilter } from '../../query/history-queries.ts';
import type { Listed, Page } from '../../projection/tables.ts';
import type { RollbackReading } from '../../query/reader.ts';
import type { VersionFilter, ZoneVersion } from '../../query/version-queries.ts';
import { ViewPart, ZoneView } from './zones.ts';

/** A version as a request names it: by its serial, or by a time. */
export interface WantedVersion {
  readonly serial?: number | undefined;
  /** Milliseconds since 1970. */
  readonly at?: number | undefined;
}

export class VersionView extends ViewPart {
  readonly #zones = new ZoneView(this.stored, this.rights);

  list(zoneName: string, filter: VersionFilter, page: Page): Listed<ZoneVersion> {
    const zone = this.#zones.with('zone:read', zoneName);
    return this.stored.versions.list(zone, filter, page);
  }

  get(zoneName: string, serial: number) {
    const zone = this.#zones.whole(zoneName);
    const version = this.#find(zone, serial);
    return { zone, version, records: this.stored.versions.recordsText(zone, serial) };
  }

  /** Owners whose records differ between two versions; the second one is the zone of now when nothing names it. */
  diff(zoneName: string, from: WantedVersion, to: WantedVersion) {
    const zone = this.#zones.whole(zoneName);
    const fromSerial = this.#serialOf(zone, from) ?? zone.serial;
    const toSerial = this.#serialOf(zone, to) ?? zone.serial;
    this.#find(zone, fromSerial);
    this.#find(zone, toSerial);
    const nodes = this.stored.versions.changedNodes(zone, fromSerial, toSerial);
    return { zone, from: fromSerial, to: toSerial, nodes };
  }

  /** A master file of the zone, of now when nothing names a version. */
  exportText(zoneName: string, wanted: WantedVersion, signed: boolean): AsyncIterable<string> {
    const zone = this.#zones.whole(zoneName);
    const serial = this.#serialOf(zone, wanted);
    if (serial !== undefined) this.#find(zone, serial);
    return this.stored.exporter.exportText(zone, { serial, signed });
  }

  /** `filterOf` makes the filter once the caller may know of the zone. */
  history(
    zoneName: string,
    filterOf: (zone: Zone) => HistoryFilter,
    page: Page,
  ): Promise<Listed<HistoryEntry>> {
    const zone = this.#zones.whole(zoneName);
    return this.stored.versions.history(this.rights, zone, filterOf(zone), page);
  }

  /** The zone for who may roll it back; `check` is asked before the version is read. */
  async forRollback(
    zoneName: string,
    targetSerial: number,
    check: (zone: Zone) => { readonly most: number },
  ): Promise<{ zone: Zone; reading: RollbackReading }> {
    const zone = this.#zones.get(zoneName);
    requireRollback(this.rights, zone);
    const { most } = check(zone);
    checkRollbackTarget(zone, targetSerial);
    const reading = await this.stored.versions.forRollback(zone, targetSerial, most);
    if (reading === undefined) throw noVersion(zone, targetSerial);
    return { zone, reading };
  }

  #find(zone: Zone, serial: number): ZoneVersion {
    const version = this.stored.versions.get(zone, serial);
    if (version === undefined) throw noVersion(zone, serial);
    return version;
  }

  /** Undefined when nothing is named. */
  #serialOf(zone: Zone, { serial, at }: WantedVersion): number | undefined {
    if (at === undefined) return serial;
    const found = this.stored.versions.serialAt(zone, at);
    if (found !== undefined) return found;
    const time = formatTime(at);
    throw new Problem('VERSION_NOT_FOUND', `zone '${zone.name}' had no version at ${time}`);
  }
}

function noVersion(zone: Zone, serial: number): Problem {
  return new Problem(
    'VERSION_NOT_FOUND',
    `zone '${zone.name}' has no version with the serial ${serial}`,
  );
}
