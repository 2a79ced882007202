/** What is presented before it is asked for is what is done, or nothing is (If-Match). */
import type { Zone } from './answers.ts';
import type { Client } from './client.ts';

/** From now on the client writes only while a zone, in which a path is, is as it is now. */
export async function expectNow(path: string, client: Client): Promise<Zone> {
  const [, zones, name] = path.split('/');
  const { zone } = await client.get<{ zone: Zone }>(`/${zones}/${name}`);
  client.ifMatch = `"${zone.id}-${zone.serial}"`;
  return zone;
}
