/** What somebody has to do next for the signing of a zone: one sentence, and the one thing to press. */
import type { DnssecStatus } from './api.ts';
import { counted } from './counted.ts';
import { tagsText } from './key-groups.ts';

export interface WhatNext {
  readonly text: string;
  /** `ask` asks the parent servers, `sign` makes all signatures again, `promote` lets the published keys take over. */
  readonly button?: 'ask' | 'sign' | 'promote';
}

type Planned = DnssecStatus['next_steps'][number];

/** How times are compared and said. */
interface Clock {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly textOf: (time: string) => string;
}

export function whatNextOf(
  status: DnssecStatus,
  planned: readonly Planned[],
  clock: Clock,
): WhatNext {
  const { expired_signatures: expired, foreign_ds_since: foreign, withdrawing } = status;
  if (expired > 0) {
    const text = `${counted(expired, 'signature')} of the zone have expired: validators refuse it. Sign it again.`;
    return { text, button: 'sign' };
  }
  if (foreign !== null) {
    const text =
      'A parent server serves a DS set that names no key of this zone to validators: they find it bogus. ' +
      'Give the parent the DS that stands below, and no other.';
    return { text, button: 'ask' };
  }
  if (withdrawing) return ofWithdrawal(status);
  const of = (wanted: Planned['action']) => planned.find(({ action }) => action === wanted);
  const offer = of('publish_cds');
  if (offer !== undefined && Date.parse(offer.at) > clock.nowMs)
    return ofOffer(offer, status, clock);
  const promotion = of('promote');
  if (promotion !== undefined) return ofPromotion(promotion, status, clock);
  const removal = of('remove');
  if (removal !== undefined) return ofRemoval(removal, clock);
  return ofRest(status, of('start_zsk_roll'), clock);
}

/** Before caches know the signatures of a key, its DS would make the zone bogus for who has it without them. */
function ofOffer({ at, key_tags: tags }: Planned, { keys }: DnssecStatus, clock: Clock): WhatNext {
  const isFirst = keys.every(({ state }) => state === 'active');
  const held = isFirst ? 'unsigned' : `without the signatures of ${tagsText(tags)}`;
  const text =
    `Nothing to do before ${clock.textOf(at)}: caches hold the zone ${held}. ` +
    'Then give the DS to the parent.';
  return { text };
}

function ofWithdrawal({ delegation }: DnssecStatus): WhatNext {
  if (delegation?.ds_state === 'hidden') {
    return {
      text: 'No server of the parent has a DS any more. Signing can end once its TTL is over.',
    };
  }
  return {
    text: 'The parent is asked to remove the DS. Signing can end when it has.',
    button: 'ask',
  };
}

/** Whether every server of the parent has the DS of these keys; undefined when it was not asked. */
function hasDs({ delegation }: DnssecStatus, tags: readonly number[]): boolean | undefined {
  const keys = delegation?.keys.filter(({ key_tag: tag }) => tags.includes(tag));
  return keys?.every(({ ds_published: isThere }) => isThere);
}

const behindText = ({ secondaries_behind: behind }: Planned) =>
  behind.length === 0 ? '' : ` It waits for ${behind.join(', ')}, which serve an older serial.`;

const sinceText = ({ waiting_since: since, blocked_by: block }: Planned, { textOf }: Clock) =>
  (since === null ? '' : `, since ${textOf(since)}`) + (block === null ? '.' : `: ${block}.`);

function ofPromotion(planned: Planned, status: DnssecStatus, clock: Clock): WhatNext {
  const what = tagsText(planned.key_tags);
  const isDue = Date.parse(planned.at) <= clock.nowMs;
  const time = clock.textOf(planned.at);
  if (planned.awaits === 'nothing') {
    const when = isDue ? 'with the next run of the service' : `not before ${time}`;
    return { text: `Nothing to do: ${what} takes over by itself, ${when}.${behindText(planned)}` };
  }
  const isThere = hasDs(status, planned.key_tags);
  if (isThere && !isDue) {
    const text =
      `Nothing to do: every server of the parent has the DS of ${what}, which takes over by itself, ` +
      `not before ${time}.`;
    return { text: text + behindText(planned) };
  }
  if (isThere) {
    const text = `Every server of the parent has the DS of ${what}: it takes over with the next run of the service.`;
    return { text: text + behindText(planned), button: 'promote' };
  }
  if (isDue) {
    const text = `Give the DS of ${what} to the parent: the roll waits for it${sinceText(planned, clock)}`;
    return { text: text + behindText(planned), button: 'ask' };
  }
  const text =
    `Give the DS of ${what} to the parent. The key takes over by itself when every server of the parent has it, ` +
    `not before ${time}.`;
  return { text: text + behindText(planned), button: 'ask' };
}

function ofRemoval(planned: Planned, clock: Clock): WhatNext {
  const what = tagsText(planned.key_tags);
  const isDue = Date.parse(planned.at) <= clock.nowMs;
  const isBlocked = isDue && planned.blocked_by !== null;
  if (isBlocked && planned.awaits === 'parents_let_go') {
    const text =
      `Give the DS of the active key to the parent, and have that of ${what} removed: ` +
      `the removal of the key waits for it${sinceText(planned, clock)}`;
    return { text: text + behindText(planned), button: 'ask' };
  }
  if (planned.awaits === 'nothing' || isDue) {
    const when = isDue
      ? 'with the next run of the service'
      : `not before ${clock.textOf(planned.at)}`;
    return { text: `Nothing to do: ${what} is removed by itself, ${when}.${behindText(planned)}` };
  }
  const text =
    `The parent needs the DS of ${what} no more: have it removed. ` +
    `The key goes by itself, not before ${clock.textOf(planned.at)}.`;
  return { text: text + behindText(planned), button: 'ask' };
}

/** No key is coming or going. */
function ofRest({ delegation }: DnssecStatus, roll: Planned | undefined, clock: Clock): WhatNext {
  const next =
    roll === undefined
      ? ''
      : ` A new ZSK is published by itself, not before ${clock.textOf(roll.at)}.`;
  if (delegation === null) {
    const text = `Nothing to do, if every server of the parent has the DS.${next}`;
    return { text, button: 'ask' };
  }
  const isThere = delegation.keys.every(({ ds_published: has }) => has);
  if (isThere) return { text: `Nothing to do: every server of the parent has the DS.${next}` };
  return {
    text: `Give the DS to the parent: not every server of it has the DS.${next}`,
    button: 'ask',
  };
}
