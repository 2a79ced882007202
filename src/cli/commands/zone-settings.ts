/** What a change of the settings of a zone changes: its answer is the zone as it would be. */
import { isDeepStrictEqual } from 'node:util';
import type { Zone } from '../answers.ts';
import { type Client, segment } from '../client.ts';

export type ZoneAnswer = { readonly dry_run: boolean; readonly zone: Zone };

/** `name`: that of the zone before. The serial alone is no change. */
export async function changesZone(
  { zone: after }: ZoneAnswer,
  name: unknown,
  client: Client,
): Promise<boolean> {
  const { zone } = await client.get<{ zone: Zone }>(`/zones/${segment(String(name))}`);
  return !isDeepStrictEqual({ ...zone, serial: 0 }, { ...after, serial: 0 });
}
