/** What a change of a zone's signing does, in sentences for people: read off the state that it is to lead to. */
import { isDeepStrictEqual } from 'node:util';
import { formatTime } from '../../base/clock.ts';
import { algorithmOf } from '../../dnssec/algorithm.ts';
import { readDs } from '../../dnssec/dnskey.ts';
import { entersAlgorithm, replacedBy } from '../../dnssec/key-roll.ts';
import type { ParentAnswer } from '../../dnssec/parent-ds.ts';
import { keysText } from '../../dnssec/skippable.ts';
import { bearsDs, type RetiredKey, type ZoneKey } from '../../dnssec/zone-key.ts';
import type { SigningOutcome } from '../../domain/decide-signing.ts';
import { isSigned, type ZoneSigning } from '../../domain/signing.ts';

/** A change that was decided, and what it was decided from. */
export interface Foreseen {
  readonly before: ZoneSigning;
  readonly after: SigningOutcome;
  /** The serial before. */
  readonly serial: number;
  /** What the parents said; empty when they were not asked. */
  readonly answers: readonly ParentAnswer[];
  /** Of the policy that the zone would be under, when it would be signed. */
  readonly policyName: string | undefined;
}

export function effectsOf(foreseen: Foreseen): string[] {
  const { before, after, serial, answers, policyName } = foreseen;
  const { zone, signing } = after;
  const keys = keySentences(before, signing);
  const settings = settingSentences(before, signing, policyName);
  const isServed = zone.serial !== serial;
  const namesParents = !isDeepStrictEqual(before.parentNsAddrs, signing.parentNsAddrs);
  const isResigned = isServed && keys.length === 0 && settings.length === 0;
  if (!isServed && !namesParents && settings.length === 0) return [];
  return [
    ...(isResigned ? ['Every RRset gets a new signature. Keys and DS stay as they are.'] : keys),
    ...settings,
    ...(namesParents && isSigned(before) ? ['Other servers of the parent are asked.'] : []),
    isServed
      ? `The zone becomes serial ${zone.serial}.`
      : 'What the zone serves stays as it is, with its serial.',
    ...answers.map(saidByParent),
  ];
}

function keySentences(before: ZoneSigning, after: ZoneSigning): string[] {
  if (!isSigned(after)) return isSigned(before) ? unsignedSentences : [];
  if (!isSigned(before)) return signedSentences(after);
  const had = new Map(before.keys.map((key) => [key.id, key]));
  const fresh = after.keys.filter(({ id }) => !had.has(id));
  const turned = (state: ZoneKey['state']) =>
    after.keys.filter((key) => key.state === state && (had.get(key.id)?.state ?? state) !== state);
  const removed = before.keys.filter(({ id }) => after.keys.every((key) => key.id !== id));
  return [
    ...(fresh.length > 0 ? publishedSentences(fresh, after) : []),
    ...promotedSentences(turned('active'), turned('retired') as RetiredKey[]),
    ...(removed.length > 0 ? abortedSentences(removed, after) : []),
  ];
}

const unsignedSentences = [
  'All keys, signatures and other DNSSEC records go.',
  'The keys can not be brought back: to sign again makes new ones, with another DS.',
];

function signedSentences({ keys }: ZoneSigning): string[] {
  return [
    `${named(keys)} is made, and every RRset is signed.`,
    'Validators check nothing before the parent has the DS, which the status shows then.',
  ];
}

/** `A new KSK`, `A new KSK and ZSK of ed25519`. */
function named(keys: readonly ZoneKey[], isOther = false): string {
  const roles = keys.map(({ role }) => role.toUpperCase()).join(' and ');
  return `A new ${roles}${isOther ? ` of ${algorithmOf(keys[0]!.algorithm).name}` : ''}`;
}

function publishedSentences(fresh: readonly ZoneKey[], after: ZoneSigning): string[] {
  const replaced = keysText(replacedBy(after.keys, fresh));
  const enters = entersAlgorithm(after.keys, fresh);
  const hasDs = fresh.find(({ role }) => bearsDs(role)) !== undefined;
  const at = formatTime(Math.max(...fresh.map(({ eligibleAt }) => eligibleAt ?? 0)));
  const parents = after.parentNsAddrs.join(', ');
  const signs = enters
    ? 'All data is signed with it too.'
    : hasDs
      ? 'It signs the DNSKEY records, and no other data yet.'
      : 'It signs nothing yet.';
  const dsFrom = Math.max(...fresh.map((key) => key.dsFrom ?? 0));
  const from = enters ? `, from ${formatTime(dsFrom)} on` : '';
  return [
    `${named(fresh, enters)} is published beside ${replaced}. ${signs}`,
    `It takes over by itself when caches know it, not before ${at}` +
      (hasDs ? `, and every server of the parent (${parents}) has its DS.` : '.'),
    ...(hasDs
      ? [`Its DS goes to the parent${from}; the status shows it, unless the parent reads CDS.`]
      : []),
    `After that ${replaced} is removed when caches need it no more` +
      (hasDs ? ' and no server of the parent relies on it.' : '.'),
    'The roll can be aborted until the new key has taken over.',
  ];
}

function promotedSentences(active: readonly ZoneKey[], retired: readonly RetiredKey[]): string[] {
  if (active.length === 0) return [];
  const until = formatTime(Math.max(...retired.map(({ eligibleAt }) => eligibleAt)));
  return [
    `${capital(keysText(active))} takes over from ${keysText(retired)}. That can not be undone.`,
    `Caches need ${keysText(retired)} until ${until}; it is removed after that.`,
  ];
}

function abortedSentences(removed: readonly ZoneKey[], after: ZoneSigning): string[] {
  return [
    `${capital(keysText(removed))} leaves with its signatures, CDS and CDNSKEY.`,
    `${capital(keysText(replacedBy(after.keys, removed)))} stays active.`,
  ];
}

function settingSentences(
  before: ZoneSigning,
  after: ZoneSigning,
  policyName: string | undefined,
): string[] {
  const said: string[] = [];
  if (!isSigned(before) || !isSigned(after)) return said;
  if (before.policyId !== after.policyId)
    said.push(`The zone comes under the policy '${policyName}'.`);
  if (after.withdrawing && !before.withdrawing) said.push(...withdrawalSentences);
  if (before.withdrawing && !after.withdrawing) {
    said.push('CDS and CDNSKEY name the keys of the zone again.');
  }
  return said;
}

const withdrawalSentences = [
  'CDS and CDNSKEY ask the parent to remove the DS (RFC 8078 4). Other parents hear it from you.',
  'The zone stays signed. Once no server of the parent has the DS, and its TTL is over, signing can end.',
  'Until the parent has acted, it can be taken back.',
];

function saidByParent(answer: ParentAnswer): string {
  if ('failure' in answer) {
    return `Parent server ${answer.address} could not be asked: ${answer.failure}.`;
  }
  const tags = [...new Set(answer.ds.map((rdata) => readDs(rdata).keyTag))];
  const served = tags.length === 0 ? 'no DS' : `the DS of ${tags.join(', ')}`;
  return `Parent server ${answer.address} has ${served}.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
