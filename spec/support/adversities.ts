/**
 * What a parent does while a zone below it rolls its keys: as the zone asks, or on a bad day. Each is a
 * pure function of what has happened so far; hours are drawn once for each roll.
 */

export const rollKinds = ['csk', 'ksk', 'zsk', 'algorithm', 'denial'] as const;
export type RollKind = (typeof rollKinds)[number];

/** What a roll looks like from outside. */
export interface RollView {
  /** What the zone asks for by its CDS. */
  readonly cds: readonly string[];
  /** The DS from before the roll. */
  readonly before: readonly string[];
  /** The DS that stand at the parent. */
  readonly served: readonly string[];
  readonly phase: 'publishing' | 'retiring' | 'done';
  /** Hours that the phase has lasted. */
  readonly hours: number;
  /** Hours since the parent could have seen what the zone asks for. */
  readonly requestedFor: number;
  /** Two numbers from 0 to below 1, the same for the whole roll. */
  readonly drawn: readonly [number, number];
}

export interface ParentState {
  readonly ds: readonly string[];
  /** Seconds; the usual one when left out. */
  readonly ttl?: number;
  /** Nobody answers the zone's own questions about its DS. */
  readonly isSilent?: boolean;
}

export interface Adversity {
  readonly name: string;
  readonly rolls: readonly RollKind[];
  readonly decide: (view: RollView) => ParentState;
}

const foreignDigest = '0C'.repeat(32);

/** A DS of a key that nobody has; its tag may be one that a key has. */
function foreignOf(ds: readonly string[]): string {
  const algorithm = ds[0]?.split(' ')[1] ?? '13';
  return `4711 ${algorithm} 2 ${foreignDigest}`;
}

export function isForeign(ds: string): boolean {
  return ds.endsWith(foreignDigest);
}

/** What the parent serves that follows CDS so many hours late. */
function followed(view: RollView, hours: number): readonly string[] {
  return view.cds.length > 0 && view.requestedFor >= hours ? view.cds : view.served;
}

/** True in a stretch of the phase: `from` its beginning on, for so many hours. */
const within = (hours: number, from: number, lasts: number) =>
  hours >= from && hours < from + lasts;

const withDs = ['csk', 'ksk', 'algorithm'] as const;

/** As good as parents are. */
export const prompt: Adversity = {
  name: 'prompt',
  rolls: rollKinds,
  decide: (view) => ({ ds: followed(view, view.drawn[0]) }),
};

export const adversities: readonly Adversity[] = [
  {
    name: 'late',
    rolls: withDs,
    decide: (view) => ({ ds: followed(view, 4 + 20 * view.drawn[0]) }),
  },
  {
    name: 'wrong beside right',
    rolls: withDs,
    decide(view) {
      const ds = followed(view, view.drawn[0]);
      const own = ds.filter((each) => !isForeign(each));
      return { ds: view.phase === 'done' || own.length === 0 ? own : [...own, foreignOf(own)] };
    },
  },
  {
    name: 'wrong for a while',
    rolls: withDs,
    decide(view) {
      const isWrong = within(view.hours, 4 * view.drawn[0], 1 + 5 * view.drawn[1]);
      if (isWrong && view.phase !== 'done') return { ds: [foreignOf(view.before)] };
      const ds = followed(view, view.drawn[0]);
      return { ds: ds.every(isForeign) ? view.cds : ds };
    },
  },
  {
    name: 'silent',
    rolls: ['csk', 'ksk', 'zsk'],
    decide: (view) => ({
      ds: followed(view, view.drawn[0]),
      isSilent: within(view.hours, 6 * view.drawn[0], 4 + 8 * view.drawn[1]),
    }),
  },
  {
    name: 'silent before promotion',
    rolls: ['algorithm'],
    decide: (view) => ({
      ds: followed(view, view.drawn[0]),
      isSilent: view.phase === 'publishing' && within(view.hours, 6 * view.drawn[0], 12),
    }),
  },
  {
    name: 'silent after promotion',
    rolls: ['algorithm'],
    decide: (view) => ({
      ds: view.phase === 'retiring' ? followed(view, 30) : followed(view, view.drawn[0]),
      isSilent: view.phase === 'retiring' && view.hours < 30 + 10 * view.drawn[1],
    }),
  },
  {
    name: 'TTL lowered with the roll',
    rolls: withDs,
    decide(view) {
      // Late enough for the zone to take over at once, while caches hold the old DS for its old TTL.
      const ds = followed(view, view.phase === 'publishing' ? 1.3 : view.drawn[0]);
      const isNew = view.phase !== 'done' && ds.join() !== view.before.join();
      return { ds, ...(isNew ? { ttl: 60 } : {}) };
    },
  },
  {
    name: 'withdrawn before promotion',
    rolls: withDs,
    decide(view) {
      const from = 8 * view.drawn[0];
      if (view.phase !== 'publishing') return { ds: followed(view, 0) };
      return within(view.hours, from, 2 + 6 * view.drawn[1])
        ? { ds: [] }
        : { ds: view.hours >= from ? view.cds : followed(view, view.drawn[0]) };
    },
  },
  {
    name: 'withdrawn after promotion',
    rolls: withDs,
    decide(view) {
      const from = 4 * view.drawn[0];
      return view.phase === 'retiring' && within(view.hours, from, 2 + 10 * view.drawn[1])
        ? { ds: [] }
        : { ds: followed(view, view.drawn[0]) };
    },
  },
  {
    name: 'moved back after promotion',
    rolls: withDs,
    decide(view) {
      const isBack = view.phase === 'retiring' && within(view.hours, 0, 12 * view.drawn[1]);
      return { ds: isBack ? view.before : followed(view, view.drawn[0]) };
    },
  },
  {
    name: 'moved back before promotion',
    rolls: withDs,
    decide(view) {
      const isBack = view.phase === 'publishing' && within(view.hours, 1.3, 5 * view.drawn[1]);
      return { ds: isBack ? view.before : followed(view, 0) };
    },
  },
];
