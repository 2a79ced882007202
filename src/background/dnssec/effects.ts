/** What a change of a zone's signing does, in sentences for people: read off the state that it is to lead to. */
import { isDeepStrictEqual } from 'node:util';
import { formatTime } from '../../base/clock.ts';
import { algorithmOf } from '../../dnssec/algorithm.ts';
import { readDs } from '../../dnssec/dnskey.ts';
import { entersAlgorithm, replacedBy } from '../../dnssec/key-roll.ts';
import type { ParentAnswer } from '../../dnssec/parent-ds.ts';
import { keysText } from '../../dnssec/skippable.ts';
import { bearsDs, type RetiredKey, type ZoneKey } from '../../dnssec/zone-key.ts';
import { isSigned, type ZoneSigning } from '../../domain/signing.ts';
import type { SigningOutcome } from '../../domain/signing-decisions.ts';

/** A change that was decided, and what it was decided from. */
export interface Foreseen extends SigningOutcome {
  /** What the parents said; empty when they were not asked. */
  readonly answers: readonly ParentAnswer[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

export function effectsOf(foreseen: Foreseen): string[] {
  const { before, zone, signing, answers } = foreseen;
  const keys = keySentences(foreseen);
  const settings = settingSentences(foreseen);
  const isServed = zone.serial !== before.zone.serial;
  const isResigned = isServed && keys.length === 0 && settings.length === 0;
  const { parentNsAddrs: parents } = signing;
  const namesParents = !isDeepStrictEqual(before.signing.parentNsAddrs, parents);
  const isFirst = before.signing.parentNsAddrs.length === 0;
  if (!isServed && !namesParents && settings.length === 0) return [];
  return [
    ...(isResigned ? ['Every RRset gets a new signature. Keys and DS stay as they are.'] : keys),
    ...settings,
    ...(namesParents && !isFirst
      ? [`For its DS the parent is asked at ${parents.join(', ')}.`]
      : []),
    isServed
      ? `The zone becomes serial ${zone.serial}.`
      : 'What the zone serves stays as it is, with its serial.',
    ...answers.map(saidByParent),
  ];
}

function keySentences({ before: { signing: before }, signing: after, now }: Foreseen): string[] {
  if (!isSigned(after)) return isSigned(before) ? unsignedSentences : [];
  if (!isSigned(before)) return signedSentences(after);
  const had = new Map(before.keys.map((key) => [key.id, key]));
  const fresh = after.keys.filter(({ id }) => !had.has(id));
  const turned = (state: ZoneKey['state']) =>
    after.keys.filter((key) => key.state === state && (had.get(key.id)?.state ?? state) !== state);
  const removed = before.keys.filter(({ id }) => after.keys.every((key) => key.id !== id));
  return [
    ...(fresh.length > 0 ? publishedSentences(fresh, after, now) : []),
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
    `${named(keys)} ${keys.length === 1 ? 'is' : 'are'} made, and every RRset is signed.`,
    'Validators check nothing before the parent has the DS, which the status shows then.',
  ];
}

/** `A new KSK`, `A new KSK and ZSK of ed25519`. */
function named(keys: readonly ZoneKey[], isOther = false): string {
  const roles = keys.map(({ role }) => role.toUpperCase()).join(' and ');
  return `A new ${roles}${isOther ? ` of ${algorithmOf(keys[0]!.algorithm).name}` : ''}`;
}

function publishedSentences(fresh: readonly ZoneKey[], after: ZoneSigning, now: number): string[] {
  const old = replacedBy(after.keys, fresh);
  const replaced = keysText(old);
  const isOne = fresh.length === 1;
  const enters = entersAlgorithm(after.keys, fresh);
  const hasDs = fresh.find(({ role }) => bearsDs(role)) !== undefined;
  const at = formatTime(Math.max(...fresh.map(({ eligibleAt }) => eligibleAt ?? 0)));
  const parents = after.parentNsAddrs.join(', ');
  const signs = enters
    ? `All data is signed with ${isOne ? 'it' : 'them'} too.`
    : hasDs
      ? 'It signs the DNSKEY records, and no other data yet.'
      : 'It signs nothing yet.';
  const dsFrom = Math.max(...fresh.map(({ cdsFrom, dsFrom: from }) => cdsFrom ?? from ?? 0));
  const from = dsFrom > now ? `, from ${formatTime(dsFrom)} on` : '';
  const [it, takes] = isOne ? ['it', 'It takes'] : ['them', 'They take'];
  return [
    `${named(fresh, enters)} ${isOne ? 'is' : 'are'} published beside ${replaced}. ${signs}`,
    `${takes} over without being asked when caches know ${it}, not before ${at}` +
      (hasDs ? `, and every server of the parent (${parents}) has the new DS.` : '.'),
    ...(hasDs
      ? [
          `Give the new DS to the parent${from}: the status shows it. A parent that reads CDS takes it.`,
        ]
      : []),
    `After that ${replaced} ${old.length === 1 ? 'is' : 'are'} removed when caches need ` +
      `${old.length === 1 ? 'it' : 'them'} no more` +
      (hasDs ? ' and no server of the parent relies on the old DS.' : '.'),
    `The roll can be aborted until ${isOne ? 'the new key has' : 'the new keys have'} taken over.`,
  ];
}

function promotedSentences(active: readonly ZoneKey[], retired: readonly RetiredKey[]): string[] {
  if (active.length === 0) return [];
  const until = formatTime(Math.max(...retired.map(({ eligibleAt }) => eligibleAt)));
  const old = keysText(retired);
  const hasDs = retired.find(({ role }) => bearsDs(role)) !== undefined;
  const isOne = retired.length === 1;
  return [
    `${subject(active, 'takes', 'take')} over from ${old}. That can not be undone.`,
    `Caches need ${old} until ${until}; ${isOne ? 'it is' : 'they are'} removed after that` +
      (hasDs ? ', when no server of the parent relies on the old DS. Have that DS removed.' : '.'),
  ];
}

function abortedSentences(removed: readonly ZoneKey[], after: ZoneSigning): string[] {
  const hasDs = removed.find(({ role }) => bearsDs(role)) !== undefined;
  const isOne = removed.length === 1;
  const signed = hasDs ? ` with ${isOne ? 'its' : 'their'} signatures, CDS and CDNSKEY` : '';
  return [
    `${subject(removed, 'leaves', 'leave')}${signed}.`,
    `${subject(replacedBy(after.keys, removed), 'stays', 'stay')} active.`,
  ];
}

/** `Key 31415 takes`, `Keys 31415 and 27182 take`. */
function subject(keys: readonly ZoneKey[], one: string, more: string): string {
  return `${capital(keysText(keys))} ${keys.length === 1 ? one : more}`;
}

const denialSentences = {
  nsec: 'Absent names are denied by NSEC instead of NSEC3: whoever asks can list all names of the zone.',
  nsec3:
    'Absent names are denied by NSEC3 instead of NSEC: the names of the zone can not be listed any more.',
};

function settingSentences({ before: found, signing: after, policies }: Foreseen): string[] {
  const said: string[] = [];
  const { signing: before } = found;
  if (!isSigned(before) || !isSigned(after)) return said;
  if (before.policyId !== after.policyId) {
    const { before: old, after: next } = policies;
    said.push(`The zone comes under the policy '${next?.name}'.`);
    if (next !== null && next.denial !== old?.denial) said.push(denialSentences[next.denial]);
  }
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
