/**
 * Signed zones: that their signatures are in force, and that every parent server serves the DS of an
 * active key, so that validators do not turn the zone away. Parents are asked by the service.
 */
import type { DnssecStatus, Listing, Zone } from '../answers.ts';
import { type Client, segment } from '../client.ts';
import { CliFailure, exitCode } from '../failure.ts';
import { fail, type CheckResult, type CheckResults, inTurns, ok, skip } from './check-result.ts';

/** Zones whose parents are asked at a time. */
const atOnce = 4;

type Delegation = NonNullable<DnssecStatus['delegation']>;

/** `zones` is how many zones are looked at, by name. */
export async function* checkParents(client: Client, zones: number): CheckResults {
  const listed = await client.get<Listing<Zone>>('/zones', {
    signed: true,
    enabled: true,
    limit: Math.min(1000, Math.max(1, zones)),
  });
  const { items, pagination } = listed;
  if (items.length === 0) {
    yield skip('ds', 'no zone is signed', "'zonebook dnssec enable ZONE' signs one");
    return;
  }
  const findings = await inTurns(items, atOnce, ({ name }) => lookAt(client, name));
  yield* findings.flat();
  const left = pagination.total - items.length;
  if (left > 0) yield skip('ds', `${left} more signed zones were not asked for`, 'give --zones');
}

async function lookAt(client: Client, name: string): Promise<CheckResult[]> {
  const path = `/zones/${segment(name)}/dnssec`;
  const found: CheckResult[] = [];
  const status = await client.get<DnssecStatus>(path);
  if (status.expired_signatures > 0) {
    const message = `${status.expired_signatures} signatures of ${name} have expired`;
    const advice = `'zonebook dnssec sign ${name}'; is dns.scheduler_interval_secs 0?`;
    found.push(fail(`signatures ${name}`, message, advice));
  }
  if (status.future_signatures > 0) {
    const message = `${status.future_signatures} signatures of ${name} are not valid yet: the clock was ahead`;
    const advice = `see that the clock is right; then the scheduler renews them, or 'zonebook dnssec sign ${name}'`;
    found.push(fail(`signatures ${name}`, message, advice));
  }
  return [...found, await dsResult(client, name, path, status)];
}

async function dsResult(
  client: Client,
  name: string,
  path: string,
  { parent_ns_addrs: parents, foreign_ds_since: since }: DnssecStatus,
): Promise<CheckResult> {
  const check = `ds ${name}`;
  if (parents.length === 0) {
    const advice = `'zonebook dnssec set ${name} --parent-ns ADDRESS' names one`;
    return skip(check, 'no server of the parent is known', advice);
  }
  let status: DnssecStatus;
  try {
    status = await client.post<DnssecStatus>(`${path}/check-ds`, undefined);
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    if (error.exitCode === exitCode.denied) return skip(check, error.message);
    const advice = 'are the servers of the parent right, and reached from here over UDP and TCP?';
    const known = since === null ? '' : `; a DS set that names no key is seen since ${since}`;
    return fail(check, `${error.message}${known}`, error.hint ?? advice);
  }
  return judge(check, name, status);
}

function judge(check: string, name: string, status: DnssecStatus): CheckResult {
  const { delegation, withdrawing } = status;
  if (delegation === null) return skip(check, 'the parent was not asked');
  const silent = delegation.servers.find(({ error }) => error !== null);
  if (silent !== undefined) {
    const advice = 'are the servers of the parent right, and reached from here over UDP and TCP?';
    return fail(check, `${silent.address}: ${silent.error}`, advice);
  }
  const records = status.ds_records.map(({ presentation }) => presentation).join(' and ');
  const tags = delegation.ds_key_tags.join(', ');
  const active = delegation.keys.filter(({ state }) => state === 'active');
  const advice = `validators turn the zone away: give the parent ${records}, and no other DS`;
  if (status.foreign_ds_since !== null) {
    const message = `${foreignText(name, delegation)}, seen since ${status.foreign_ds_since}`;
    return fail(check, message, advice);
  }
  if (withdrawing) return ok(check, `the DS is being withdrawn; it is ${delegation.ds_state}`);
  const good = active.filter((key) => key.ds_published);
  if (good.length > 0) {
    const named = good.map(({ key_tag }) => key_tag).join(', ');
    return ok(check, `every parent server serves the DS of key ${named}`);
  }
  if (delegation.ds_state === 'hidden') {
    const message = `the parent serves no DS: ${name} is signed, but not validated`;
    return fail(check, message, `give the parent: ${records}`);
  }
  if (delegation.keys.some((key) => key.ds_digest_unsupported)) {
    return skip(check, 'the parent serves a DS whose digest can not be computed here');
  }
  const message = `the parent serves a DS of key ${tags}, none of an active key at every server`;
  const missing = active.find(({ ds_missing: text }) => text !== null)?.ds_missing;
  return fail(check, missing == null ? message : `${message}: ${missing}`, advice);
}

/** What the parent serves when some of it names no key to validators. */
function foreignText(name: string, { ds_key_tags: tags, keys }: Delegation): string {
  const served = `the parent serves a DS of key ${tags.join(', ')}`;
  const own = keys.filter(({ key_tag: tag }) => tags.includes(tag));
  if (own.length === 0) return `${served}, none of a key of ${name}`;
  const missing = own.find(({ ds_missing: text }) => text !== null)?.ds_missing;
  return missing ?? `${served}: that of an algorithm names no key of ${name}`;
}
