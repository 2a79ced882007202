/**
 * Changes: all that can be done is done. What can not be a record, and what the service names when it refuses, is left
 * out together with its ownership, and the rest is sent again; so one tenant's endpoint never keeps others waiting.
 *
 * Many changes are sent in parts of whole names, one transaction each, before the time of the call is over. What is
 * left then is asked for again by the controller's next sync, which has less to do. The guards of zones judge all parts
 * as one: dry runs say first what all of them delete, and each part comes with what is left of that. Where the time is
 * over before all is counted, the next call goes on with the rest (counted.ts).
 */
import { limits } from '../base/limits.ts';
import {
  changesOf,
  type Item,
  ownershipIn,
  parseChanges,
  partsOf,
  sendDivided,
  unfitOf,
} from './changes.ts';
import type { CountedParts, Deletions, Group } from './counted.ts';
import type { LeftOut } from './left-out.ts';
import { badGateway, WebhookProblem, type Unfit, unfitFor } from './problem.ts';
import type { ServiceClient } from './service-client.ts';

/** What was left out, and what came of it all for the log. */
export async function applyChanges(service: ServiceClient, body: unknown, counted: CountedParts) {
  const items = parseChanges(body);
  const work = new Application(service, items, counted);
  for (const item of items) {
    const unfit = unfitOf(item);
    if (unfit !== undefined) work.leaveOut([[item, unfit]]);
  }
  const parts = partsOf(work.staying(items), limits.externalDnsItems);
  if (parts.length > 1) await work.countDeletions();
  for (const part of parts) await work.send(part);
  counted.forget();
  const { added, deleted, changedZones } = work;
  const logged = { items: items.length, parts: parts.length, added, deleted };
  return { leftOut: work.leftOut(), logged: { ...logged, changedZones: [...changedZones].sort() } };
}

/** What the service answers to changes. */
type Answer = Readonly<Record<string, unknown>>;

class Application {
  readonly changedZones = new Set<string>();
  added = 0;
  deleted = 0;
  readonly #service: ServiceClient;
  readonly #items: readonly Item[];
  readonly #counted: CountedParts;
  readonly #leftOut = new Map<Item, Unfit>();
  /** What is still to be deleted, by zone; undefined as long as all items are in one call. */
  #deletions: Map<string, number> | undefined;
  /** Endpoints and their ownership, each to the others. */
  readonly #belonging: ReadonlyMap<Item, readonly { readonly other: Item }[]>;

  constructor(service: ServiceClient, items: readonly Item[], counted: CountedParts) {
    this.#service = service;
    this.#items = items;
    this.#counted = counted;
    const pairs = [...ownershipIn(items)].flatMap(([note, of]) => [
      { item: note, other: of },
      { item: of, other: note },
    ]);
    this.#belonging = Map.groupBy(pairs, ({ item }) => item);
  }

  leftOut(): LeftOut[] {
    return [...this.#leftOut].map(([{ endpoint, list }, unfit]) => ({ endpoint, list, ...unfit }));
  }

  staying(items: readonly Item[]): Item[] {
    return items.filter((item) => !this.#leftOut.has(item));
  }

  /** Each with a reason of its own, before those that belong to one of them. */
  leaveOut(all: readonly (readonly [Item, Unfit])[]): void {
    const staying = all.filter(([item]) => !this.#leftOut.has(item));
    for (const [item, unfit] of staying) this.#leftOut.set(item, unfit);
    for (const [item, unfit] of staying) {
      const { dnsName, recordType } = item.endpoint;
      const message = `it belongs to ${dnsName} ${recordType}, which is left out: ${unfit.message}`;
      for (const { other } of this.#belonging.get(item) ?? []) {
        this.leaveOut([[other, { reason: 'partner', message }]]);
      }
    }
  }

  /** Asks what all items delete, once, before they are sent in several calls. Changes nothing. */
  async countDeletions(): Promise<void> {
    if (this.#deletions !== undefined) return;
    const found = new Map<string, number>();
    const add = (deletions: Deletions) => {
      for (const [zone, deleted] of deletions) found.set(zone, (found.get(zone) ?? 0) + deleted);
    };
    const size = limits.externalDnsItems;
    const groups = partsOf(this.staying(this.#items), size).flat();
    const deleting = groups.filter((group) => group.find(({ list }) => list !== 'creates'));
    const { deletions, open } = this.#counted.known(deleting);
    add(deletions);
    for (const part of partsOf(open.flat(), size)) {
      await this.#divided(part, async (asked) => {
        const counted = deletionsIn(await this.#ask(asked.flat(), { dry_run: true }));
        this.#counted.keep(asked, counted);
        add(counted);
      });
    }
    this.#deletions = found;
  }

  /** Sends the items of groups, until the service takes what stays of them. */
  send(groups: readonly Group[]): Promise<void> {
    return this.#divided(groups, async (part) => {
      if (part.length < groups.length) await this.countDeletions();
      const left = this.#deletions;
      const known = [...(left ?? [])].map(([zone, count]) => ({ zone_name: zone, count }));
      const answer = await this.#ask(part.flat(), left === undefined ? {} : { deletions: known });
      if (answer === undefined) return;
      this.#count(answer);
      if (left === undefined) return;
      for (const [zone, deleted] of deletionsIn(answer)) {
        left.set(zone, Math.max(0, (left.get(zone) ?? 0) - deleted));
      }
    });
  }

  #divided(
    groups: readonly Group[],
    send: (part: readonly Group[]) => Promise<void>,
  ): Promise<void> {
    const leaveOut = (group: Group, unfit: Unfit) => {
      for (const item of group) this.leaveOut([[item, unfit]]);
    };
    return sendDivided(groups, send, leaveOut);
  }

  /**
   * Sends again without what a refusal names; fails with a refusal that names nothing. Undefined when nothing stays.
   */
  async #ask(items: readonly Item[], more: object): Promise<Answer | undefined> {
    for (;;) {
      const sent = this.staying(items);
      if (sent.length === 0) return undefined;
      const body = { ...changesOf(sent), ...more };
      try {
        return await this.#service.post<Answer>('/external-dns/changes', body);
      } catch (error) {
        if (!(error instanceof WebhookProblem) || !this.#leaveOutNamed(sent, error)) throw error;
      }
    }
  }

  /** Whether the refusal of `sent` names any of it. */
  #leaveOutNamed(sent: readonly Item[], { errors }: WebhookProblem): boolean {
    const byList = Map.groupBy(sent, ({ list }) => list as string);
    const named = errors.flatMap((error) => {
      const item = byList.get(error.list)?.[error.index];
      return item === undefined ? [] : [[item, unfitFor(error)] as const];
    });
    this.leaveOut(named);
    return named.length > 0;
  }

  #count(answer: Answer): void {
    this.added += Number(answer.added ?? 0);
    this.deleted += Number(answer.deleted ?? 0);
    const zones = answer.changed_zones;
    for (const zone of Array.isArray(zones) ? zones : []) this.changedZones.add(String(zone));
  }
}

/** Of the answer to a part of changes: what its guards count, by zone. */
function deletionsIn(answer: Answer | undefined): Deletions {
  if (answer === undefined) return [];
  const { deletions } = answer;
  if (!Array.isArray(deletions)) throw badGateway('the service answered without deletions');
  return deletions.map(({ zone_name: zone, count }) => [String(zone), Number(count)]);
}
