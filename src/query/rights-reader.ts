/**
 * The rights of roles, compiled from their grants, tokens and TSIG keys: kept until access changes.
 *
 * Whoever writes calls `forget` whenever a grant, role or token may have changed, also when such a
 * change was rolled back, so that what is kept never outlives what is stored. Other readers get
 * the events that are committed, before anybody is answered.
 */
import { Memory } from '../base/memory.ts';
import type { Token, TsigKey } from '../domain/access/model.ts';
import { compileGrant, fullRights, Rights } from '../domain/access/rights.ts';
import { type AdministrationEvent, isZoneEvent, type ZoneEvent } from '../domain/event.ts';
import type { AccessQueries } from './access-queries.ts';

/** What it has to know of an event. */
type RightsEvent = AdministrationEvent | (Pick<ZoneEvent, 'kind'> & { readonly isThere: boolean });

export class RightsReader {
  readonly #access: AccessQueries;
  readonly #rights = new Memory<number, Rights>();
  readonly #tokens = new Memory<number, Token | undefined>();
  readonly #tsigKeys = new Memory<string, TsigKey | undefined>();

  constructor(access: AccessQueries) {
    this.#access = access;
  }

  /** The rights of a role; none when there is no such role. */
  ofRole(roleId: number): Rights {
    return this.#rights.of(roleId, () => {
      const role = this.#access.roleById(roleId);
      if (role?.builtin) return fullRights;
      const grants = role === undefined ? [] : this.#access.grantsOf(roleId);
      return new Rights(grants.map(compileGrant), false, role?.reasonRequired ?? false);
    });
  }

  /** A token by its id, kept like rights are: every request of it asks twice. */
  token(id: number): Token | undefined {
    return this.#tokens.of(id, () => this.#access.tokenById(id));
  }

  /** A TSIG key by its name; names nobody has are not kept, as anybody can make them up. */
  tsigKey(name: string): TsigKey | undefined {
    return this.#tsigKeys.of(name, () => this.#access.tsigKeyByName(name));
  }

  /** Takes in what was committed: of access, or the end of a zone that grants named. */
  take(events: readonly { readonly event: RightsEvent }[]): void {
    if (events.some(({ event }) => !isZoneEvent(event) || !event.isThere)) this.forget();
  }

  forget(): void {
    this.#rights.forget();
    this.#tokens.forget();
    this.#tsigKeys.forget();
  }
}
