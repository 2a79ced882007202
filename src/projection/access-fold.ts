/** What events about access do to the tables of roles, grants, tokens and TSIG keys. */
import { unreachable } from '../base/problem.ts';
import type { AccessEvent } from '../domain/access/model.ts';
import type { CounterName } from '../domain/epoch.ts';
import type { Connection, Statement } from '../journal/database.ts';
import type { PendingCounters } from './pending.ts';

export class AccessFold {
  readonly #counters: PendingCounters;
  readonly #insertRole: Statement;
  readonly #deleteRole: Statement;
  readonly #deleteGrantsOfRole: Statement;
  readonly #insertGrant: Statement;
  readonly #deleteGrant: Statement;
  readonly #deleteGrantsOfZone: Statement;
  readonly #insertToken: Statement;
  readonly #deleteToken: Statement;
  readonly #insertTsigKey: Statement;
  readonly #deleteTsigKey: Statement;

  constructor(connection: Connection, counters: PendingCounters) {
    this.#counters = counters;
    this.#insertRole = connection.prepare(
      'INSERT INTO role (id, name, description, builtin, created_at) VALUES (?, ?, ?, ?, ?)',
    );
    this.#deleteRole = connection.prepare('DELETE FROM role WHERE id = ?');
    this.#deleteGrantsOfRole = connection.prepare('DELETE FROM role_grant WHERE role_id = ?');
    this.#insertGrant = connection.prepare(
      `INSERT INTO role_grant (id, role_id, zone_id, actions, record_name_pattern, record_types,
        created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#deleteGrant = connection.prepare('DELETE FROM role_grant WHERE id = ?');
    this.#deleteGrantsOfZone = connection.prepare('DELETE FROM role_grant WHERE zone_id = ?');
    this.#insertToken = connection.prepare(
      `INSERT INTO token (id, name, description, role_id, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
    );
    this.#deleteToken = connection.prepare('DELETE FROM token WHERE id = ?');
    this.#insertTsigKey = connection.prepare(
      'INSERT INTO tsig_key (id, name, algorithm, role_id, created_at) VALUES (?, ?, ?, ?, ?)',
    );
    this.#deleteTsigKey = connection.prepare('DELETE FROM tsig_key WHERE id = ?');
  }

  /** Grants name a zone; with the zone they go, and do not come back when it is restored. */
  deleteGrantsOfZone(zoneId: number): void {
    this.#deleteGrantsOfZone.run(zoneId);
  }

  apply(event: AccessEvent): void {
    switch (event.kind) {
      case 'role.created': {
        const { id, name, description, builtin, createdAt } = event.role;
        this.#insertRole.run(id, name, description, builtin ? 1 : 0, createdAt);
        this.#count('role', id);
        return;
      }
      case 'role.deleted':
        this.#deleteGrantsOfRole.run(event.role.id);
        this.#deleteRole.run(event.role.id);
        return;
      case 'role.granted': {
        const { id, roleId, zoneId, actions, recordNamePattern, recordTypes, createdAt } =
          event.grant;
        const held = actions.join(',');
        this.#insertGrant.run(id, roleId, zoneId, held, recordNamePattern, recordTypes, createdAt);
        this.#count('grant', id);
        return;
      }
      case 'role.revoked':
        this.#deleteGrant.run(event.grant.id);
        return;
      case 'token.created': {
        const { id, name, description, roleId, createdAt, expiresAt } = event.token;
        this.#insertToken.run(id, name, description, roleId, createdAt, expiresAt);
        this.#count('token', id);
        return;
      }
      case 'token.deleted':
        this.#deleteToken.run(event.token.id);
        return;
      case 'tsig-key.created': {
        const { id, name, algorithm, roleId, createdAt } = event.tsigKey;
        this.#insertTsigKey.run(id, name, algorithm, roleId, createdAt);
        this.#count('tsig_key', id);
        return;
      }
      case 'tsig-key.deleted':
        this.#deleteTsigKey.run(event.tsigKey.id);
        return;
      default:
        unreachable(event);
    }
  }

  #count(kind: CounterName, id: number): void {
    this.#counters.raise(kind, id);
  }
}
