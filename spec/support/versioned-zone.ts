/** A zone with a short history that the tests of versions share, a minute between two steps. */
import type { InProcessService } from './in-process.ts';

const minuteMs = 60_000;

/**
 * Serial 1 has the apex NS; 2 adds www A 192.0.2.1; 3 moves its TTL; 4 adds text; 5 changes the SOA; 6
 * deletes www. Returns the time of each serial, by serial.
 */
export async function makeHistory(
  service: InProcessService,
  name: string,
  as?: string,
): Promise<string[]> {
  const times: string[] = [''];
  const step = async (method: string, path: string, body?: object) => {
    const answer = await service.call(method, path, body, undefined, as);
    const list = `/zones/${name}/versions?limit=1`;
    const { items } = await service.call('GET', list, undefined, 200, as);
    times.push(items[0].created_at);
    service.pass(minuteMs);
    return answer;
  };
  await step('POST', '/zones', { name, mname: `ns1.${name}`, rname: `hostmaster@${name}` });
  const www = { zone_name: name, name: 'www', type: 'A', value: '192.0.2.1', ttl: 300 };
  const { record } = await step('POST', '/records', www);
  await step('PUT', `/records/${record.id}`, { ttl: 600 });
  await step('POST', '/records', { ...www, name: 'text', type: 'TXT', value: ['a', 'b'] });
  await step('PUT', `/zones/${name}`, { refresh: 900, default_ttl: 7200 });
  await step('DELETE', `/records/${record.id}`);
  return times;
}
