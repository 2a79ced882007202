/** How a deleted zone was signed, and its settings, as far as the service tells it of a zone of the bin. */
import { useState } from 'preact/hooks';
import type { DeletedZone } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { isEarlier } from '../moment.ts';
import { whatTheParentSays } from '../restore.ts';
import { SettingTexts } from '../screens/settings.tsx';
import { Answered } from './states.tsx';
import { visible } from './text.tsx';

interface OfDeleted {
  readonly zone: DeletedZone;
}

function AtTheEnd() {
  if (!isEarlier.value) return null;
  return <p class="muted">As it was at the end: what it was earlier is in the timeline alone.</p>;
}

export function DeletedSettings({ zone }: OfDeleted) {
  return (
    <section aria-label="Settings">
      <AtTheEnd />
      <SettingTexts zone={zone} />
    </section>
  );
}

export function DeletedDnssec({ zone }: OfDeleted) {
  const [isAsked, setAsked] = useState(false);
  return (
    <section aria-label="DNSSEC">
      <AtTheEnd />
      {zone.restoring.map((text) => (
        <p key={text}>{visible(text)}</p>
      ))}
      <p class="muted">Its keys and signatures are told again once it is restored.</p>
      {isAsked ? (
        <Parent zone={zone} />
      ) : (
        <button type="button" onClick={() => setAsked(true)}>
          Ask the parent now
        </button>
      )}
    </section>
  );
}

function Parent({ zone }: OfDeleted) {
  const loaded = useLoaded(() => whatTheParentSays(zone), [zone.id]);
  return <Answered loaded={loaded}>{(text) => <p role="status">{visible(text)}</p>}</Answered>;
}
