/** What is probably a mistake in the records of zones: it is counted, and fails nothing. */
import type { Listing, Warning, Zone } from '../answers.ts';
import { type Client, segment } from '../client.ts';
import { type CheckResults, inTurns, ok, skip } from './check-result.ts';

/** Zones that are looked at at a time. */
const atOnce = 4;

/** `zones` is how many zones are looked at, by name, each up to its first thousand findings. */
export async function* checkLint(client: Client, zones: number): CheckResults {
  const limit = Math.min(1000, Math.max(1, zones));
  const { items, pagination } = await client.get<Listing<Zone>>('/zones', { limit });
  const pages = await inTurns(items, atOnce, ({ name }) =>
    client.get<{ items: Warning[] }>(`/zones/${segment(name)}/lint`, { limit: 1000 }),
  );
  const found = pages.flatMap((page) => page.items);
  const kinds = [...Map.groupBy(found, ({ code }) => code)].sort();
  const counts = kinds.map(([code, { length }]) => `${length} ${code}`).join(', ');
  const what = counts === '' ? 'nothing was found' : counts;
  const advice = counts === '' ? null : "'zonebook zone lint --all' lists them";
  yield { ...ok('lint', `${items.length} zones: ${what}`), what_to_do: advice };
  const left = pagination.total - items.length;
  if (left > 0) yield skip('lint', `${left} more zones were not looked at`, 'give --zones');
}
