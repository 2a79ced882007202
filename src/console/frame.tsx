/** What stands around every screen: the name, the moment, who is logged in, the way to the other screens. */
import type { ComponentType } from 'preact';
import { useSignalEffect } from '@preact/signals';
import { needsLogin, unreachableSince } from './api.ts';
import { deletedId } from './deleted.ts';
import { askNow, heldUntil } from './held.ts';
import { isHelpOpen } from './keys.ts';
import { absolute, at, fieldText, instantOf, isEarlier, zoneNote } from './moment.ts';
import { ScreenAsCommand } from './parts/as-command.tsx';
import { Help } from './parts/help.tsx';
import { Lagging } from './parts/lagging.tsx';
import { PastBar } from './parts/past-bar.tsx';
import { Preview } from './parts/preview.tsx';
import { Countdown } from './parts/refusal.tsx';
import { SecretDialog } from './parts/secret.tsx';
import { SearchBox } from './parts/search-box.tsx';
import { Toasts } from './parts/toasts.tsx';
import { visible, TimesSwitch } from './parts/text.tsx';
import { holds, may } from './permissions.ts';
import { go, hrefOf, hrefWith, parameter, path, unreadable } from './router.ts';
import { Access } from './screens/access.tsx';
import { Bin } from './screens/bin.tsx';
import { Changes } from './screens/changes.tsx';
import { DeletedZoneScreen } from './screens/deleted-zone.tsx';
import { Health } from './screens/health.tsx';
import { Import } from './screens/import.tsx';
import { Login } from './screens/login.tsx';
import { Search } from './screens/search.tsx';
import { Secondaries } from './screens/secondaries.tsx';
import { ZoneScreen } from './screens/zone.tsx';
import { Zones } from './screens/zones.tsx';
import { secret } from './secret.ts';
import { logOut, self } from './session.ts';
import { pending } from './write.ts';

const screens = [
  ['zones', 'Zones'],
  ['changes', 'Changes'],
  ['secondaries', 'Secondaries'],
  ['access', 'Access'],
  ['bin', 'Bin'],
  ['health', 'Health'],
] as const;

/** What the lists of some screens need; the others have something for everybody. */
function isOpen(id: string): boolean {
  if (id === 'secondaries') return may(undefined, 'secondary:read', 'secondary:manage');
  return id !== 'bin' || holds(undefined, 'zone:create');
}

const contents: Readonly<Record<string, ComponentType>> = {
  changes: Changes,
  secondaries: Secondaries,
  access: Access,
  bin: Bin,
  health: Health,
  import: Import,
  search: Search,
};

function Screen() {
  const [first = 'zones', zone] = path.value;
  const Content = contents[first] ?? Zones;
  if (deletedId.value !== undefined) return <DeletedZoneScreen key={deletedId.value} />;
  return zone === undefined || first === 'bin' ? <Content /> : <ZoneScreen key={zone} />;
}

export function Frame() {
  const [first = 'zones', zone] = path.value;
  useSignalEffect(() => {
    const [first, name, tab] = path.value;
    const searched = first === 'search' ? visible(parameter('q')) : '';
    document.title = [searched, name && visible(name), tab, 'Zonebook']
      .filter((part) => part)
      .join(' · ');
  });
  return (
    <div class={isEarlier.value ? 'frame past' : 'frame'}>
      <a class="skip" href="#main">
        To the content
      </a>
      <header class="top">
        <a class="brand" href={hrefOf(['zones'], { at: undefined })}>
          Zonebook
        </a>
        <nav aria-label="Screens">
          {screens
            .filter(([id]) => isOpen(id))
            .map(([id, label]) => (
              <a key={id} href={hrefOf([id])} aria-current={id === first ? 'page' : undefined}>
                {label}
              </a>
            ))}
        </nav>
        <SearchBox />
        <MomentPicker />
        {!isEarlier.value && may(undefined, 'zone:read') && <Lagging />}
        <TimesSwitch />
        <Who />
      </header>
      {unreachableSince.value !== null && (
        <p class="bar failure" role="alert">
          Not connected since {absolute(new Date(unreachableSince.value).toISOString())}. What you
          see is from then.
        </p>
      )}
      {heldUntil.value !== null && (
        <div class="bar" role="status" aria-label="Waiting">
          <Countdown until={heldUntil.value} />
          <button type="button" onClick={askNow}>
            Try now
          </button>
        </div>
      )}
      {isEarlier.value && <PastBar zone={first === 'zones' ? zone : undefined} />}
      {unreadable.value.map(([name, text]) => (
        <p class="bar moment-bar" role="status" key={name}>
          <span>
            The address names no time: {name}={visible(text)} is not like 2026-11-20T14:00:00Z.
            {name === 'at' && ' You look at now.'}
          </span>
          <a href={hrefWith({ [name]: undefined })}>Without it</a>
        </p>
      ))}
      <main id="main" tabIndex={-1}>
        {self.value !== undefined && <Screen />}
        {self.value !== undefined && <ScreenAsCommand />}
      </main>
      <Toasts />
      {pending.value !== undefined && <Preview write={pending.value} />}
      {secret.value !== undefined && <SecretDialog key={secret.value.text} shown={secret.value} />}
      {needsLogin.value && <Login />}
      {isHelpOpen.value && <Help />}
    </div>
  );
}

function Who() {
  if (self.value === undefined) return null;
  const { session, token } = self.value;
  const name = token?.name ?? session?.user?.name ?? 'everybody';
  return (
    <div class="who">
      <span>
        {visible(name)} <span class="muted">({token?.role_name ?? 'full rights'})</span>
      </span>
      {session !== null && (
        <button type="button" class="quiet" onClick={() => void logOut()}>
          Log out
        </button>
      )}
    </div>
  );
}

function MomentPicker() {
  return (
    <label class={isEarlier.value ? 'moment set' : 'moment'}>
      <span>
        {isEarlier.value ? 'At' : 'Now, or at'}
        {zoneNote}
      </span>
      <input
        type="datetime-local"
        step="1"
        value={fieldText(at.value)}
        onChange={(event) => {
          go(hrefWith({ at: instantOf(event.currentTarget.value), offset: undefined }));
        }}
      />
    </label>
  );
}
