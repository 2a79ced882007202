/**
 * Roles, grants, tokens and TSIG keys: for who manages access, and for each token what it is itself. Secondaries and
 * DNSSEC policies: for a caller all or none.
 */
import { limits } from '../../base/limits.ts';
import { assert, Problem } from '../../base/problem.ts';
import { parseAbsoluteName } from '../../dns/name.ts';
import type { TsigKeyFields } from '../../dns/wire/tsig-key.ts';
import type { Role } from '../../domain/access/model.ts';
import { requireEverywhere } from '../../domain/access/require.ts';
import {
  findSeen,
  missing,
  type NamedKind,
  policies,
  requireNamed,
  roles,
  secondaries,
  seesAccess,
  tsigKeys,
  webhooks,
} from '../../domain/access/visibility.ts';
import type { DnssecPolicy } from '../../domain/dnssec-policy.ts';
import type { Secondary } from '../../domain/secondary.ts';
import type { Webhook } from '../../domain/webhook.ts';
import { normaliseZoneName } from '../../domain/zone.ts';
import type { Actor } from '../../writer/submission.ts';
import type {
  ListedGrant,
  ListedRole,
  ListedToken,
  ListedTsigKey,
} from '../../query/access-queries.ts';
import type { Listed, Page } from '../../projection/page.ts';
import { nothingListed } from '../fields.ts';
import { ViewPart, ZoneView } from './zones.ts';

/** A token or a TSIG key. */
export interface FoundActor {
  readonly kind: 'token' | 'tsig_key';
  readonly name: string;
}

export class AccessView extends ViewPart {
  roles(page: Page): Listed<ListedRole> {
    return this.#manages ? this.stored.access.listRoles(page) : nothingListed;
  }

  role(raw: string): ListedRole {
    return findSeen(roles, this.rights, raw, (name) => this.stored.access.listedRole(name));
  }

  /** A role as a command of the caller left it, which another one of the same commit may have deleted. */
  asChanged(role: Role): ListedRole {
    const counts = { grantCount: 0, tokenCount: 0, tsigKeyCount: 0 };
    return { ...counts, ...this.stored.access.listedRole(role.name), ...role };
  }

  grantsOf(roleName: string, page: Page): Listed<ListedGrant> {
    return this.stored.access.listGrants(this.role(roleName).id, page);
  }

