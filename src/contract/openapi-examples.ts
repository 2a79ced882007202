/**
 * Examples of the specification that follow from others: parameters of paths, refusals by their code,
 * and the answer of a dry run, made from the answer of the operation itself.
 */
import type { ProblemCode } from '../base/problem.ts';
import type { Route } from './route.ts';

/** Names by the collection they are in; zones too where the parameter says so itself. */
const nameIn: Readonly<Record<string, string>> = {
  zones: 'example.com',
  roles: 'dns-ops',
  tokens: 'ci',
  'tsig-keys': 'ddns.example.com',
  webhooks: 'chat',
  secondaries: 'ns2',
  'dnssec-policies': 'default',
};

const others: Readonly<Record<string, string | number>> = {
  zone_name: 'example.com',
  serial: 1,
  tag: 'before-move',
  seq: 7,
  file: 'swagger-ui.css',
};

/** What each refusal sounds like: one sentence for every code. */
const problemExamples: Readonly<Record<ProblemCode, string>> = {
  INVALID_INPUT: "unknown query parameter 'record_type': use 'type'",
  INVALID_JSON_BODY: "unknown field 'primary_ns': use 'mname'",
  INVALID_ZONE_FIELD: 'default_ttl must be 60 to 604800, not 30',
  INVALID_RECORD_NAME: "'www.example.org.' is outside zone 'example.com'",
  INVALID_RECORD_VALUE: "A: '192.0.2' is no IPv4 address",
  REASON_REQUIRED: 'the role of this caller gives a reason for every write: header Zonebook-Reason',
  UNAUTHORIZED: 'a token is needed: Authorization: Bearer <token>',
  INVALID_TOKEN: 'the token is unknown or has expired',
  FORBIDDEN: "record:create is not granted on 'www' A in zone 'example.com'",
  ENDPOINT_NOT_FOUND: 'there is no /zone here',
  ZONE_NOT_FOUND: "there is no zone 'example.com'",
  RECORD_NOT_FOUND: 'there is no record 7',
  VERSION_NOT_FOUND: "zone 'example.com' has no version 3",
  EVENT_NOT_FOUND: 'event 7 does not exist',
  SESSION_NOT_FOUND: "there is no session '9f8a6c3e5d414c1b'",
  TOKEN_NOT_FOUND: "there is no token 'ci'",
  ROLE_NOT_FOUND: "there is no role 'dns-ops'",
  ROLE_GRANT_NOT_FOUND: "role 'dns-ops' has no grant 4",
  TSIG_KEY_NOT_FOUND: "there is no TSIG key 'ddns.example.com'",
  WEBHOOK_NOT_FOUND: "there is no webhook 'chat'",
  SECONDARY_NOT_FOUND: "there is no secondary 'ns2'",
  DNSSEC_POLICY_NOT_FOUND: "there is no DNSSEC policy 'strict'",
  METHOD_NOT_ALLOWED: 'PATCH is not for this path; it takes DELETE, GET, HEAD, PUT',
  REQUEST_TIMEOUT: 'request body came more slowly than 16384 bytes a second',
  ZONE_CONFLICT: "zone 'example.com' is there already",
  RECORD_CONFLICT:
    "'www.example.com.' A has TTL 300, not 60: records of one name and type share it",
  REVERT_CONFLICT:
    "1 of what the event changed in zone 'example.com' changed again since: www A; force_names (--force-names www) " +
    'takes the names that are to go back all the same',
  EVENTS_TAKEN_BACK:
    'event 3-12 is of an epoch that this database never had, as a database was taken back: begin behind 6, to which ' +
    'it was taken back last',
  EVENT_NOT_REVERTIBLE: 'event 7: zone.signed has no inverse',
  GUARDED:
    "it deletes 120 of 200 records of zone 'example.com', more than 60; Zonebook-Allow-Deletes: 120 " +
    '(--allow-deletes 120) lets it through',
  TOKEN_CONFLICT: "token 'ci' is there already",
  ROLE_CONFLICT: "role 'dns-ops' is there already",
  ROLE_IN_USE: "role 'dns-ops' is used by token 'ci'",
  TSIG_KEY_CONFLICT: "TSIG key 'ddns.example.com' is there already",
  TSIG_KEY_IN_USE: "TSIG key 'ddns.example.com' signs the NOTIFY of secondary 'ns2'",
  WEBHOOK_CONFLICT: "webhook 'chat' is there already",
  SECONDARY_CONFLICT: "secondary 'ns2' is there already",
  DNSSEC_ALREADY_ENABLED: "zone 'example.com' is signed already",
  DNSSEC_NOT_ENABLED: "zone 'example.com' is not signed",
  DNSSEC_ROLLOVER_IN_PROGRESS: "a key of zone 'example.com' is being replaced",
  DNSSEC_NO_ROLLOVER_IN_PROGRESS: "no key of zone 'example.com' is being replaced",
  DNSSEC_DS_PUBLISHED: "192.0.2.1:53 serves a DS of 'example.com'",
  DNSSEC_DS_NOT_PUBLISHED: '192.0.2.1:53 does not serve the DS of key 12345',
  DNSSEC_DS_UNVERIFIED: '192.0.2.1:53 does not answer',
  DNSSEC_SECONDARY_BEHIND: "secondary 'ns2' (198.51.100.2:53) still serves serial 7, from before 8",
  DNSSEC_POLICY_CONFLICT: "DNSSEC policy 'strict' is there already",
  DNSSEC_POLICY_IN_USE: "zone 'example.com' is signed under DNSSEC policy 'strict'",
  PLAN_STALE: 'the zones have changed since this plan was made',
  OWNED: "www.example.com. A belongs to 'shop'",
  PRECONDITION_FAILED: 'the zone is at serial 8 now; fetch it again and retry',
  PAYLOAD_TOO_LARGE: 'the body has more than 2097152 bytes',
  UNSUPPORTED_MEDIA_TYPE: "a body has to be 'application/json'",
  RATE_LIMITED: 'too many wrong tokens from this address',
  INTERNAL: 'internal error; the log has it by request id',
  DNSSEC_SIGNING_FAILED: "zone 'example.com' could not be signed",
  NOTIFY_FAILED: "NOTIFY failed for secondary 'ns2' (192.0.2.53 does not answer)",
  OVERLOADED: 'too many changes are waiting',
  STORAGE_UNAVAILABLE: 'records of the zone can not be read: the database is damaged there',
};

