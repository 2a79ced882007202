/** What an update counts as, by the RCODE of its answer. */
import { rcode } from '../dns/wire/header.ts';
import type { UpdateResult } from '../telemetry/metrics.ts';

const resultOfRcode = new Map<number, UpdateResult>([
  [rcode.NOERROR, 'ok'],
  [rcode.NXDOMAIN, 'prerequisite'],
  [rcode.YXDOMAIN, 'prerequisite'],
  [rcode.NXRRSET, 'prerequisite'],
  [rcode.YXRRSET, 'prerequisite'],
  [rcode.REFUSED, 'refused'],
  [rcode.NOTAUTH, 'notauth'],
  [rcode.FORMERR, 'malformed'],
  [rcode.NOTZONE, 'malformed'],
  [rcode.BADVERS, 'malformed'],
]);

export function updateResultOf(code: number): UpdateResult {
  return resultOfRcode.get(code) ?? 'failed';
}
