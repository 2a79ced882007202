/**
 * Operations of signing (interface 4.7): makes the keys and asks the parents that a command needs, submits
 * it, and tells how the zone stands after it. Nothing is decided here.
 */
import { type Clock, formatTime } from '../../base/clock.ts';
import { Problem } from '../../base/problem.ts';
import { policies, requireNamed } from '../../domain/access/visibility.ts';
import { checkAllAnswered, dsCachedUntil, type ParentsSaid } from '../../dnssec/parent-ds.ts';
import { generateKey, serializePrivateKey } from '../../dnssec/key-pair.ts';
import {
  actionName,
  groupToAbort,
  isSplit,
  keyActions,
  publishedGroups,
} from '../../dnssec/key-roll.ts';
import { nobleVerifier } from '../../dnssec/noble.ts';
import type { SecondaryAnswer } from '../../dnssec/secondary-serials.ts';
import { bearsDs, type KeyRole } from '../../dnssec/zone-key.ts';
import type { Command } from '../../domain/command.ts';
import {
  algorithmNumberOf,
  type DnssecPolicy,
  defaultPolicyName,
} from '../../domain/dnssec-policy.ts';
import {
  isSigned,
  type MadeKey,
  type Seen,
  unsigned,
  type ZoneSigning,
} from '../../domain/signing.ts';
import type { SigningOutcome } from '../../domain/signing-decisions.ts';
import type { Zone } from '../../domain/zone.ts';
import type { OfZone } from '../../domain/zone-change.ts';
import type { Writer } from '../../writer/writer.ts';
import { bySystem, type SubmitOptions } from '../../writer/submission.ts';
import type { PolicyQueries } from '../../query/named-queries.ts';
import type { Reader } from '../../query/reader.ts';
import type { SecondaryQueries } from '../../query/named-queries.ts';
import type { SigningQueries } from '../../projection/signing-store.ts';
import type { ZoneQueries } from '../../query/zone-queries.ts';
import type { DelegationChecks } from './delegation-checks.ts';
import { effectsOf } from './effects.ts';
import type { AskSecondaries } from './secondaries.ts';
import { nextResignAt, policyOfZone, scheduleTermsOf, secondariesBehind } from './next-actions.ts';
import { signingHints } from './signing-hints.ts';
import type { Delegated, DnssecStatus } from './status.ts';
import { whatNextOf } from './what-next.ts';

export interface SigningServices {
  readonly writer: Pick<Writer, 'submit' | 'operate' | 'hold'>;
  readonly zones: Pick<ZoneQueries, 'byId' | 'byName'>;
  readonly policies: Pick<PolicyQueries, 'byName' | 'byId'>;
  readonly signing: Pick<SigningQueries, 'of'>;
  readonly reader: Pick<Reader, 'signatures'>;
  readonly clock: Clock;
  readonly checks: Pick<DelegationChecks, 'ask' | 'askNow'>;
  readonly secondaries: Pick<SecondaryQueries, 'enabled'>;
  /** Which serial of a zone every enabled secondary serves. */
  readonly askSecondaries: AskSecondaries;
}

/** What a zone serves that waits are made of, in seconds. */
interface Served {
  readonly largestTtl: number;
  /** Of the zone before it was looked at. */
  readonly scannedSerial: number;
  /** Of the SOA, as far as secondaries may still go by one that was replaced. */
  readonly largestRefresh: number;
}

/** What was done, or in a dry run would be. */
export interface Done {
  readonly message: string;
  readonly effects?: readonly string[];
  readonly risks?: readonly string[];
}

export class SigningService {
  readonly #services: SigningServices;
  /** Why the scheduler could not take steps of a zone, by their names, when it last tried. */
  readonly #blocks = new Map<number, ReadonlyMap<string, string>>();

  constructor(services: SigningServices) {
    this.#services = services;
  }

  /** Notes why steps of a zone could not be taken, or that nothing is in their way. */
  noteBlocks(zoneId: number, reasons: ReadonlyMap<string, string>): void {
    if (reasons.size === 0) this.#blocks.delete(zoneId);
    else this.#blocks.set(zoneId, reasons);
  }

  /** Ids of zones a step of which was in the way when it was last tried. */
  blocked(): Iterable<number> {
    return this.#blocks.keys();
  }

  status(zone: Zone): Promise<DnssecStatus> {
    return this.#status(zone, null);
  }

