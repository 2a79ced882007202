/**
 * The rights of roles, compiled from their grants and kept until access changes.
 *
 * Whoever writes calls `forget` whenever a grant, role or token may have changed, also when such a
 * change was rolled back, so that what is kept never outlives what is stored.
 */
import { compileGrant } from '../domain/access/decide-grant.ts';
import { fullRights, Rights } from '../domain/access/rights.ts';
import type { AccessQueries } from './access-queries.ts';

export class RightsReader {
  readonly #access: AccessQueries;
  readonly #rights = new Map<number, Rights>();

  constructor(access: AccessQueries) {
    this.#access = access;
  }

  /** The rights of a role; none when there is no such role. */
  ofRole(roleId: number): Rights {
    let rights = this.#rights.get(roleId);
    if (rights === undefined) {
      const role = this.#access.roleById(roleId);
      rights = role?.builtin
        ? fullRights
        : new Rights(role === undefined ? [] : this.#access.grantsOf(roleId).map(compileGrant));
      this.#rights.set(roleId, rights);
    }
    return rights;
  }

  forget(): void {
    this.#rights.clear();
  }
}
