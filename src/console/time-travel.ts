/** Ways in time, from change to change or by days: of the zone of the page, or of all zones where it is of none. */
import { dayMs } from './duration.ts';
import { signal } from '@preact/signals';
import { type Event, get, type Query } from './api.ts';
import { deletedId } from './deleted.ts';
import { at, isEarlier } from './moment.ts';
import { go, hrefWith, path } from './router.ts';
import { isRoutine } from './routine.ts';
import { say } from './write.ts';

/** A day from a moment that was now a while ago leads to now. */
const nearNowMs = 600_000;
/** Events that are asked for at once, and how often, to find one that is no signing run of the service. */
const eventsAtOnce = 50;
const questions = 10;

interface EventPage {
  readonly items: readonly Event[];
  readonly next_after: number | null;
  readonly next_before: number | null;
}

/** Each key goes on from where the one before has led. */
const moves = signal<Promise<void>>(Promise.resolve());

export function zoneOfPage(): string | undefined {
  const [screen, zone] = path.value;
  return screen === 'zones' ? zone : undefined;
}

function goTo(time: string | undefined): void {
  go(hrefWith({ at: time, offset: undefined }));
}

const shifted = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();

/** The first change in a direction; undefined where there is none. Throws a Problem. */
async function firstChange(order: 'asc' | 'desc', bounds: Query): Promise<Event | undefined> {
  const zone = zoneOfPage();
  let from: Query = {};
  for (let count = 0; count < questions; count++) {
    const query = {
      zone,
      zone_id: deletedId.value,
      order,
      limit: eventsAtOnce,
      ...bounds,
      ...from,
    };
    const page = await get<EventPage>('/events', query);
    const found = page.items.find(
      (event) => !isRoutine(event) && (zone === undefined || event.serial !== null),
    );
    const next = order === 'asc' ? page.next_after : page.next_before;
    if (found !== undefined || next === null) return found;
    from = { [order === 'asc' ? 'after' : 'before']: next };
  }
  return undefined;
}

/** To before the change that made what is presented. */
async function back(): Promise<void> {
  const present = await firstChange('desc', { until: at.value });
  const earlier = present && (await firstChange('desc', { until: shifted(present.at, -1) }));
  if (earlier === undefined) say('There is no earlier change.');
  else goTo(earlier.at);
}

async function forward(): Promise<void> {
  if (isEarlier.value) goTo((await firstChange('asc', { since: shifted(at.value, 1) }))?.at);
  else say('You look at now.');
}

export function moveByChange(by: 1 | -1): void {
  moves.value = moves.value
    .then(by < 0 ? back : forward)
    .catch((error: Error) => void say(error.message));
}

/** At most to now. */
export function moveByDay(by: 1 | -1): void {
  const time = (isEarlier.value ? Date.parse(at.value) : Date.now()) + by * dayMs;
  goTo(time < Date.now() - nearNowMs ? new Date(time).toISOString() : undefined);
}