  async enable(
    zone: Zone,
    wanted: { readonly parentNsAddrs: readonly string[]; readonly policyName: string | undefined },
    options: SubmitOptions,
  ): Promise<DnssecStatus> {
    const policy = this.#policyNamed(wanted.policyName ?? defaultPolicyName);
    const roles: KeyRole[] = policy.splitKeys ? ['ksk', 'zsk'] : ['csk'];
    const keys = await this.#makeKeys(zone, roles, algorithmNumberOf(policy), options);
    const { parentNsAddrs } = wanted;
    const given = { policyName: policy.name, parentNsAddrs, keys };
    const command = { kind: 'enable-signing', zoneName: zone.name, ...given } as const;
    if (options.dryRun || isSigned(this.#signingOf(zone))) {
      return this.#submit({ ...command, ...(await this.#servedBy(zone)) }, options);
    }
    // Until when caches hold the unsigned zone depends on its TTLs, of which nothing is known before.
    const { writer } = this.#services;
    const release = await writer.hold(zone.name);
    let after: SigningOutcome;
    try {
      // Changes that were submitted before are done then.
      await writer.operate({ kind: 'wait' });
      const served = await this.#servedBy(zone);
      after = await writer.submit({ ...command, ...served }, { ...options, heldName: zone.name });
    } finally {
      release();
    }
    return this.#status(after.zone, null);
  }

  async configure(
    zone: Zone,
    wanted: {
      readonly parentNsAddrs: readonly string[] | undefined;
      readonly policyName: string | undefined;
    },
    options: SubmitOptions,
  ): Promise<DnssecStatus> {
    const { policyName, parentNsAddrs } = wanted;
    const signing = this.#signingOf(zone);
    const policy = policyName === undefined ? undefined : this.#policyNamed(policyName);
    const algorithm = policy === undefined ? undefined : algorithmNumberOf(policy);
    const isRoll =
      algorithm !== undefined &&
      isSigned(signing) &&
      signing.keys.some((key) => key.algorithm !== algorithm);
    const named = { zoneName: zone.name, policyName, parentNsAddrs };
    const command = { kind: 'configure-signing', ...named, keys: [] } as const;
    if (!isRoll) return this.#submit(command, options);
    const secondaries = await this.#services.askSecondaries(zone.name);
    const seen = seenBy(await this.#services.checks.ask(zone, options), options);
    const roles: KeyRole[] = isSplit(signing.keys) ? ['ksk', 'zsk'] : ['csk'];
    const keys = await this.#makeKeys(zone, roles, algorithm, options);
    const { largestTtl, scannedSerial } = await this.#servedBy(zone);
    const given = { keys, secondaries, largestTtl, scannedSerial, seen };
    return this.#submit({ ...command, ...given }, options);
  }

  async disable(
    zone: Zone,
    { skipDsCheck }: { readonly skipDsCheck: boolean },
    options: SubmitOptions,
  ): Promise<Done> {
    const signing = this.#signingOf(zone);
    const asks = isSigned(signing) && !skipDsCheck;
    const said = asks ? await this.#services.checks.ask(zone, options) : null;
    const given = { skipDsCheck, said, seen: seenBy(said, options) };
    const command = { kind: 'disable-signing', zoneName: zone.name, ...given } as const;
    const after = await this.#services.writer.submit(command, options);
    if (options.dryRun) {
      const message = `zone '${zone.name}' would be signed no more`;
      return { message, ...this.#foreseen(after, said) };
    }
    const until = dsCachedUntil(after.signing);
    const warning =
      until <= this.#services.clock()
        ? ''
        : `; resolvers may hold its DS until ${formatTime(until)} and find it bogus until then`;
    return { message: `zone '${zone.name}' is not signed any more${warning}` };
  }

  /** What parents answer about a zone, which may be deleted; nothing of it is recorded. */
  async delegation(zone: Zone): Promise<Delegated> {
    const signing = this.#signingOf(zone);
    const { answers } = await this.#services.checks.askNow(zone);
    return { zone, signing, delegation: { checkedAt: this.#services.clock(), answers } };
  }

  async checkDs(zone: Zone): Promise<DnssecStatus> {
    if (!isSigned(this.#signingOf(zone))) {
      throw new Problem('DNSSEC_NOT_ENABLED', `zone '${zone.name}' is not signed`);
    }
    const said = await this.#services.checks.ask(zone, bySystem);
    checkAllAnswered(`'${zone.name}'`, said.answers);
    return this.#status(zone, said);
  }

  async roll(
    zone: Zone,
    { role }: { readonly role: string | null },
    options: SubmitOptions,
    askSecondaries: AskSecondaries = this.#services.askSecondaries,
  ): Promise<DnssecStatus> {
    const signing = this.#signingOf(zone);
    const { keys } = signing;
    const made = role ?? (isSplit(keys) ? undefined : 'csk');
    const replaced = keys.find((key) => key.role === made);
    const asks = replaced !== undefined && bearsDs(replaced.role);
    const seen = seenBy(asks ? await this.#services.checks.ask(zone, options) : null, options);
    const zoneName = zone.name;
    const secondaries = replaced === undefined ? [] : await askSecondaries(zoneName);
    const roles = replaced === undefined ? [] : [replaced.role];
    const fresh = await this.#makeKeys(zone, roles, replaced?.algorithm ?? 0, options);
    const { largestTtl, scannedSerial } = await this.#servedBy(zone);
    const given = { role, keys: fresh, secondaries, largestTtl, scannedSerial, seen };
    return this.#submit({ kind: 'start-key-roll', zoneName, ...given }, options);
  }

  async promote(
    zone: Zone,
    how: {
      readonly skipDsCheck: boolean;
      readonly skipHolddown: boolean;
      readonly skipSecondaries: boolean;
    },
    options: SubmitOptions,
  ): Promise<DnssecStatus> {
    const signing = this.#signingOf(zone);
    const { skipDsCheck, skipHolddown, skipSecondaries } = how;
    const now = this.#services.clock();
    const [published = []] = publishedGroups(signing.keys);
    const isDue = skipHolddown || published.every(({ eligibleAt }) => (eligibleAt ?? 0) <= now);
    const isAsked = isDue && published.some(({ role }) => bearsDs(role));
    const asks = !skipDsCheck && isAsked;
    const { largestTtl, scannedSerial } = await this.#servedBy(zone);
    const [said, secondaries] = await Promise.all([
      asks ? this.#services.checks.ask(zone, options) : null,
      !skipSecondaries && isAsked ? this.#services.askSecondaries(zone.name) : null,
    ]);
    if (!options.dryRun) await this.noteSecondaries(zone, secondaries ?? []);
    const seen = seenBy(said, options, secondaries ?? []);
    const given = { ...how, said, secondaries, largestTtl, scannedSerial, seen };
    const command = { kind: 'promote-keys', zoneName: zone.name, ...given } as const;
    return this.#submit(command, options, said);
  }

  async abort(
    zone: Zone,
    how: { readonly role: string | null; readonly skipDsCheck: boolean },
    options: SubmitOptions,
  ): Promise<DnssecStatus> {
    const signing = this.#signingOf(zone);
    const { role, skipDsCheck } = how;
    const going = groupToAbort(signing.keys, role) ?? [];
    const asks = !skipDsCheck && going.some((key) => bearsDs(key.role));
    const said = asks ? await this.#services.checks.ask(zone, options) : null;
    const given = { ...how, said, seen: seenBy(said, options) };
    const command = { kind: 'abort-roll', zoneName: zone.name, ...given } as const;
    return this.#submit(command, options, said);
  }

  async sign(zone: Zone, options: SubmitOptions): Promise<Done> {
    const command = { kind: 'sign-zone', zoneName: zone.name, reason: 're-signed' } as const;
    const after = await this.#services.writer.submit(command, options);
    const { serial } = after.zone;
    if (!options.dryRun) {
      return { message: `zone '${zone.name}' is signed anew at serial ${serial}` };
    }
    const message = `zone '${zone.name}' would be signed anew at serial ${serial}`;
    return { message, ...this.#foreseen(after, null) };
  }

  withdraw({ name: zoneName }: Zone, options: SubmitOptions): Promise<DnssecStatus> {
    return this.#submit({ kind: 'withdraw-ds', zoneName }, options);
  }

  cancelWithdraw({ name: zoneName }: Zone, options: SubmitOptions): Promise<DnssecStatus> {
    return this.#submit({ kind: 'cancel-withdrawal', zoneName }, options);
  }

  /** Tells how the zone stands afterwards; `said`: what its parents said meanwhile. */
  async #submit(
    command: Extract<Command, OfZone>,
    options: SubmitOptions,
    said: ParentsSaid | null = null,
  ): Promise<DnssecStatus> {
    const after = (await this.#services.writer.submit(command, options)) as SigningOutcome;
    if (!options.dryRun) return this.#status(after.zone, said);
    const status = await this.#status(after.before.zone, said, after.before.signing);
    return { ...status, ...this.#foreseen(after, said) };
  }

  /** What a change of a zone would do, which was only decided. */
  #foreseen(outcome: SigningOutcome, said: ParentsSaid | null) {
    const now = this.#services.clock();
    const effects = effectsOf({ ...outcome, answers: said?.answers ?? [], now });
    return { effects, risks: outcome.risks ?? [] };
  }

  /** Of a zone as it is now, also when it was renamed or deleted meanwhile, or with how it was found to be signed. */
  async #status(known: Zone, said: ParentsSaid | null, found?: ZoneSigning): Promise<DnssecStatus> {
    const { zones, policies, reader, secondaries, clock } = this.#services;
    const zone = found === undefined ? (zones.byId(known.id) ?? known) : known;
    const signing = found ?? this.#signingOf(zone);
    const delegation = said && { checkedAt: said.askedAt, answers: said.answers };
    const policy = isSigned(signing) ? (policyOfZone(signing, policies) ?? null) : null;
    const at = clock();
    const now = Math.floor(at / 1000);
    const facts = await reader.signatures(zone, { now, expiringBy: 0, maxOwners: 0 });
    const earliest = facts.earliestExpiration;
    const actions =
      policy === null ? [] : keyActions(signing.keys, scheduleTermsOf(zone, signing, policy, at));
    const blocks = this.#blocks.get(zone.id);
    const status = {
      zone,
      policy,
      signing,
      signatures: {
        total: facts.total,
        expired: facts.expired,
        future: facts.future,
        earliestExpiresAt: earliest === null ? null : earliest * 1000,
        expirations: facts.expirations,
        nextResignAt: policy === null ? null : nextResignAt(facts, policy, at),
      },
      delegation,
      phases: actions.map((action) => ({
        action,
        blockedBy: (action.at <= at ? blocks?.get(actionName(action)) : undefined) ?? null,
        secondariesBehind: secondariesBehind(secondaries.enabled(), signing, action, at),
      })),
      warnings: signingHints(zone, signing, facts, at),
      at,
    };
    return { ...status, toDo: whatNextOf(status, status.phases) };
  }

  /** Notes what secondaries serve of a zone whose keys come and go. */
  async noteSecondaries(zone: Zone, secondaries: readonly SecondaryAnswer[]): Promise<void> {
    if (secondaries.length === 0) return;
    const command = { kind: 'note-secondaries', zoneName: zone.name, secondaries } as const;
    await this.#services.writer.submit(command, bySystem);
  }

  /** One key for each role, with ids reserved for them; in a dry run with ids that no key has. */
  async #makeKeys(
    zone: Zone,
    roles: readonly KeyRole[],
    algorithm: number,
    { dryRun }: SubmitOptions,
  ): Promise<MadeKey[]> {
    const others = this.#signingOf(zone).keys.map(({ dnskey }) => dnskey);
    const made: MadeKey[] = [];
    for (const role of roles) {
      const taken = [...others, ...made.map(({ dnskey }) => dnskey)];
      const pair = await generateKey(algorithm, bearsDs(role), taken, nobleVerifier);
      const id = dryRun ? -1 - made.length : await this.#reserveId();
      const privateKey = serializePrivateKey(pair.privateKey);
      made.push({ id, algorithm, role, dnskey: pair.dnskey, privateKey });
    }
    return made;
  }

  async #reserveId(): Promise<number> {
    const operation = { kind: 'reserve-ids', counter: 'signing_key', count: 1 } as const;
    return (await this.#services.writer.operate(operation)).first;
  }

  async #servedBy(zone: Zone): Promise<Served> {
    const scannedSerial = this.#services.zones.byId(zone.id)?.serial ?? zone.serial;
    const now = Math.floor(this.#services.clock() / 1000);
    const withFormer = !isSigned(this.#signingOf(zone));
    const question = { now, expiringBy: 0, maxOwners: 0, withFormer };
    const facts = await this.#services.reader.signatures(zone, question);
    const { largestTtl, largestFormerRefresh: largestRefresh } = facts;
    return { largestTtl, largestRefresh, scannedSerial };
  }

  #signingOf({ id }: Pick<Zone, 'id'>): ZoneSigning {
    return this.#services.signing.of(id) ?? unsigned;
  }

  #policyNamed(name: string): DnssecPolicy {
    return requireNamed(policies, name, (known) => this.#services.policies.byName(known));
  }
}

/** What a dry run goes by that a change would have recorded. */
function seenBy(
  parents: ParentsSaid | null,
  { dryRun }: SubmitOptions,
  secondaries: readonly SecondaryAnswer[] = [],
): Seen | undefined {
  return dryRun ? { parents, secondaries } : undefined;
}
