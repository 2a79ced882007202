/** One zone of the bin: the tabs of a zone as it was at the end, or at an earlier moment, to read; and the way back. */
import type { ComponentChildren } from 'preact';
import type { DeletedZone } from '../api.ts';
import { deletedId, purgeText, readDeletedZone, tabHref } from '../deleted.ts';
import { useLoaded } from '../loading.ts';
import { isEarlier } from '../moment.ts';
import { DeletedRecords } from '../parts/deleted-records.tsx';
import { DeletedDnssec, DeletedSettings } from '../parts/deleted-states.tsx';
import { DeletedText } from '../parts/deleted-text.tsx';
import { mayPurge, Purge } from '../parts/purge.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { Ago, Unicode, visible } from '../parts/text.tsx';
import { Versions } from '../parts/versions.tsx';
import { may, mayWhole } from '../permissions.ts';
import { restoreOf } from '../restore.ts';
import { hrefOf, path } from '../router.ts';
import { pending } from '../write.ts';
import { Compare } from './compare.tsx';
import { Timeline } from './timeline.tsx';

interface Tab {
  readonly label: string;
  readonly isAllowed: () => boolean;
  readonly content: (props: { readonly zone: DeletedZone }) => ComponentChildren;
}

const readsRecords = () => mayWhole(undefined, 'record:read');

const tabs: Readonly<Record<string, Tab>> = {
  records: { label: 'Records', isAllowed: readsRecords, content: DeletedRecords },
  timeline: { label: 'Timeline', isAllowed: () => true, content: Timeline },
  versions: {
    label: 'Versions',
    isAllowed: () => may(undefined, 'zone:read'),
    content: Versions,
  },
  compare: { label: 'Compare', isAllowed: readsRecords, content: Compare },
  text: { label: 'Text', isAllowed: readsRecords, content: DeletedText },
  dnssec: {
    label: 'DNSSEC',
    isAllowed: () => may(undefined, 'dnssec:read'),
    content: DeletedDnssec,
  },
  settings: { label: 'Settings', isAllowed: () => true, content: DeletedSettings },
};

export function DeletedZoneScreen() {
  const [, name = '', , tab = ''] = path.value;
  const id = deletedId.value ?? 0;
  const loaded = useLoaded(
    async (signal) => ({ zone: await readDeletedZone(name, id, signal) }),
    [name, id],
  );
  return (
    <>
      <header class="head">
        <h1>
          {visible(name)}
          <Unicode text={name} />
        </h1>
        <a href={hrefOf(['bin'])}>Bin</a>
      </header>
      <Answered loaded={loaded}>
        {({ zone }) =>
          zone === undefined ? (
            <Empty>
              <p>It is not in the bin: it was restored or purged, or never deleted.</p>
            </Empty>
          ) : (
            <Deleted zone={zone} tab={tab} />
          )
        }
      </Answered>
    </>
  );
}

/** No tab: whoever looks at a zone does not come by it. */
const purgeTab = 'purge';

function Deleted({ zone, tab }: { readonly zone: DeletedZone; readonly tab: string }) {
  const allowed = Object.entries(tabs).filter(([, { isAllowed }]) => isAllowed());
  const [id, chosen] = allowed.find(([each]) => each === tab) ?? allowed[0]!;
  const Content = chosen.content;
  const isPurge = tab === purgeTab;
  return (
    <>
      <DeletedFacts zone={zone} />
      <nav class="tabs" aria-label="Zone">
        {allowed.map(([each, { label }]) => (
          <a
            key={each}
            href={tabHref(zone.name, each)}
            aria-current={each === id && !isPurge ? 'page' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      {isPurge ? <Purge zone={zone} /> : <Content zone={zone} />}
    </>
  );
}

function DeletedFacts({ zone }: { readonly zone: DeletedZone }) {
  const by = zone.deleted_by === null ? '' : ` by ${visible(zone.deleted_by.name)}`;
  const restore = () => {
    pending.value = restoreOf(zone);
  };
  return (
    <div class="card deleted">
      <p>
        Deleted <Ago time={zone.deleted_at} />
        {by}, at serial {zone.serial}
        {zone.deleted_reason !== null && `: ${visible(zone.deleted_reason)}`}.{' '}
        {zone.purge_at === null
          ? 'It is kept for ever.'
          : `It is kept until ${purgeText(zone.purge_at)}.`}{' '}
        {!isEarlier.value && 'This is how it was then.'}
      </p>
      {!isEarlier.value && may(undefined, 'zone:create') && (
        <button type="button" class="primary" onClick={restore}>
          Restore…
        </button>
      )}
      {mayPurge() && (
        <a href={tabHref(zone.name, purgeTab)} aria-label={`Purge ${visible(zone.name)}`}>
          Purge…
        </a>
      )}
    </div>
  );
}
