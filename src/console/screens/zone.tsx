/** One zone: what it is, and its tabs. */
import type { ComponentType } from 'preact';
import { get, type VersionFacts, type Listed, readZone, type Zone, zonePath } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { at, isEarlier } from '../moment.ts';
import { may, mayWhole } from '../permissions.ts';
import { Basket } from '../parts/basket.tsx';
import { serialThen } from '../parts/past-bar.tsx';
import { Answered } from '../parts/states.tsx';
import { Ago, Unicode, visible } from '../parts/text.tsx';
import { ZoneStanding } from '../parts/zone-standing.tsx';
import { hrefOf, path } from '../router.ts';
import { actorText } from '../words.ts';
import { Compare } from './compare.tsx';
import { Dnssec } from './dnssec.tsx';
import { Records } from './records.tsx';
import { ZoneSecondaries } from './secondaries.tsx';
import { Settings } from './settings.tsx';
import { ZoneText } from './text.tsx';
import { Timeline } from './timeline.tsx';

const tabs = [
  ['records', 'Records'],
  ['timeline', 'Timeline'],
  ['compare', 'Compare'],
  ['text', 'Text'],
  ['dnssec', 'DNSSEC'],
  ['secondaries', 'Secondaries'],
  ['settings', 'Settings'],
] as const;

/** What some tabs need: the text, and differences, are of all records. */
const needed: Readonly<Record<string, (zone: string) => boolean>> = {
  compare: (zone) => mayWhole(zone, 'record:read'),
  text: (zone) => mayWhole(zone, 'record:read'),
  dnssec: (zone) => may(zone, 'dnssec:read'),
  secondaries: (zone) => may(zone, 'zone:read'),
};

function tabsOf({ name }: Zone) {
  return tabs.filter(([id]) => needed[id]?.(name) ?? true);
}

interface ContentProps {
  readonly zone: Zone;
  /** Of the moment of the page, once it is known. */
  readonly serial?: number | undefined;
}

/** What each tab has; an address that names none has the records. */
const contents: Readonly<Record<string, ComponentType<ContentProps>>> = {
  timeline: Timeline,
  compare: Compare,
  text: ZoneText,
  dnssec: Dnssec,
  secondaries: ZoneSecondaries,
  settings: Settings,
};

/** The latest version, or that of an earlier moment. */
async function readVersionAt(zone: string, moment: string, signal: AbortSignal) {
  const query = { limit: 1, at: moment };
  const { items } = await get<Listed<VersionFacts>>(zonePath(zone, '/versions'), query, signal);
  serialThen.value = { zone, at: moment, serial: items[0]?.serial };
  return items[0];
}

export function ZoneScreen() {
  const [, name = '', tab = 'records'] = path.value;
  const loaded = useLoaded((signal) => readZone(name, signal), [name]);
  const version = useLoaded((signal) => readVersionAt(name, at.value, signal), [name, at.value]);
  const Content = contents[tab] ?? Records;
  if (loaded.error !== undefined && loaded.value === undefined) {
    return (
      <>
        <header class="head">
          <h1>{visible(name)}</h1>
          <a href={hrefOf(['zones'])}>All zones</a>
        </header>
        <Answered loaded={loaded}>{() => null}</Answered>
      </>
    );
  }
  return (
    <Answered loaded={loaded}>
      {({ zone, signed }) => (
        <>
          <header class="head">
            <h1>
              {visible(zone.name)}
              <Unicode text={zone.name} />
            </h1>
            <ZoneFacts zone={zone} isSigned={signed} version={version.value} />
          </header>
          <nav class="tabs" aria-label="Zone">
            {tabsOf(zone).map(([id, label]) => (
              <a
                key={id}
                href={hrefOf(['zones', name, id])}
                aria-current={id === tab ? 'page' : undefined}
              >
                {label}
              </a>
            ))}
          </nav>
          <Content zone={zone} serial={version.isWaiting ? undefined : version.value?.serial} />
          {!isEarlier.value && <Basket zone={zone.name} />}
        </>
      )}
    </Answered>
  );
}

function ZoneFacts({
  zone,
  isSigned,
  version,
}: {
  readonly zone: Zone;
  readonly isSigned: boolean;
  readonly version: VersionFacts | undefined;
}) {
  return (
    <dl class="facts">
      <div>
        <dt>Serial</dt>
        <dd>{isEarlier.value ? (version?.serial ?? '…') : zone.serial}</dd>
      </div>
      {version !== undefined && (
        <div>
          <dt>{isEarlier.value ? 'Made' : 'Changed'}</dt>
          <dd>
            <Ago time={version.created_at} />
            {' by '}
            {actorText({ actor: version.actor, source: version.change_source })}
          </dd>
        </div>
      )}
      <div>
        <dt>State</dt>
        <dd>{zone.enabled ? 'served' : 'disabled'}</dd>
      </div>
      {!isEarlier.value && <ZoneStanding zone={zone} isSigned={isSigned} />}
    </dl>
  );
}
