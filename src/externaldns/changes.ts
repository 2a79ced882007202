/**
 * The changes that the controller posts, as items that the service judges one by one: creations, deletions, and
 * updates, which come as two lists of the same length, pair by pair.
 */
import { comparable, type Endpoint, parseEndpoints, recordOf } from './endpoint.ts';
import { badRequest, type Unfit } from './refusal.ts';

/** The lists as the service calls them. */
export const itemLists = ['creates', 'deletes', 'updates'] as const;
export type ItemList = (typeof itemLists)[number];

export interface Item {
  readonly list: ItemList;
  /** What it is about; of an update the new endpoint. */
  readonly endpoint: Endpoint;
  /** Of an update: what it replaces. */
  readonly old: Endpoint | undefined;
  /** Names as they are compared: its own ones, and that of the record whose ownership it notes. */
  readonly names: readonly string[];
  readonly owned: string | undefined;
}

export function parseChanges(body: unknown): Item[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest('the body must be an object with create, updateOld, updateNew and delete');
  }
  const listOf = (name: string) => {
    // Controllers before the names had their tags wrote them as Go does.
    const capitalised = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const lists = body as Readonly<Record<string, unknown>>;
    return parseEndpoints(lists[name] ?? lists[capitalised], name);
  };
  const [before, after] = [listOf('updateOld'), listOf('updateNew')];
  if (before.length !== after.length) {
    throw badRequest(`updateOld has ${before.length} endpoints, updateNew ${after.length}`);
  }
  return [
    ...listOf('create').map((endpoint) => itemOf('creates', endpoint)),
    ...listOf('delete').map((endpoint) => itemOf('deletes', endpoint)),
    ...after.map((endpoint, index) => itemOf('updates', endpoint, before[index])),
  ];
}

function itemOf(list: ItemList, endpoint: Endpoint, old?: Endpoint): Item {
  const owned = ownedRecordOf(endpoint);
  const names = new Set([endpoint, ...(old === undefined ? [] : [old])].map(nameOf));
  if (owned !== undefined) names.add(owned);
  return { list, endpoint, old, names: [...names], owned };
}

export function nameOf({ dnsName }: Endpoint): string {
  return comparable(dnsName);
}

/** The record whose ownership a TXT notes, where the controller says it (its label `ownedRecord`). */
function ownedRecordOf({ recordType, labels }: Endpoint): string | undefined {
  if (recordType !== 'TXT' || typeof labels !== 'object' || labels === null) return undefined;
  const { ownedRecord } = labels as Readonly<Record<string, unknown>>;
  return typeof ownedRecord === 'string' ? comparable(ownedRecord) : undefined;
}

/** Why an item can not be sent at all. */
export function unfitOf({ endpoint, old }: Item): Unfit | undefined {
  return endpoint.unfit ?? old?.unfit;
}

/** Items as the service takes them; each list in the order of the items. */
export function changesOf(items: readonly Item[]): object {
  const of = (list: ItemList) => items.filter((item) => item.list === list);
  return {
    creates: of('creates').map(({ endpoint }) => recordOf(endpoint)),
    deletes: of('deletes').map(({ endpoint }) => recordOf(endpoint)),
    updates: of('updates').map(({ endpoint, old }) => {
      return { old: recordOf(old!), new: recordOf(endpoint) };
    }),
    exclusive: true,
  };
}
