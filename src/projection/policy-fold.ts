/** What events about DNSSEC policies do to their table. */
import { unreachable } from '../base/problem.ts';
import type { DnssecPolicy, PolicyEvent } from '../domain/dnssec-policy.ts';
import type { Connection, Statement } from '../journal/database.ts';
import type { PendingCounters } from './pending.ts';

export class PolicyFold {
  readonly #counters: PendingCounters;
  readonly #put: Statement;
  readonly #delete: Statement;

  constructor(connection: Connection, counters: PendingCounters) {
    this.#counters = counters;
    this.#put = connection.prepare(
      `INSERT INTO dnssec_policy (id, name, builtin, created_at, algorithm, denial, split_keys,
        signature_validity_days, signature_refresh_days, zsk_lifetime_days)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET signature_validity_days = excluded.signature_validity_days,
        signature_refresh_days = excluded.signature_refresh_days,
        zsk_lifetime_days = excluded.zsk_lifetime_days`,
    );
    this.#delete = connection.prepare('DELETE FROM dnssec_policy WHERE id = ?');
  }

  apply(event: PolicyEvent): void {
    switch (event.kind) {
      case 'policy.created':
        this.#write(event.policy);
        this.#counters.raise('policy', event.policy.id);
        return;
      case 'policy.updated':
        this.#write(event.policy);
        return;
      case 'policy.deleted':
        this.#delete.run(event.policy.id);
        return;
      default:
        unreachable(event);
    }
  }

  #write(policy: DnssecPolicy): void {
    this.#put.run(
      policy.id,
      policy.name,
      policy.builtin ? 1 : 0,
      policy.createdAt,
      policy.algorithm,
      policy.denial,
      policy.splitKeys ? 1 : 0,
      policy.signatureValidityDays,
      policy.signatureRefreshDays,
      policy.zskLifetimeDays,
    );
  }
}
