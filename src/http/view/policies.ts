/** The DNSSEC policies that a caller may know of: all or none. */
import { requireEverywhere } from '../../domain/access/require.ts';
import type { Rights } from '../../domain/access/rights.ts';
import { noPolicy, seesPolicies } from '../../domain/access/visibility.ts';
import type { DnssecPolicy } from '../../domain/dnssec-policy.ts';
import type { Listed, Page } from '../../projection/page.ts';
import { nothingListed } from '../fields.ts';
import type { Stored } from '../services.ts';

export class PolicyView {
  readonly #stored: Pick<Stored, 'policies'>;
  readonly #rights: Rights;

  constructor(stored: Pick<Stored, 'policies'>, rights: Rights) {
    this.#stored = stored;
    this.#rights = rights;
  }

  list(page: Page): Listed<DnssecPolicy> {
    if (!seesPolicies(this.#rights)) return nothingListed;
    requireEverywhere(this.#rights, 'dnssec:read');
    return this.#stored.policies.list(page);
  }

  get(written: string): DnssecPolicy {
    const sees = seesPolicies(this.#rights);
    const policy = sees ? this.#stored.policies.byName(written) : undefined;
    if (policy === undefined) throw noPolicy(written.trim().toLowerCase());
    requireEverywhere(this.#rights, 'dnssec:read');
    return policy;
  }
}
