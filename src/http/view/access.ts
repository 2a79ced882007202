/** Roles, grants, tokens and TSIG keys: for who manages access, and for each token what it is itself. */
import { assert, Problem } from '../../base/problem.ts';
import { parseAbsoluteName } from '../../dns/name.ts';
import type { TsigKeyFields } from '../../dns/wire/tsig-key.ts';
import type { Rights } from '../../domain/access/rights.ts';
import { noRole, noTsigKey, seesAccess } from '../../domain/access/visibility.ts';
import type { Actor } from '../../engine/submission.ts';
import type {
  ListedGrant,
  ListedRole,
  ListedToken,
  ListedTsigKey,
} from '../../projection/access-queries.ts';
import type { Listed, Page } from '../../projection/page.ts';
import { nothingListed } from '../present/list.ts';
import type { Stored } from '../services.ts';

type Sources = Pick<Stored, 'access' | 'keystore' | 'rights' | 'tokenUse'>;

export class AccessView {
  readonly #stored: Sources;
  readonly #rights: Rights;

  constructor(stored: Sources, rights: Rights) {
    this.#stored = stored;
    this.#rights = rights;
  }

  roles(page: Page): Listed<ListedRole> {
    return this.#manages ? this.#stored.access.listRoles(page) : nothingListed;
  }

  role(written: string): ListedRole {
    const name = written.trim().toLowerCase();
    const role = this.#manages ? this.#stored.access.listedRole(name) : undefined;
    if (role === undefined) throw noRole(name);
    return role;
  }

  grantsOf(roleName: string, page: Page): Listed<ListedGrant> {
    return this.#stored.access.listGrants(this.role(roleName).id, page);
  }

  /** Of one role when it is named; an empty name is no filter. */
  async tokens(roleName: string | undefined, page: Page): Promise<Listed<ListedToken>> {
    const roleId = this.#roleIdOf(roleName);
    if (!this.#manages) return nothingListed;
    await this.#stored.tokenUse.flush();
    return this.#stored.access.listTokens(roleId, page);
  }

  /** The token that a call is made with. */
  async ownToken(actor: Actor | null): Promise<ListedToken> {
    if (actor === null) {
      throw new Problem(
        'UNAUTHORIZED',
        'this call is made without a token, so there is none to show',
      );
    }
    await this.#stored.tokenUse.flush();
    const token = this.#stored.access.listedToken(actor.id);
    if (token === undefined) {
      throw new Problem('INVALID_TOKEN', 'the token is unknown or has expired');
    }
    return token;
  }

  async ownGrants(actor: Actor | null, page: Page): Promise<Listed<ListedGrant>> {
    return this.#stored.access.listGrants((await this.ownToken(actor)).roleId, page);
  }

  /** Of one role when it is named; an empty name is no filter. */
  tsigKeys(roleName: string | undefined, page: Page): Listed<ListedTsigKey> {
    const roleId = this.#roleIdOf(roleName);
    return this.#manages ? this.#stored.access.listTsigKeys(roleId, page) : nothingListed;
  }

  tsigKey(written: string): { readonly key: ListedTsigKey; readonly secret: Buffer } {
    const name = tsigKeyName(written);
    const key = this.#manages ? this.#stored.access.listedTsigKey(name) : undefined;
    if (key === undefined) throw noTsigKey(name);
    return { key, secret: this.#secretOf(key) };
  }

  /**
   * A key that the caller may sign a transfer with: who manages access any, others one whose role allows nothing
   * that they do not hold themselves. Else it is unknown.
   */
  signingKey(written: string): TsigKeyFields {
    const name = tsigKeyName(written);
    const key = this.#stored.access.listedTsigKey(name);
    if (key === undefined || !(this.#manages || this.#holdsAllOf(key.roleId)))
      throw noTsigKey(name);
    const { algorithm } = key;
    return { name: parseAbsoluteName(key.name), algorithm, secret: this.#secretOf(key) };
  }

  #holdsAllOf(roleId: number): boolean {
    return this.#rights.include(this.#stored.rights.ofRole(roleId));
  }

  #secretOf({ id, name }: ListedTsigKey): Buffer {
    const secret = this.#stored.keystore.tsigSecret(id);
    assert(secret !== undefined, `the secret of TSIG key '${name}' is missing`);
    return secret;
  }

  #roleIdOf(written: string | undefined): number | undefined {
    return written === undefined || written.trim() === '' ? undefined : this.role(written).id;
  }

  get #manages(): boolean {
    return seesAccess(this.#rights);
  }
}

function tsigKeyName(written: string): string {
  return written.trim().toLowerCase().replace(/\.$/, '');
}
