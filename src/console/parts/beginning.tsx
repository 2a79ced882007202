/** What stands below the first change of a zone, and instead of changes where it has none. */
import type { Beginning } from '../beginning.ts';
import { absolute } from '../moment.ts';
import { actorText } from '../words.ts';
import { Ago, visible } from './text.tsx';

export function BeginningText({
  zone,
  beginning: { made, retainedFrom },
}: {
  readonly zone: string;
  readonly beginning: Beginning;
}) {
  if (made === undefined) return null;
  return (
    <p class="muted">
      {visible(zone)} was created <Ago time={made.at} /> by {visible(actorText(made))}. Its history
      begins here.
      {retainedFrom !== undefined &&
        ` Versions before ${absolute(retainedFrom)} were deleted by retention: who changed the zone when stays known, not what.`}
    </p>
  );
}
