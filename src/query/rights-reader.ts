/**
 * The rights of roles, compiled from their grants, tokens and TSIG keys: kept until access changes.
 *
 * Whoever writes calls `forget` whenever a grant, role or token may have changed, also when such a
 * change was rolled back, so that what is kept never outlives what is stored. Others hear of it (`heard`)
 * with what is committed, before anybody is answered.
 */
import type { Token, TsigKey } from '../domain/access/model.ts';
import { compileGrant, fullRights, Rights } from '../domain/access/rights.ts';
import { type AdministrationEvent, isZoneEvent, type ZoneEvent } from '../domain/event.ts';
import type { AccessQueries } from './access-queries.ts';

/** What it has to know of an event. */
type Heard = AdministrationEvent | (Pick<ZoneEvent, 'kind'> & { readonly isThere: boolean });

export class RightsReader {
  readonly #access: AccessQueries;
  readonly #rights = new Map<number, Rights>();
  readonly #tokens = new Map<number, Token>();
  readonly #tsigKeys = new Map<string, TsigKey>();

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
        : new Rights(
            role === undefined ? [] : this.#access.grantsOf(roleId).map(compileGrant),
            false,
            role?.reasonRequired ?? false,
          );
      this.#rights.set(roleId, rights);
    }
    return rights;
  }

  /** A token by its id, kept like rights are: every request of it asks twice. */
  token(id: number): Token | undefined {
    let token = this.#tokens.get(id);
    if (token === undefined) {
      token = this.#access.tokenById(id);
      if (token !== undefined) this.#tokens.set(id, token);
    }
    return token;
  }

  /** A TSIG key by its name; names nobody has are not kept, as anybody can make them up. */
  tsigKey(name: string): TsigKey | undefined {
    let key = this.#tsigKeys.get(name);
    if (key === undefined) {
      key = this.#access.tsigKeyByName(name);
      if (key !== undefined) this.#tsigKeys.set(name, key);
    }
    return key;
  }

  /** Takes in what was committed: of access, or the end of a zone that grants named. */
  heard(events: readonly { readonly event: Heard }[]): void {
    if (events.some(({ event }) => !isZoneEvent(event) || !event.isThere)) this.forget();
  }

  forget(): void {
    this.#rights.clear();
    this.#tokens.clear();
    this.#tsigKeys.clear();
  }
}
