/** What an external DNS controller may know on behalf of a caller. */
import type { Rights } from '../../domain/access/rights.ts';
import type { StoredExternalRecord } from '../../domain/external-dns.ts';
import { ZonesOfNames } from '../../domain/zones-of-names.ts';
import type { Stored } from '../services.ts';

export class ExternalDnsView {
  readonly #stored: Pick<Stored, 'externalDns' | 'zones'>;
  readonly #rights: Rights;

  constructor(stored: Pick<Stored, 'externalDns' | 'zones'>, rights: Rights) {
    this.#stored = stored;
    this.#rights = rights;
  }

  domains(): Promise<readonly string[]> {
    return this.#stored.externalDns.domains(this.#rights);
  }

  records(): AsyncIterable<readonly StoredExternalRecord[]> {
    return this.#stored.externalDns.records(this.#rights);
  }

  /** What records are judged by. A name belongs to the deepest zone, also to one that the caller does not see. */
  surroundings(): { readonly zones: ZonesOfNames; readonly rights: Rights } {
    const { zones } = this.#stored;
    return {
      zones: new ZonesOfNames({ zoneByName: (name) => zones.byName(name) }),
      rights: this.#rights,
    };
  }
}
