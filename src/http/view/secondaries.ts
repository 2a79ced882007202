/** The secondaries that a caller may know of: all or none. */
import { requireEverywhere } from '../../domain/access/require.ts';
import type { Rights } from '../../domain/access/rights.ts';
import { noSecondary, seesSecondaries } from '../../domain/access/visibility.ts';
import type { Secondary } from '../../domain/secondary.ts';
import { normaliseZoneName } from '../../domain/zone.ts';
import type { Listed, Page } from '../../projection/page.ts';
import type { TransferEntry } from '../../projection/transfer-log.ts';
import type { TransferSummary } from '../../projection/transfer-queries.ts';
import { nothingListed } from '../present/list.ts';
import type { HandlerServices, Stored } from '../services.ts';
import type { ZoneView } from './zones.ts';

type Sources = Pick<Stored, 'secondaries' | 'transfers'> &
  Pick<HandlerServices, 'options' | 'prober'>;

export interface TransfersOfSecondary {
  readonly secondary: Secondary;
  readonly summary: TransferSummary;
  readonly entries: readonly TransferEntry[];
}

export class SecondaryView {
  readonly #sources: Sources;
  readonly #rights: Rights;
  readonly #zones: ZoneView;

  constructor(sources: Sources, rights: Rights, zones: ZoneView) {
    this.#sources = sources;
    this.#rights = rights;
    this.#zones = zones;
  }

  list(page: Page): Listed<Secondary> {
    return this.#seesThem ? this.#sources.secondaries.list(page) : nothingListed;
  }

  get(written: string): Secondary {
    const name = written.trim().toLowerCase();
    const secondary = this.#seesThem ? this.#sources.secondaries.byName(name) : undefined;
    if (secondary === undefined) throw noSecondary(name);
    return secondary;
  }

  /** One that the caller may have tried. */
  managed(written: string): Secondary {
    const secondary = this.get(written);
    requireEverywhere(this.#rights, 'secondary:manage');
    return secondary;
  }

  /** What a secondary fetched: of one zone that the caller sees, or of the catalog, when it is named. */
  async transfers(
    written: string,
    zoneName: string | undefined,
    limit: number,
  ): Promise<TransfersOfSecondary> {
    const { options, prober, transfers } = this.#sources;
    const secondary = this.get(written);
    const wanted = zoneName === undefined ? '' : normaliseZoneName(zoneName);
    const isCatalog = wanted === options.catalogZoneName;
    const ofZone = wanted === '' || isCatalog ? wanted : this.#zones.get(wanted).name;
    const addresses = await prober.addressesOf(secondary);
    const filter = { addresses, zoneName: ofZone === '' ? undefined : ofZone };
    const summary = await transfers.summary(filter);
    return { secondary, summary, entries: await transfers.list(filter, limit) };
  }

  get #seesThem(): boolean {
    return seesSecondaries(this.#rights);
  }
}
