/** Who changed an RRset last, and when; why, while it has the focus or the pointer. It leads to all of its changes. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { BlamedRrset, Zone, ZoneRecord } from '../api.ts';
import { blameOf } from '../blame.ts';
import { absolute, at, relative } from '../moment.ts';
import { hrefOf } from '../router.ts';
import { actorText } from '../words.ts';
import { useOnScreen } from './on-screen.ts';
import { relativeName } from '../owner-name.ts';
import { visible } from './text.tsx';

interface BlameProps {
  readonly zone: Zone;
  readonly record: ZoneRecord;
}

export function Blame({ zone, record }: BlameProps) {
  const owner = relativeName(record.name, zone.name);
  const cell = useRef<HTMLSpanElement>(null);
  const isNear = useOnScreen(cell, '200px');
  const [isSeen, setSeen] = useState(false);
  if (isNear && !isSeen) setSeen(true);
  const [rrset, setRrset] = useState<BlamedRrset>();
  useEffect(() => {
    if (!isSeen) return;
    let isWanted = true;
    void blameOf({ zone: zone.name, serial: zone.serial, at: at.value }, owner).then((rrsets) => {
      if (isWanted) setRrset(rrsets.find(({ type }) => type === record.type));
    });
    return () => {
      isWanted = false;
    };
  }, [isSeen, zone.name, zone.serial, at.value, owner, record.type]);
  const what = `${visible(owner)} ${record.type}`;
  const href = hrefOf(['zones', zone.name, 'timeline'], { name: owner, type: record.type });
  return (
    <span class="blame" ref={cell}>
      <HistoryLink href={href} what={what} event={rrset?.event ?? undefined} />
    </span>
  );
}

type Cause = NonNullable<BlamedRrset['event']>;

interface HistoryLinkProps {
  readonly href: string;
  readonly what: string;
  /** Undefined while it is awaited, and for ever where it is not known. */
  readonly event: Cause | undefined;
}

function HistoryLink({ href, what, event }: HistoryLinkProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const text = event && `${visible(actorText(event))}, ${relative(event.at)}`;
  const isExplained = isOpen && event !== undefined;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the link in it has the focus; the pointer may rest on the text.
    <span
      class="explained"
      onMouseEnter={() => setOpen(true)}
      onMouseLeave={() => setOpen(false)}
      onFocusIn={() => setOpen(true)}
      onFocusOut={() => setOpen(false)}
      onKeyDown={({ key }) => key === 'Escape' && setOpen(false)}
    >
      <a
        href={href}
        aria-label={`History of ${what}${text === undefined ? '' : `: ${text}`}`}
        aria-describedby={isExplained ? id : undefined}
      >
        {text ?? 'History'}
      </a>
      {isExplained && (
        <span class="explanation" role="tooltip" id={id}>
          <Why event={event} />
        </span>
      )}
    </span>
  );
}

function Why({ event }: { readonly event: Cause }) {
  const { reason, reference, serial, source } = event;
  return (
    <>
      {reason !== null && <strong>{visible(reason)} </strong>}
      {reason === null && 'No reason was given. '}
      {reference !== null && `Reference: ${visible(reference)}. `}
      {absolute(event.at)}, serial {serial}, {source}.
    </>
  );
}
