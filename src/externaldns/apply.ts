/**
 * Changes: all that can be done is done. What can not be a record, and what the service names when it refuses, is left
 * out together with its ownership, and the rest is sent again; so one tenant's endpoint never keeps others waiting.
 *
 * Many changes are sent in parts of whole names, one transaction each, before the time of the call is over. What is
 * left then is asked for again by the controller's next sync, which has less to do.
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
import type { LeftOut } from './left-out.ts';
import { WebhookProblem, type Unfit, unfitFor } from './problem.ts';
import type { ServiceClient } from './service-client.ts';

/** What was left out, and what came of it all for the log. */
export async function applyChanges(service: ServiceClient, body: unknown) {
  const items = parseChanges(body);
  const work = new Application(service, items);
  for (const item of items) {
    const unfit = unfitOf(item);
    if (unfit !== undefined) work.leaveOut(item, unfit);
  }
  const parts = partsOf(work.staying(items), limits.externalDnsItems);
  for (const part of parts) await work.send(part);
  const { added, deleted, changedZones } = work;
  const logged = { items: items.length, parts: parts.length, added, deleted };
  return { leftOut: work.leftOut(), logged: { ...logged, changedZones: [...changedZones].sort() } };
}

class Application {
  readonly changedZones = new Set<string>();
  added = 0;
  deleted = 0;
  readonly #service: ServiceClient;
  readonly #leftOut = new Map<Item, Unfit>();
  /** Endpoints and their ownership, each to the others. */
  readonly #belonging: ReadonlyMap<Item, readonly { readonly other: Item }[]>;

  constructor(service: ServiceClient, items: readonly Item[]) {
    this.#service = service;
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

  leaveOut(item: Item, unfit: Unfit): void {
    if (this.#leftOut.has(item)) return;
    this.#leftOut.set(item, unfit);
    const { dnsName, recordType } = item.endpoint;
    const message = `it belongs to ${dnsName} ${recordType}, which is left out: ${unfit.message}`;
    for (const { other } of this.#belonging.get(item) ?? []) {
      this.leaveOut(other, { reason: 'partner', message });
    }
  }

  /** Sends the items of groups, until the service takes what stays of them. */
  send(groups: readonly (readonly Item[])[]): Promise<void> {
    const leaveOut = (group: readonly Item[], unfit: Unfit) => {
      for (const item of group) this.leaveOut(item, unfit);
    };
    return sendDivided(groups, (part) => this.#sendStaying(part.flat()), leaveOut);
  }

  /** Sends again without what a refusal names; fails with a refusal that names nothing. */
  async #sendStaying(items: readonly Item[]): Promise<void> {
    for (;;) {
      const sent = this.staying(items);
      if (sent.length === 0) return;
      try {
        return this.#count(await this.#service.post('/external-dns/changes', changesOf(sent)));
      } catch (error) {
        if (!(error instanceof WebhookProblem) || !this.#leaveOutNamed(sent, error)) throw error;
      }
    }
  }

  /** Whether the refusal of `sent` names any of it. */
  #leaveOutNamed(sent: readonly Item[], { errors }: WebhookProblem): boolean {
    let isAny = false;
    const byList = Map.groupBy(sent, ({ list }) => list as string);
    for (const error of errors) {
      const item = byList.get(error.list)?.[error.index];
      if (item === undefined) continue;
      this.leaveOut(item, unfitFor(error));
      isAny = true;
    }
    return isAny;
  }

  #count(answer: Readonly<Record<string, unknown>>): void {
    this.added += Number(answer.added ?? 0);
    this.deleted += Number(answer.deleted ?? 0);
    const zones = answer.changed_zones;
    for (const zone of Array.isArray(zones) ? zones : []) this.changedZones.add(String(zone));
  }
}
