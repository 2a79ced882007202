/** How many changes have come since the list was read, and whether more would come. Its height never changes. */
import { type Live, liveEvents } from '../live.ts';
import { clockOf } from '../moment.ts';
import { counted } from '../counted.ts';

interface LiveBarProps {
  readonly live: Live;
  /** Of its events, those that are not in the list yet. */
  readonly count: number;
  readonly show: () => void;
}

export function LiveBar({ live: { isFull, lostSince }, count, show }: LiveBarProps) {
  const news = isFull ? `Over ${liveEvents} new changes` : counted(count, 'new change');
  return (
    <div class="live" role="status">
      {lostSince === undefined ? (
        <span class="muted">Live</span>
      ) : (
        <span class="lost">Not live since {clockOf(lostSince)}: trying again</span>
      )}
      {count > 0 && (
        <button type="button" onClick={show}>
          {news}: show
        </button>
      )}
    </div>
  );
}
