/**
 * What events of the administration do to their tables: roles, grants, tokens, TSIG keys, secondaries, DNSSEC
 * policies, and the beginning of an epoch, in which everything that counts goes on further on.
 */
import {
  type CounterName,
  type ServiceRecovered,
  type StoredCounter,
  serialBeyond,
} from '../domain/epoch.ts';
import type { AdministrationEvent } from '../domain/event.ts';
import type { Connection } from '../journal/database.ts';
import { setEpoch } from '../journal/epoch.ts';
import type { CatalogFold } from './catalog-fold.ts';
import type { FormerNames } from './former-names.ts';
import type { PendingCounters } from './pending.ts';
import { dnssecPolicy, role, roleGrant, secondary, token, tsigKey, webhook } from './schema.ts';
import {
  deleting,
  inserting,
  type Row,
  type Tables,
  type TableWithId,
  tablesOf,
  updating,
} from './tables.ts';

/** What each kind of event does. */
type Changes = {
  readonly [Kind in AdministrationEvent['kind']]: (
    event: Extract<AdministrationEvent, { readonly kind: Kind }>,
  ) => void;
};

export class AdministrationFold {
  readonly #connection: Connection;
  readonly #counters: PendingCounters;
  readonly #catalog: CatalogFold;
  readonly #formerNames: FormerNames;
  readonly #changes: Changes;
  /** Grants name a zone; with the zone they go, and do not come back when it is restored. */
  readonly deleteGrantsOfZone: (zoneId: number) => void;

  constructor(
    connection: Connection,
    counters: PendingCounters,
    catalog: CatalogFold,
    formerNames: FormerNames,
  ) {
    this.#connection = connection;
    this.#counters = counters;
    this.#catalog = catalog;
    this.#formerNames = formerNames;
    const tables = tablesOf(connection);
    this.deleteGrantsOfZone = deleting(tables, roleGrant, roleGrant.zoneId);
    this.#changes = this.#changesIn(tables);
  }

  apply(event: AdministrationEvent): void {
    const change = this.#changes[event.kind] as (event: AdministrationEvent) => void;
    change(event);
  }

  #changesIn(tables: Tables): Changes {
    const rowsOf = <Table extends TableWithId>(table: Table, counter: CounterName) => {
      const insert = inserting(tables, table);
      return {
        add: (row: Row<Table> & { readonly id: number }) => {
          insert(row);
          this.#counters.raise(counter, row.id);
        },
        update: updating(tables, table),
        delete: deleting(tables, table, table.id),
      };
    };
    const roles = rowsOf(role, 'role');
    const grants = rowsOf(roleGrant, 'grant');
    const tokens = rowsOf(token, 'token');
    const tsigKeys = rowsOf(tsigKey, 'tsig_key');
    const secondaries = rowsOf(secondary, 'secondary');
    const webhooks = rowsOf(webhook, 'webhook');
    const policies = rowsOf(dnssecPolicy, 'policy');
    const deleteGrantsOfRole = deleting(tables, roleGrant, roleGrant.roleId);
    return {
      'role.created': (event) => roles.add(event.role),
      'role.updated': (event) => roles.update(event.role),
      'role.deleted': (event) => {
        deleteGrantsOfRole(event.role.id);
        roles.delete(event.role.id);
      },
      'role.granted': (event) => grants.add(event.grant),
      'role.revoked': (event) => grants.delete(event.grant.id),
      'token.created': (event) => tokens.add(event.token),
      'token.deleted': (event) => tokens.delete(event.token.id),
      // What lets a browser in is the keystore's.
      'session.opened': () => {},
      'session.closed': () => {},
      'session.refused': () => {},
      'tsig-key.created': (event) => tsigKeys.add(event.tsigKey),
      'tsig-key.deleted': (event) => tsigKeys.delete(event.tsigKey.id),
      'secondary.registered': (event) => secondaries.add(event.secondary),
      'secondary.updated': (event) => secondaries.update(event.secondary),
      'secondary.forgotten': (event) => secondaries.delete(event.secondary.id),
      'webhook.created': (event) => webhooks.add(event.webhook),
      'webhook.updated': (event) => webhooks.update(event.webhook),
      'webhook.replayed': (event) => webhooks.update(event.webhook),
      'webhook.suspended': (event) => webhooks.update(event.webhook),
      'webhook.deleted': (event) => webhooks.delete(event.webhook.id),
      'policy.created': (event) => policies.add(event.policy),
      'policy.updated': (event) => policies.update(event.policy),
      'policy.deleted': (event) => policies.delete(event.policy.id),
      'service.recovered': (event) => this.#beginEpoch(event),
    };
  }

  /**
   * Names that zones have left, and those that were seen elsewhere, go on beyond their last serials. The
   * zones that are there take steps of their own, which begin beyond what is left here for their names.
   */
  #beginEpoch({ epoch, jump, serials, catalogSerial, counters }: ServiceRecovered): void {
    setEpoch(this.#connection, epoch);
    this.#formerNames.moveOn(jump);
    for (const { name, serial } of serials) {
      this.#formerNames.put(name, serialBeyond(serial) ?? serial);
    }
    this.#catalog.moveOn(catalogSerial);
    for (const [name, value] of Object.entries(counters)) {
      this.#counters.raise(name as StoredCounter, value);
    }
  }
}
