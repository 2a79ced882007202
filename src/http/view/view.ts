/**
 * The view of one caller: everything that is stored, as far as the grants of its role reach.
 *
 * Handlers read by it alone. It can not be made without rights, and each of its parts judges what it gives out:
 * what no grant reaches is missing, by the same status, code and words as what was never there; what is visible
 * and lacks an action is FORBIDDEN. Rows of lists that the caller may not see are neither shown nor counted.
 */
import type { StoredExternalRecord } from '../../domain/external-dns.ts';
import { ZonesOfNames } from '../../domain/zone-change.ts';
import { AccessView, PolicyView, SecondaryView, WebhookView } from './administration.ts';
import { ExplainView } from './explain.ts';
import { EventView } from './events.ts';
import { VersionView } from './versions.ts';
import { RecordView, ViewPart, ZoneView } from './zones.ts';

/** Its parts are made when they are asked for: most requests need one or two of them. */
export class CallerView extends ViewPart {
  get zones(): ZoneView {
    return new ZoneView(this.stored, this.rights);
  }

  get records(): RecordView {
    return new RecordView(this.stored, this.rights);
  }

  get versions(): VersionView {
    return new VersionView(this.stored, this.rights);
  }

  get events(): EventView {
    return new EventView(this.stored, this.rights);
  }

  get webhooks(): WebhookView {
    return new WebhookView(this.stored, this.rights);
  }

  get secondaries(): SecondaryView {
    return new SecondaryView(this.stored, this.rights);
  }

  get policies(): PolicyView {
    return new PolicyView(this.stored, this.rights);
  }

  get access(): AccessView {
    return new AccessView(this.stored, this.rights);
  }

  get explain(): ExplainView {
    return new ExplainView(this.stored, this.rights);
  }

  get externalDns(): ExternalDnsView {
    return new ExternalDnsView(this.stored, this.rights);
  }
}

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
