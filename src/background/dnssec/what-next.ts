/** What somebody has to do next for the signing of a zone, or that there is nothing: one sentence or two. */
import { formatTime } from '../../base/clock.ts';
import { anyDs, dsAtParents, type ParentAnswer } from '../../dnssec/parent-ds.ts';
import { keysText } from '../../dnssec/skippable.ts';
import { bearsDs, type ZoneKey } from '../../dnssec/zone-key.ts';
import { apexOf } from '../../domain/zone.ts';
import type { DnssecStatus, ToDo } from './status.ts';

type Status = Omit<DnssecStatus, 'toDo'>;
type Planned = DnssecStatus['phases'][number];

/** Null for a zone that is not signed. */
export function whatNextOf(status: Status, planned: readonly Planned[]): ToDo | null {
  const { policy, signing, signatures, at } = status;
  if (policy === null) return null;
  if (signatures.expired > 0) {
    const text = `${counted(signatures.expired, 'signature')} expired: validators refuse the zone. Sign it again.`;
    return { text, action: 'sign' };
  }
  if (signing.foreignDsSince !== null) {
    return ask(
      'A parent server serves a DS set that names no key of this zone to validators: they find it bogus. ' +
        'Give the parent the DS of the zone, and no other.',
    );
  }
  if (signing.withdrawing) return ofWithdrawal(status);
  const of = (kind: Planned['action']['kind']) =>
    planned.find(({ action }) => action.kind === kind);
  const offer = of('publish-cds');
  if (offer !== undefined && offer.action.at > at) return ofOffer(offer, status);
  const promotion = of('promote');
  if (promotion !== undefined) return ofPromotion(promotion, status);
  const removal = of('remove');
  if (removal !== undefined) return ofRemoval(removal, status);
  return ofRest(status, of('start-zsk-roll'));
}

const nothing = (text: string): ToDo => ({ text, action: null });
const ask = (text: string): ToDo => ({ text, action: 'ask-parent' });

/** Before caches know the signatures of a key, its DS would make the zone bogus for who has it without them. */
function ofOffer({ action: { at, keys } }: Planned, { zone, signing, delegation }: Status): ToDo {
  const isFirst = signing.keys.every(({ state }) => state === 'active');
  const held = isFirst ? 'unsigned' : `without the signatures of ${keysText(keys)}`;
  const isThere = (answer: ParentAnswer) =>
    keys.some((key) => dsAtParents(apexOf(zone), key, [answer]).published);
  if (delegation?.answers.some(isThere) === true) {
    return nothing(
      `The parent has the DS of ${keysText(keys)} too early: until ${formatTime(at)} caches hold the zone ${held}, ` +
        'and validators may find that bogus. It ends by itself; do not end the signing for it.',
    );
  }
  return nothing(
    `Nothing to do before ${formatTime(at)}: caches hold the zone ${held}. Then give the DS to the parent.`,
  );
}

function ofWithdrawal({ delegation }: Status): ToDo {
  if (delegation !== null && !anyDs(delegation.answers)) {
    return nothing(
      'No server of the parent has a DS any more. Signing can end once its TTL is over.',
    );
  }
  return ask('The parent is asked to remove the DS. Signing can end when it has.');
}

/** Whether every server of the parent has the DS of these keys; undefined when it was not asked. */
function hasDs({ zone, delegation }: Status, keys: readonly ZoneKey[]): boolean | undefined {
  return delegation?.answers === undefined
    ? undefined
    : keys
        .filter(({ role }) => bearsDs(role))
        .every((key) => dsAtParents(apexOf(zone), key, delegation.answers).published);
}

function behindText({ secondariesBehind: behind }: Planned): string {
  return behind.length === 0
    ? ''
    : ` It waits for ${behind.join(', ')}, which serve${behind.length === 1 ? 's' : ''} an older serial.`;
}

function waitText({ action, blockedBy }: Planned): string {
  return `, since ${formatTime(action.at)}${blockedBy === null ? '.' : `: ${blockedBy}.`}`;
}

function ofPromotion(next: Planned, status: Status): ToDo {
  const { keys, at, awaits } = next.action;
  const what = keysText(keys);
  const behind = behindText(next);
  const isDue = at <= status.at;
  const notBefore = `not before ${formatTime(at)}`;
  if (awaits === 'nothing') {
    const when = isDue ? 'with the next run of the service' : notBefore;
    return nothing(`Nothing to do: ${what} takes over by itself, ${when}.${behind}`);
  }
  if (hasDs(status, keys) === true) {
    if (!isDue) {
      return nothing(
        `Nothing to do: every server of the parent has the DS of ${what}, which takes over by itself, ${notBefore}.` +
          behind,
      );
    }
    if (next.secondariesBehind.length > 0) {
      return nothing(`Every server of the parent has the DS of ${what}.${behind}`);
    }
    const text = `Every server of the parent has the DS of ${what}: it takes over with the next run of the service.`;
    return { text, action: 'promote' };
  }
  if (isDue) {
    return ask(
      `Give the DS of ${what} to the parent: the roll waits for it${waitText(next)}${behind}`,
    );
  }
  return ask(
    `Give the DS of ${what} to the parent. The key takes over by itself when every server of the parent has it, ` +
      `${notBefore}.${behind}`,
  );
}

function ofRemoval(next: Planned, status: Status): ToDo {
  const { keys, at, awaits } = next.action;
  const what = keysText(keys);
  const behind = behindText(next);
  const isDue = at <= status.at;
  if (isDue && next.blockedBy !== null && awaits === 'parents-let-go') {
    return ask(
      `Give the DS of the active key to the parent, and have that of ${what} removed: ` +
        `the removal of the key waits for it${waitText(next)}${behind}`,
    );
  }
  const notBefore = `not before ${formatTime(at)}`;
  if (awaits === 'nothing' || isDue) {
    const when = isDue ? 'with the next run of the service' : notBefore;
    return nothing(`Nothing to do: ${what} is removed by itself, ${when}.${behind}`);
  }
  return ask(
    `The parent needs the DS of ${what} no more: have it removed. The key goes by itself, ${notBefore}.${behind}`,
  );
}

/** No key is coming or going. */
function ofRest(status: Status, roll: Planned | undefined): ToDo {
  const next =
    roll === undefined
      ? ''
      : ` A new ZSK is published by itself, not before ${formatTime(roll.action.at)}.`;
  const isThere = hasDs(status, status.signing.keys);
  if (isThere === undefined) {
    return ask(`Nothing to do, if every server of the parent has the DS.${next}`);
  }
  if (isThere) return nothing(`Nothing to do: every server of the parent has the DS.${next}`);
  return ask(`Give the DS to the parent: not every server of it has the DS.${next}`);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