  /** Of one role when it is named; an empty name is no filter. */
  tokens(roleName: string | undefined, page: Page): Listed<ListedToken> {
    const roleId = this.#roleIdOf(roleName);
    if (!this.#manages) return nothingListed;
    const listed = this.stored.access.listTokens(roleId, page);
    return { ...listed, items: listed.items.map((token) => this.#withUse(token)) };
  }

  /** The token that a call is made with. */
  ownToken(actor: Actor | null): ListedToken {
    if (actor === null) {
      throw new Problem(
        'UNAUTHORIZED',
        'this call is made without a token, so there is none to show',
      );
    }
    const token = this.stored.access.listedToken(actor.id);
    if (token === undefined) {
      throw new Problem('INVALID_TOKEN', 'the token is unknown or has expired');
    }
    return this.#withUse(token);
  }

  ownGrants(actor: Actor | null, page: Page): Listed<ListedGrant> {
    return this.stored.access.listGrants(this.ownToken(actor).roleId, page);
  }

  /** A use that is not written yet counts too. */
  #withUse(token: ListedToken): ListedToken {
    const use = this.stored.tokenUse.buffered(token.id);
    return use === undefined ? token : { ...token, lastUsedAt: use.at, lastUsedFrom: use.from };
  }

  /** Tokens and TSIG keys by a part of their name, `limit` of each at most. */
  search(text: string, limit: number): readonly FoundActor[] {
    const named = (kind: FoundActor['kind'], list: (page: Page) => Listed<{ name: string }>) => {
      const found: FoundActor[] = [];
      let page: Page = { limit: limits.pageMaximum, offset: 0 };
      while (true) {
        const { items, next } = list(page);
        for (const { name } of items) {
          if (name.toLowerCase().includes(text) && found.length < limit) found.push({ kind, name });
        }
        if (next === undefined) return found;
        page = { ...page, after: next };
      }
    };
    return [
      ...named('token', (page) => this.tokens(undefined, page)),
      ...named('tsig_key', (page) => this.tsigKeys(undefined, page)),
    ];
  }

  /** Of one role when it is named; an empty name is no filter. */
  tsigKeys(roleName: string | undefined, page: Page): Listed<ListedTsigKey> {
    const roleId = this.#roleIdOf(roleName);
    return this.#manages ? this.stored.access.listTsigKeys(roleId, page) : nothingListed;
  }

  tsigKey(raw: string): { readonly key: ListedTsigKey; readonly secret: Buffer } {
    const { access } = this.stored;
    const key = findSeen(tsigKeys, this.rights, raw, (name) => access.listedTsigKey(name));
    return { key, secret: this.#secretOf(key) };
  }

  /**
   * A key that the caller may sign a transfer with: who manages access any, others one whose role allows nothing
   * that they do not hold themselves. Else it is unknown.
   */
  signingKey(raw: string): TsigKeyFields {
    const { access } = this.stored;
    const key = requireNamed(tsigKeys, raw, (name) => access.listedTsigKey(name));
    if (!this.#manages && !this.#holdsAllOf(key.roleId)) throw missing(tsigKeys, key.name);
    const { algorithm } = key;
    return { name: parseAbsoluteName(key.name), algorithm, secret: this.#secretOf(key) };
  }

  #holdsAllOf(roleId: number): boolean {
    return this.rights.include(this.stored.rights.ofRole(roleId));
  }

  #secretOf({ id, name }: ListedTsigKey): Buffer {
    const secret = this.stored.keystore.tsigSecret(id);
    assert(secret !== undefined, `the secret of TSIG key '${name}' is missing`);
    return secret;
  }

  #roleIdOf(raw: string | undefined): number | undefined {
    return raw === undefined || raw.trim() === '' ? undefined : this.role(raw).id;
  }

  get #manages(): boolean {
    return seesAccess(this.rights);
  }
}

/** What has names and is in no zone: all of a kind, or none. */
abstract class NamedView<Row> extends ViewPart {
  protected abstract readonly kind: NamedKind<Row>;
  protected abstract readonly rows: {
    list(page: Page): Listed<Row>;
    byName(name: string): Row | undefined;
  };

  list(page: Page): Listed<Row> {
    if (!this.kind.sees(this.rights)) return nothingListed;
    this.#requireRead();
    return this.rows.list(page);
  }

  get(raw: string): Row {
    const row = findSeen(this.kind, this.rights, raw, (name) => this.rows.byName(name));
    this.#requireRead();
    return row;
  }

  #requireRead(): void {
    const { readWith } = this.kind;
    if (readWith !== undefined) requireEverywhere(this.rights, readWith);
  }
}

export class SecondaryView extends NamedView<Secondary> {
  protected readonly kind = secondaries;
  protected readonly rows = this.stored.secondaries;

  /** One that the caller may have tried. */
  managed(raw: string): Secondary {
    const secondary = this.get(raw);
    requireEverywhere(this.rights, 'secondary:manage');
    return secondary;
  }

  /** What a secondary fetched: of one zone that the caller sees, or of the catalog, when it is named. */
  async transfers(raw: string, zoneName: string | undefined, limit: number) {
    const { options, prober, transfers } = this.stored;
    const secondary = this.get(raw);
    const wanted = zoneName === undefined ? '' : normaliseZoneName(zoneName);
    const isCatalog = wanted === options.catalogZoneName;
    const ofZone =
      wanted === '' || isCatalog ? wanted : new ZoneView(this.stored, this.rights).get(wanted).name;
    const addresses = await prober.addressesOf(secondary);
    const filter = { addresses, zoneName: ofZone === '' ? undefined : ofZone };
    const summary = await transfers.summary(filter);
    return { secondary, summary, entries: transfers.list(filter, limit) };
  }
}

export class WebhookView extends NamedView<Webhook> {
  protected readonly kind = webhooks;
  protected readonly rows = this.stored.webhooks;
}

export class PolicyView extends NamedView<DnssecPolicy> {
  protected readonly kind = policies;
  protected readonly rows = this.stored.policies;
}
