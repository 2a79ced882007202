/** Reads of DNSSEC policies. */
import type { DnssecPolicy } from '../domain/dnssec-policy.ts';
import { findNamed } from '../domain/plain-name.ts';
import type { Connection, Statement } from '../journal/database.ts';
import type { Listed, Page } from './page.ts';

type PolicyRow = Omit<DnssecPolicy, 'builtin' | 'splitKeys'> & {
  readonly builtin: number;
  readonly splitKeys: number;
};

const policyColumns = `id, name, builtin, created_at AS createdAt, algorithm, denial,
  split_keys AS splitKeys, signature_validity_days AS signatureValidityDays,
  signature_refresh_days AS signatureRefreshDays, zsk_lifetime_days AS zskLifetimeDays`;

function policyOf(row: PolicyRow): DnssecPolicy {
  return { ...row, builtin: row.builtin === 1, splitKeys: row.splitKeys === 1 };
}

export class PolicyQueries {
  readonly #byName: Statement;
  readonly #byId: Statement;
  readonly #page: Statement;
  readonly #count: Statement;

  constructor(connection: Connection) {
    const select = `SELECT ${policyColumns} FROM dnssec_policy`;
    this.#byName = connection.prepare(`${select} WHERE name = ?`);
    this.#byId = connection.prepare(`${select} WHERE id = ?`);
    this.#page = connection.prepare(`${select} ORDER BY name LIMIT ? OFFSET ?`);
    this.#count = connection.prepare('SELECT count(*) AS count FROM dnssec_policy');
  }

  byName(name: string): DnssecPolicy | undefined {
    const row = findNamed(
      name.trim().toLowerCase(),
      (written) => this.#byName.get(written) as PolicyRow | undefined,
      (id) => this.#byId.get(id) as PolicyRow | undefined,
    );
    return row && policyOf(row);
  }

  byId(id: number): DnssecPolicy | undefined {
    const row = this.#byId.get(id) as PolicyRow | undefined;
    return row && policyOf(row);
  }

  /** Ordered by name. */
  list(page: Page): Listed<DnssecPolicy> {
    const rows = this.#page.all(page.limit, page.offset) as PolicyRow[];
    const { count } = this.#count.get() as { count: number };
    return { items: rows.map(policyOf), total: count };
  }
}
