/** The changes that the controller posts: updates come as two lists of the same length, pair by pair. */
import { parseEndpoints, recordOf, type ServiceRecord } from './endpoint.ts';
import { badRequest } from './refusal.ts';

export interface ServiceChanges {
  readonly creates: readonly ServiceRecord[];
  readonly deletes: readonly ServiceRecord[];
  readonly updates: readonly { readonly old: ServiceRecord; readonly new: ServiceRecord }[];
}

export function parseChanges(body: unknown): ServiceChanges {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest('the body must be an object with create, updateOld, updateNew and delete');
  }
  const listOf = (name: string) => {
    // Controllers before the names had their tags wrote them as Go does.
    const capitalised = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const lists = body as Readonly<Record<string, unknown>>;
    return parseEndpoints(lists[name] ?? lists[capitalised], name).map(recordOf);
  };
  const [before, after] = [listOf('updateOld'), listOf('updateNew')];
  if (before.length !== after.length) {
    throw badRequest(`updateOld has ${before.length} endpoints, updateNew ${after.length}`);
  }
  return {
    creates: listOf('create'),
    deletes: listOf('delete'),
    updates: before.map((old, index) => ({ old, new: after[index]! })),
  };
}
