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
    const added = <Table extends TableWithId>(table: Table, counter: CounterName) => {
      const insert = inserting(tables, table);
      return (row: Row<Table> & { readonly id: number }) => {
        insert(row);
        this.#counters.raise(counter, row.id);
      };
    };
    const addRole = added(role, 'role');
    const updateRole = updating(tables, role);
    const deleteRole = deleting(tables, role, role.id);
    const deleteGrantsOfRole = deleting(tables, roleGrant, roleGrant.roleId);
    const addGrant = added(roleGrant, 'grant');
    const deleteGrant = deleting(tables, roleGrant, roleGrant.id);
    const addToken = added(token, 'token');
    const deleteToken = deleting(tables, token, token.id);
    const addTsigKey = added(tsigKey, 'tsig_key');
    const deleteTsigKey = deleting(tables, tsigKey, tsigKey.id);
    const addSecondary = added(secondary, 'secondary');
    const updateSecondary = updating(tables, secondary);
    const deleteSecondary = deleting(tables, secondary, secondary.id);
    const addWebhook = added(webhook, 'webhook');
    const updateWebhook = updating(tables, webhook);
    const deleteWebhook = deleting(tables, webhook, webhook.id);
    const addPolicy = added(dnssecPolicy, 'policy');
    const updatePolicy = updating(tables, dnssecPolicy);
    const deletePolicy = deleting(tables, dnssecPolicy, dnssecPolicy.id);
    return {
      'role.created': (event) => addRole(event.role),
      'role.updated': (event) => updateRole(event.role),
      'role.deleted': (event) => {
        deleteGrantsOfRole(event.role.id);
        deleteRole(event.role.id);
      },
      'role.granted': (event) => addGrant(event.grant),
      'role.revoked': (event) => deleteGrant(event.grant.id),
      'token.created': (event) => addToken(event.token),
      'token.deleted': (event) => deleteToken(event.token.id),
      // What lets a browser in is the keystore's.
      'session.opened': () => {},
      'session.closed': () => {},
      'tsig-key.created': (event) => addTsigKey(event.tsigKey),
      'tsig-key.deleted': (event) => deleteTsigKey(event.tsigKey.id),
      'secondary.registered': (event) => addSecondary(event.secondary),
      'secondary.updated': (event) => updateSecondary(event.secondary),
      'secondary.forgotten': (event) => deleteSecondary(event.secondary.id),
      'webhook.created': (event) => addWebhook(event.webhook),
      'webhook.updated': (event) => updateWebhook(event.webhook),
      'webhook.replayed': (event) => updateWebhook(event.webhook),
      'webhook.suspended': (event) => updateWebhook(event.webhook),
      'webhook.deleted': (event) => deleteWebhook(event.webhook.id),
      'policy.created': (event) => addPolicy(event.policy),
      'policy.updated': (event) => updatePolicy(event.policy),
      'policy.deleted': (event) => deletePolicy(event.policy.id),
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
