/** Reads of roles, grants, tokens and TSIG keys. */
import { and, eq, getTableColumns, type SQL } from 'drizzle-orm';
import type { Grant, Role, Token, TsigKey } from '../domain/access/model.ts';
import { findNamed } from '../domain/identifier.ts';
import type { Connection } from '../journal/database.ts';
import { role, roleGrant, token, tokenUse, tsigKey, zone } from '../projection/schema.ts';
import { type Listed, type Page, pageOf } from '../projection/page.ts';
import {
  countOf,
  given,
  preparedOnce,
  rowBy,
  type Tables,
  tablesOf,
  within,
} from '../projection/tables.ts';

/** A token as it is listed: when it was last used, and from where, is operational knowledge. */
export interface ListedToken extends Token {
  readonly lastUsedAt: number | null;
  /** The address of the client. */
  readonly lastUsedFrom: string | null;
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

export interface ListedGrant extends Grant {
  readonly roleName: string;
  readonly zoneName: string | null;
}

const byName = ({ name }: typeof role | typeof token | typeof tsigKey) =>
  [{ column: name, field: 'name' }] as const;

const preparedIn = preparedOnce((tables) => ({
  roleNamed: rowBy(tables, role, role.name),
  tokenNamed: rowBy(tables, token, token.name),
  roleById: rowBy(tables, role, role.id),
  grantById: rowBy(tables, roleGrant, roleGrant.id),
  tokenById: rowBy(tables, token, token.id),
  tsigKeyByName: rowBy(tables, tsigKey, tsigKey.name),
  rolesIn: tables
    .selectDistinct({ name: role.name })
    .from(roleGrant)
    .innerJoin(role, eq(role.id, roleGrant.roleId))
    .where(eq(roleGrant.zoneId, given('zoneId')))
    .orderBy(role.name)
    .prepare(),
}));

export class AccessQueries {
  readonly #tables: Tables;
  readonly #prepared: ReturnType<typeof preparedIn>;
  readonly roleById: (id: number) => Role | undefined;
  readonly grantById: (id: number) => Grant | undefined;
  readonly tokenById: (id: number) => Token | undefined;
  readonly tsigKeyByName: (name: string) => TsigKey | undefined;

  constructor(connection: Connection) {
    this.#tables = tablesOf(connection);
    this.#prepared = preparedIn(connection);
    this.roleById = this.#prepared.roleById;
    this.grantById = this.#prepared.grantById;
    this.tokenById = this.#prepared.tokenById;
    this.tsigKeyByName = this.#prepared.tsigKeyByName;
  }

  roleByName(name: string): Role | undefined {
    return findNamed(name, this.#prepared.roleNamed, this.roleById);
  }

  /** Names of what a role is given to, in their order. */
  roleHolders(roleId: number): { tokens: string[]; tsigKeys: string[] } {
    const names = (table: typeof token | typeof tsigKey) =>
      this.#tables
        .select({ name: table.name })
        .from(table)
        .where(eq(table.roleId, roleId))
        .orderBy(table.name)
        .all()
        .map(({ name }) => name);
    return { tokens: names(token), tsigKeys: names(tsigKey) };
  }

  /** All grants of a role, in the order they were made. */
  grantsOf(roleId: number): Grant[] {
    const ofRole = eq(roleGrant.roleId, roleId);
    return this.#tables.select().from(roleGrant).where(ofRole).orderBy(roleGrant.id).all();
  }

  /** Names of the roles with grants in a zone alone, in their order. */
  rolesIn(zoneId: number): string[] {
    return this.#prepared.rolesIn.all({ zoneId }).map(({ name }) => name);
  }

  tokenByName(name: string): Token | undefined {
    return findNamed(name, this.#prepared.tokenNamed, this.tokenById);
  }

  listedRole(name: string): ListedRole | undefined {
    const known = this.roleByName(name);
    return known && this.#roles().where(eq(role.id, known.id)).get();
  }

  /** Ordered by name. */
  listRoles(page: Page): Listed<ListedRole> {
    const rows = (behind: SQL | undefined) => this.#roles().where(behind);
    return pageOf(rows, byName(role), page, countOf(this.#tables, role));
  }

  #roles() {
    const count = (table: typeof roleGrant | typeof token | typeof tsigKey) =>
      this.#tables.$count(table, eq(table.roleId, role.id));
    return this.#tables
      .select({
        ...getTableColumns(role),
        grantCount: count(roleGrant),
        tokenCount: count(token),
        tsigKeyCount: count(tsigKey),
      })
      .from(role);
  }

  /** In the order they were made. */
  listGrants(roleId: number, page: Page): Listed<ListedGrant> {
    const ofRole = eq(roleGrant.roleId, roleId);
    const grants = (behind: SQL | undefined) =>
      this.#tables
        .select({ ...getTableColumns(roleGrant), roleName: role.name, zoneName: zone.name })
        .from(roleGrant)
        .innerJoin(role, eq(role.id, roleGrant.roleId))
        .leftJoin(zone, eq(zone.id, roleGrant.zoneId))
        .where(and(ofRole, behind));
    const byId = [{ column: roleGrant.id, field: 'id' }] as const;
    return pageOf(grants, byId, page, countOf(this.#tables, roleGrant, ofRole));
  }

  listedToken(id: number): ListedToken | undefined {
    return this.#tokens().where(eq(token.id, id)).get();
  }

  /** Ordered by name; of one role when it is given. */
  listTokens(roleId: number | undefined, page: Page): Listed<ListedToken> {
    const ofRole = within(token.roleId, roleId);
    const rows = (behind: SQL | undefined) => this.#tokens().where(and(ofRole, behind));
    return pageOf(rows, byName(token), page, countOf(this.#tables, token, ofRole));
  }

  #tokens() {
    return this.#tables
      .select({
        ...getTableColumns(token),
        roleName: role.name,
        lastUsedAt: tokenUse.lastUsedAt,
        lastUsedFrom: tokenUse.lastUsedFrom,
      })
      .from(token)
      .innerJoin(role, eq(role.id, token.roleId))
      .leftJoin(tokenUse, eq(tokenUse.tokenId, token.id));
  }

  listedTsigKey(name: string): ListedTsigKey | undefined {
    return this.#tsigKeys().where(eq(tsigKey.name, name)).get();
  }

  /** Ordered by name; of one role when it is given. */
  listTsigKeys(roleId: number | undefined, page: Page): Listed<ListedTsigKey> {
    const ofRole = within(tsigKey.roleId, roleId);
    const rows = (behind: SQL | undefined) => this.#tsigKeys().where(and(ofRole, behind));
    return pageOf(rows, byName(tsigKey), page, countOf(this.#tables, tsigKey, ofRole));
  }

  #tsigKeys() {
    return this.#tables
      .select({ ...getTableColumns(tsigKey), roleName: role.name })
      .from(tsigKey)
      .innerJoin(role, eq(role.id, tsigKey.roleId));
  }
}
