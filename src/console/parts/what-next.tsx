/** What is to be done next about the signing of a zone, on top of its page: a sentence, and a button or none. */
import type { ComponentChildren } from 'preact';
import type { DnssecStatus, Zone } from '../api.ts';
import { successorsOf } from '../key-groups.ts';
import { promoteOf, signAgainOf } from '../key-writes.ts';
import { isEarlier, timed } from '../moment.ts';
import { may } from '../permissions.ts';
import { pending } from '../write.ts';
import { visible } from './text.tsx';

interface WhatNextProps {
  readonly zone: Zone;
  readonly status: DnssecStatus;
  readonly isAsking: boolean;
  readonly askParent: () => void;
}

export function WhatNext({ zone, status, isAsking, askParent }: WhatNextProps) {
  if (status.to_do === null) return null;
  const { text, action } = status.to_do;
  const [first] = successorsOf(status);
  const canManage = may(zone.name, 'dnssec:manage');
  const press = (write: typeof pending.value) => () => {
    pending.value = write;
  };
  return (
    <div class="what-next">
      <p role="status">
        <strong>{visible(timed(text))}</strong>
      </p>
      {!isEarlier.value && action === 'ask_parent' && (
        <Act press={askParent} isWaiting={isAsking}>
          Ask now
        </Act>
      )}
      {!isEarlier.value && canManage && action === 'sign' && (
        <Act press={press(signAgainOf(zone))}>Sign again…</Act>
      )}
      {!isEarlier.value && canManage && action === 'promote' && first !== undefined && (
        <Act press={press(promoteOf(zone, first))}>Promote now…</Act>
      )}
    </div>
  );
}

interface ActProps {
  readonly press: () => void;
  readonly isWaiting?: boolean;
  readonly children: ComponentChildren;
}

function Act({ press, isWaiting = false, children }: ActProps) {
  return (
    <button type="button" class="primary" disabled={isWaiting} onClick={press}>
      {children}
    </button>
  );
}
