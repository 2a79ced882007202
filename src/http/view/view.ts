/**
 * The view of one caller: everything that is stored, as far as the grants of its role reach.
 *
 * Handlers read by it alone. It can not be made without rights, and each of its parts judges what it gives out:
 * what no grant reaches is missing, by the same status, code and words as what was never there; what is visible
 * and lacks an action is FORBIDDEN. Rows of lists that the caller may not see are neither shown nor counted.
 */
import type { Rights } from '../../domain/access/rights.ts';
import type { StoredExternalRecord } from '../../domain/external-dns.ts';
import { ZonesOfNames } from '../../domain/zone-change.ts';
import type { HandlerServices, Stored } from '../services.ts';
import { AccessView, PolicyView, SecondaryView } from './administration.ts';
import { VersionView } from './versions.ts';
import { RecordView, ZoneView } from './zones.ts';

export class CallerView {
  readonly zones: ZoneView;
  readonly records: RecordView;
  readonly versions: VersionView;
  readonly secondaries: SecondaryView;
  readonly policies: PolicyView;
  readonly access: AccessView;
  readonly externalDns: ExternalDnsView;

  constructor(stored: Stored & Pick<HandlerServices, 'options' | 'prober'>, rights: Rights) {
    this.zones = new ZoneView(stored, rights);
    this.records = new RecordView(stored, rights);
    this.versions = new VersionView(stored, rights, this.zones);
    this.secondaries = new SecondaryView(stored, rights, this.zones);
    this.policies = new PolicyView(stored, rights);
    this.access = new AccessView(stored, rights);
    this.externalDns = new ExternalDnsView(stored, rights);
  }
}

/** What an external DNS controller may know on behalf of a caller. */
class ExternalDnsView {
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
