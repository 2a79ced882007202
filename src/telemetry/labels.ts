/**
 * The values that labels of metrics take, where they are known beforehand: each counter starts with
 * all combinations of them at 0, so that a rate never misses its first event.
 */
export const transferTypes = ['axfr', 'ixfr'] as const;
export type TransferType = (typeof transferTypes)[number];

export const transferResults = ['ok', 'refused', 'failed'] as const;
export type TransferResult = (typeof transferResults)[number];

export const transports = ['tcp', 'udp'] as const;
export type Transport = (typeof transports)[number];

export const soaQueryResults = ['answered', 'refused', 'notauth', 'failed'] as const;
export type SoaQueryResult = (typeof soaQueryResults)[number];

/** `prerequisite`: one did not hold; `malformed` are messages outside the zone too. */
export const updateResults = [
  'ok',
  'prerequisite',
  'refused',
  'notauth',
  'malformed',
  'failed',
] as const;
export type UpdateResult = (typeof updateResults)[number];

export const notifyResults = ['ok', 'failed'] as const;
export type NotifyResult = (typeof notifyResults)[number];

export const schedulerResults = ['ok', 'failed'] as const;
export type SchedulerResult = (typeof schedulerResults)[number];

/** What became of queries beyond the limit of answers. */
export const rateLimitResults = ['dropped', 'slipped'] as const;
export type RateLimitResult = (typeof rateLimitResults)[number];

/** States of signing keys; a removed key has none. */
export const signingKeyStates = ['published', 'active', 'retired'] as const;
export type SigningKeyState = (typeof signingKeyStates)[number];

/** RCODEs that the nameserver answers with (RFC 1035 4.1.1, RFC 2136 2.2, RFC 6891 9). */
export const knownRcodes = [
  'NOERROR',
  'FORMERR',
  'SERVFAIL',
  'NXDOMAIN',
  'NOTIMP',
  'REFUSED',
  'YXDOMAIN',
  'YXRRSET',
  'NXRRSET',
  'NOTAUTH',
  'NOTZONE',
  'BADVERS',
  'BADCOOKIE',
] as const;
