/** What is presented before it is asked for is what is done, or nothing is (If-Match). */
import type { Zone } from './answers.ts';
import type { Client } from './client.ts';

/** From now on the client writes only while a zone, in which a path is, is as it is now. */
export async function expectNow(path: string, client: Client): Promise<Zone> {
  const [, zones, name] = path.split('/');
  const { zone } = await client.get<{ zone: Zone }>(`/${zones}/${name}`);
  client.ifMatch = entityTag(zone);
  return zone;
}

/** The same of a zone by its id, whatever its name is by now. Of one that was deleted since, nothing is expected. */
export async function expectZone(id: number, client: Client): Promise<void> {
  const { items } = await client.get<{ items: readonly Zone[] }>('/zones', { id });
  client.ifMatch = items[0] && entityTag(items[0]);
}

function entityTag({ id, serial }: Zone): string {
  return `"${id}-${serial}"`;
}
