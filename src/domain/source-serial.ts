/**
 * The step that a zone which is there takes by an import. Secondaries may follow another server under the same name,
 * by serials of its own count. So the records of a server come in above the serial that it has, and no IXFR
 * leads over them: what a secondary holds under an earlier serial may be what the server had under it.
 *
 * A file says less: whether anybody was served its serial is not known. The zone goes on by one, and is warned of.
 */
import type { ZoneEventKind } from '../base/event-kind.ts';
import { limits } from '../base/limits.ts';
import type { Warning } from '../base/warning.ts';
import { isNewerSerial } from '../dns/serial.ts';
import type { Rights } from './access/rights.ts';
import type { ImportMode } from './file-node.ts';
import type { ImportedZone } from './imported-zone.ts';
import type { Zone } from './zone.ts';
import { nextSerial, soaWarning } from './zone-change.ts';

interface ImportInto {
  readonly mode: ImportMode;
  /** The SOA that came with the records, which the zone does not take. */
  readonly soa: ImportedZone | undefined;
  /** Whether a record is another one then. */
  readonly isChange: boolean;
}

interface ImportIncrement {
  readonly kind: ZoneEventKind;
  /** Undefined where nothing moves. */
  readonly serial: number | undefined;
  readonly warnings: readonly Warning[];
}

export function incrementOfImport(
  zone: Zone,
  { mode, soa, isChange }: ImportInto,
  rights: Rights,
): ImportIncrement {
  const isServed = soa?.line === 0;
  const kind = isServed ? 'zone.taken-over' : 'zone.imported';
  const isBehind = soa !== undefined && isNewerSerial(soa.serial, zone.serial);
  const held = isServed && isBehind ? holdBack(soa, zone, rights) : undefined;
  if (isServed && isBehind && held === undefined) {
    const serial = nextSerial({ name: zone.name, serial: soa.serial });
    return { kind, serial, warnings: [] };
  }
  const serial = isChange ? nextSerial(zone) : undefined;
  const now = serial ?? zone.serial;
  const isWarned = isBehind && isNewerSerial(soa.serial, now) && (isServed || mode === 'replace');
  if (!isWarned) return { kind, serial, warnings: [] };
  const next = held ?? 'a NOTIFY with bump_serial raises it above what secondaries serve';
  const why =
    `the serial is ${now} here and ${soa.serial} at the source: secondaries that hold the zone of the source ` +
    `keep it until the serial is above ${soa.serial}; ${next}`;
  return { kind, serial, warnings: [soaWarning('SERIAL_BEHIND', zone.name, why)] };
}

/** Why the serial of a server is not passed. */
function holdBack(
  { serial }: Pick<ImportedZone, 'serial'>,
  zone: Zone,
  rights: Rights,
): string | undefined {
  if (!rights.inZone('zone:update', zone.id)) return 'it is raised for who may update the zone';
  if (serial <= limits.startingSerial) return undefined;
  return `none above ${limits.startingSerial} is taken from elsewhere`;
}
