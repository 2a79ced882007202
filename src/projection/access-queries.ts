/** Reads of roles, grants, tokens and TSIG keys. */
import type { Action } from '../base/action.ts';
import type { Grant, Role, Token, TsigKey } from '../domain/access/model.ts';
import { findNamed } from '../domain/plain-name.ts';
import type { Connection, Statement } from '../journal/database.ts';
import type { Listed, Page } from './page.ts';

const roleColumns = `role.id, role.name, role.description, role.builtin,
  role.created_at AS createdAt`;
const grantColumns = `role_grant.id, role_id AS roleId, zone_id AS zoneId, actions,
  record_name_pattern AS recordNamePattern, record_types AS recordTypes,
  role_grant.created_at AS createdAt`;
const tokenColumns = `token.id, token.name, token.description, role_id AS roleId,
  token.created_at AS createdAt, expires_at AS expiresAt`;
const tsigKeyColumns = `tsig_key.id, tsig_key.name, algorithm, role_id AS roleId,
  tsig_key.created_at AS createdAt`;

type RoleRow = Omit<Role, 'builtin'> & { readonly builtin: number };
type GrantRow = Omit<Grant, 'actions'> & { readonly actions: string };

function roleOf(row: RoleRow): Role {
  return { ...row, builtin: row.builtin === 1 };
}

function grantOf(row: GrantRow): Grant {
  return { ...row, actions: row.actions.split(',') as Action[] };
}

/** A token as it is listed: when it was last used is operational knowledge. */
export interface ListedToken extends Token {
  readonly lastUsedAt: number | null;
  readonly roleName: string;
}

export interface ListedTsigKey extends TsigKey {
  readonly roleName: string;
}

export interface ListedRole extends Role {
  readonly grantCount: number;
  readonly tokenCount: number;
  readonly tsigKeyCount: number;
}

type ListedRoleRow = Omit<ListedRole, 'builtin'> & { readonly builtin: number };

export interface ListedGrant extends Grant {
  readonly roleName: string;
  readonly zoneName: string | null;
}

export class AccessQueries {
  readonly #connection: Connection;
  readonly #prepared = new Map<string, Statement>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  #statement(sql: string): Statement {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }

