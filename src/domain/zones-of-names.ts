/** The deepest stored zones that names are in, each ancestor asked for once. */
import { type NameKey, parentOf, parseAbsoluteName, printLabels } from '../dns/name.ts';
import type { StateView } from './decision.ts';
import type { ApplyExternalDns } from './external-dns.ts';
import type { Zone } from './zone.ts';

export class ZonesOfNames {
  readonly #view: Pick<StateView, 'zoneByName'>;
  readonly #known = new Map<NameKey, Zone | undefined>();

  constructor(view: Pick<StateView, 'zoneByName'>) {
    this.#view = view;
  }

  /** Whether or not a caller sees it. */
  enclosing(name: NameKey): Zone | undefined {
    if (this.#known.has(name)) return this.#known.get(name);
    const parent = parentOf(name);
    if (parent === undefined) return undefined;
    const zone = this.#view.zoneByName(printLabels(name)) ?? this.enclosing(parent);
    this.#known.set(name, zone);
    return zone;
  }
}

/** The zones that changes are about, as far as their names can be read. */
export function zonesOfChanges(
  { creates, deletes, updates }: ApplyExternalDns,
  view: Pick<StateView, 'zoneByName'>,
): readonly Zone[] {
  const names = new ZonesOfNames(view);
  const zones = new Set<Zone>();
  for (const { name } of [
    ...creates,
    ...deletes,
    ...updates.flatMap((one) => [one.old, one.new]),
  ]) {
    try {
      const zone = names.enclosing(parseAbsoluteName(name.trim()));
      if (zone !== undefined) zones.add(zone);
    } catch {
      // It is refused when it is decided on.
    }
  }
  return [...zones];
}