/** The value of a parameter of a path, matching the other examples; undefined when there is none. */
export function exampleParameter(path: string, name: string): string | number | undefined {
  const [, collection = '', parameter] = path.split('/');
  if (name === 'name') return nameIn[collection];
  if (name === 'id') return parameter === '{id}' && collection === 'records' ? 7 : 1;
  return others[name];
}

/** Refusals of one status by their code, with the items of the request where the operation names them. */
export function examplesOfProblems(
  codes: readonly ProblemCode[],
  { itemList, problems = [] }: Pick<Route, 'itemList' | 'problems'>,
): Record<string, unknown> {
  return Object.fromEntries(
    codes.map((code) => {
      const message = problemExamples[code];
      const isOfItems = itemList !== undefined && problems.includes(code);
      const errors = isOfItems ? { errors: [{ index: 0, list: itemList, code, message }] } : {};
      return [code, { value: { error: message, code, ...errors } }];
    }),
  );
}

/** What a dry run answers: nothing was applied, and what would be made has no id yet. */
export function dryRunExample(example: unknown): unknown {
  if (example === undefined) return undefined;
  return JSON.parse(JSON.stringify(example), (key, value) => {
    if (key === 'applied') return false;
    if (key === 'dry_run') return true;
    return key === 'id' ? 0 : value;
  });
}
