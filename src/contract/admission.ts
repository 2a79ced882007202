/**
 * Admission: what is asked of a caller before an octet of the body of its request is read. It is as much
 * of the action that an operation needs as path and query tell; the rest the law asks when the body is known.
 *
 * Whoever is not admitted is answered as the operation itself would answer: what no grant reaches is missing.
 */

type ActionName =
  | 'zone:read'
  | 'zone:create'
  | 'zone:update'
  | 'zone:delete'
  | 'record:read'
  | 'record:create'
  | 'record:update'
  | 'record:delete'
  | 'dnssec:read'
  | 'dnssec:manage'
  | 'secondary:read'
  | 'secondary:manage'
  | 'access:manage';

type RecordActionName = Extract<ActionName, `record:${string}`>;

/** Kinds of named things that only some callers know of. */
export type GuardedKind = 'secondary' | 'role' | 'api-token' | 'tsig-key' | 'policy';

export type Admission =
  /** Everybody, without a token. */
  | { readonly by: 'anyone' }
  /** Whoever has a token; lists are filtered row by row. */
  | { readonly by: 'token' }
  | { readonly by: 'everywhere'; readonly action: ActionName }
  /** In the zone that the path or the query names; without an action, any grant that reaches it. */
  | { readonly by: 'zone'; readonly action?: ActionName; readonly whole?: false }
  /** The same, with no narrowing of names or types. */
  | { readonly by: 'zone'; readonly action: RecordActionName; readonly whole: true }
  /** On the name that the query gives, and on its type or all of them. */
  | { readonly by: 'records'; readonly action: RecordActionName }
  /** In the zone of the path, which may be the catalog: then in all zones. */
  | { readonly by: 'zone-or-catalog'; readonly action: ActionName }
  /** In any zone: the body says in which. */
  | { readonly by: 'body'; readonly action: ActionName; readonly or?: ActionName }
  /** Into the zone of the path, or into one that is made: the body says whether. */
  | { readonly by: 'import' }
  /** On the record of an id. */
  | { readonly by: 'record'; readonly action: RecordActionName }
  /** On any record: the one of the id may have stood elsewhere before, or be deleted. */
  | { readonly by: 'record-ever'; readonly action: RecordActionName }
  | { readonly by: GuardedKind; readonly action: ActionName };
