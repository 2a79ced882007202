/** The activity of a zone as a table: the spans in which anything happened. */
import type { Activity } from '../api.ts';
import { absolute } from '../moment.ts';
import { isQuiet } from '../spans.ts';

export function ActivityTable({
  activity: { items },
  choose,
}: {
  readonly activity: Activity;
  readonly choose: (index: number) => void;
}) {
  const active = items.map((span, index) => ({ ...span, index })).filter((span) => !isQuiet(span));
  return (
    <details>
      <summary>Activity as a table</summary>
      <table class="rows">
        <caption class="unseen">Activity</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col" class="number">
              Changes
            </th>
            <th scope="col" class="number">
              Added
            </th>
            <th scope="col" class="number">
              Removed
            </th>
            <th scope="col" class="number">
              Signing runs
            </th>
            <th scope="col">Sources</th>
          </tr>
        </thead>
        <tbody>
          {active.map(({ at, changes, added, removed, signing, by_source: sources, index }) => (
            <tr key={at}>
              <th scope="row">
                <button type="button" class="quiet" onClick={() => choose(index)}>
                  {absolute(at)}
                </button>
              </th>
              <td class="number" data-label="Changes">
                {changes}
              </td>
              <td class="number" data-label="Added">
                {added}
              </td>
              <td class="number" data-label="Removed">
                {removed}
              </td>
              <td class="number" data-label="Signing runs">
                {signing}
              </td>
              <td data-label="Sources">{Object.keys(sources).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