  #get<Row>(sql: string, ...values: unknown[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined;
  }

  /** `select` ends with WHERE. */
  #named<Row extends { readonly name: string }>(select: string, name: string): Row | undefined {
    return findNamed(
      name,
      (written) => this.#get<Row>(`${select} name = ?`, written),
      (id) => this.#get<Row>(`${select} id = ?`, id),
    );
  }

  #all<Row>(sql: string, ...values: unknown[]): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  #count(from: string, ...values: unknown[]): number {
    return this.#get<{ count: number }>(`SELECT count(*) AS count FROM ${from}`, ...values)!.count;
  }

  roleByName(name: string): Role | undefined {
    const select = `SELECT ${roleColumns} FROM role WHERE`;
    const row = this.#named<RoleRow>(select, name);
    return row && roleOf(row);
  }

  roleById(id: number): Role | undefined {
    const row = this.#get<RoleRow>(`SELECT ${roleColumns} FROM role WHERE id = ?`, id);
    return row && roleOf(row);
  }

  roleHolders(roleId: number): { tokens: string[]; tsigKeys: string[] } {
    const names = (table: string) =>
      this.#all<{ name: string }>(
        `SELECT name FROM ${table} WHERE role_id = ? ORDER BY name`,
        roleId,
      ).map(({ name }) => name);
    return { tokens: names('token'), tsigKeys: names('tsig_key') };
  }

  grantById(id: number): Grant | undefined {
    const row = this.#get<GrantRow>(`SELECT ${grantColumns} FROM role_grant WHERE id = ?`, id);
    return row && grantOf(row);
  }

  /** All grants of a role, in the order they were made. */
  grantsOf(roleId: number): Grant[] {
    return this.#all<GrantRow>(
      `SELECT ${grantColumns} FROM role_grant WHERE role_id = ? ORDER BY id`,
      roleId,
    ).map(grantOf);
  }

  tokenByName(name: string): Token | undefined {
    return this.#named<Token>(`SELECT ${tokenColumns} FROM token WHERE`, name);
  }

  tokenById(id: number): Token | undefined {
    return this.#get<Token>(`SELECT ${tokenColumns} FROM token WHERE id = ?`, id);
  }

  tsigKeyByName(name: string): TsigKey | undefined {
    return this.#get<TsigKey>(`SELECT ${tsigKeyColumns} FROM tsig_key WHERE name = ?`, name);
  }

  listedRole(name: string): ListedRole | undefined {
    const select = `SELECT ${roleColumns}, ${roleCounts} FROM role WHERE`;
    const row = this.#named<ListedRoleRow>(select, name);
    return row && { ...row, builtin: row.builtin === 1 };
  }

  /** Ordered by name. */
  listRoles(page: Page): Listed<ListedRole> {
    const rows = this.#all<ListedRoleRow>(
      `SELECT ${roleColumns}, ${roleCounts} FROM role ORDER BY name LIMIT ? OFFSET ?`,
      page.limit,
      page.offset,
    );
    const items = rows.map((row) => ({ ...row, builtin: row.builtin === 1 }));
    return { items, total: this.#count('role') };
  }

  /** In the order they were made. */
  listGrants(roleId: number, page: Page): Listed<ListedGrant> {
    const rows = this.#all<GrantRow & { roleName: string; zoneName: string | null }>(
      `SELECT ${grantColumns}, role.name AS roleName, zone.name AS zoneName FROM role_grant
       JOIN role ON role.id = role_id LEFT JOIN zone ON zone.id = zone_id
       WHERE role_id = ? ORDER BY role_grant.id LIMIT ? OFFSET ?`,
      roleId,
      page.limit,
      page.offset,
    );
    const items = rows.map((row) => ({ ...row, ...grantOf(row) }));
    return { items, total: this.#count('role_grant WHERE role_id = ?', roleId) };
  }

  listedToken(id: number): ListedToken | undefined {
    return this.#get<ListedToken>(`${tokenSelect} WHERE token.id = ?`, id);
  }

  /** Ordered by name; of one role when it is given. */
  listTokens(roleId: number | undefined, page: Page): Listed<ListedToken> {
    const { where, values } = ofRole('token', roleId);
    const items = this.#all<ListedToken>(
      `${tokenSelect} ${where} ORDER BY token.name LIMIT ? OFFSET ?`,
      ...values,
      page.limit,
      page.offset,
    );
    return { items, total: this.#count(`token ${where}`, ...values) };
  }

  listedTsigKey(name: string): ListedTsigKey | undefined {
    return this.#get<ListedTsigKey>(`${tsigKeySelect} WHERE tsig_key.name = ?`, name);
  }

  /** Ordered by name; of one role when it is given. */
  listTsigKeys(roleId: number | undefined, page: Page): Listed<ListedTsigKey> {
    const { where, values } = ofRole('tsig_key', roleId);
    const items = this.#all<ListedTsigKey>(
      `${tsigKeySelect} ${where} ORDER BY tsig_key.name LIMIT ? OFFSET ?`,
      ...values,
      page.limit,
      page.offset,
    );
    return { items, total: this.#count(`tsig_key ${where}`, ...values) };
  }
}

const roleCounts = `
  (SELECT count(*) FROM role_grant WHERE role_id = role.id) AS grantCount,
  (SELECT count(*) FROM token WHERE role_id = role.id) AS tokenCount,
  (SELECT count(*) FROM tsig_key WHERE role_id = role.id) AS tsigKeyCount`;

const tokenSelect = `SELECT ${tokenColumns}, role.name AS roleName, last_used_at AS lastUsedAt
  FROM token JOIN role ON role.id = role_id LEFT JOIN token_use ON token_use.token_id = token.id`;

const tsigKeySelect = `SELECT ${tsigKeyColumns}, role.name AS roleName
  FROM tsig_key JOIN role ON role.id = role_id`;

function ofRole(table: string, roleId: number | undefined): { where: string; values: number[] } {
  if (roleId === undefined) return { where: '', values: [] };
  return { where: `WHERE ${table}.role_id = ?`, values: [roleId] };
}
