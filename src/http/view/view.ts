/**
 * The view of one caller: everything that is stored, as far as the grants of its role reach.
 *
 * Handlers read by it alone. It can not be made without rights, and each of its parts judges what it gives out:
 * what no grant reaches is missing, by the same status, code and words as what was never there; what is visible
 * and lacks an action is FORBIDDEN. Rows of lists that the caller may not see are neither listed nor counted.
 */
import type { StoredExternalRecord } from '../../domain/external-dns.ts';
import { ZonesOfNames } from '../../domain/zone-change.ts';
import { AccessView, PolicyView, SecondaryView, WebhookView } from './administration.ts';
import { ExplainView } from './explain.ts';
import { EventView } from './events.ts';
import { VersionView } from './versions.ts';
import { RecordView, ViewPart, ZoneView } from './zones.ts';

/** What an external DNS controller may know on behalf of a caller. */
class ExternalDnsView extends ViewPart {
  domains(): Promise<readonly string[]> {
    return this.stored.externalDns.domains(this.rights);
  }

  records(): AsyncIterable<readonly StoredExternalRecord[]> {
    return this.stored.externalDns.records(this.rights);
  }

  /** What records are judged by. A name belongs to the deepest zone, also to one that the caller does not see. */
  surroundings() {
    const zoneByName = (name: string) => this.stored.zones.byName(name);
    return { zones: new ZonesOfNames({ zoneByName }), rights: this.rights };
  }
}

/** Its parts hold what is stored and the rights, and read nothing until they are asked. */
export class CallerView extends ViewPart {
  readonly zones = new ZoneView(this.stored, this.rights);
  readonly records = new RecordView(this.stored, this.rights);
  readonly versions = new VersionView(this.stored, this.rights);
  readonly events = new EventView(this.stored, this.rights);
  readonly webhooks = new WebhookView(this.stored, this.rights);
  readonly secondaries = new SecondaryView(this.stored, this.rights);
  readonly policies = new PolicyView(this.stored, this.rights);
  readonly access = new AccessView(this.stored, this.rights);
  readonly explain = new ExplainView(this.stored, this.rights);
  readonly externalDns = new ExternalDnsView(this.stored, this.rights);
}
