/** Export of a zone as it is, at a serial and at a time. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { makeHistory } from '../support/versioned-zone.ts';

const name = 'out.example';
let service: InProcessService;
let times: string[];
beforeAll(async () => {
  service = new InProcessService();
  times = await makeHistory(service, name);
});
afterAll(() => service.close());

async function exported(query = '', zone = name): Promise<string> {
  const response = await service.fetch('GET', `/zones/${zone}/export${query}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  return response.text();
}
const recordLines = (text: string) =>
  text.split('\n').filter((line) => /^\S+\s+\d+\s+IN/.test(line));

it('is a master file of the zone as it is', async () => {
  const text = await exported();
  expect(text).toMatch(/^; zone out\.example serial 6 /);
  expect(text).toContain('$ORIGIN out.example.');
  expect(text).toContain('$TTL 7200');
  expect(recordLines(text).map((line) => line.split(/\s+/).slice(0, 4).join(' '))).toEqual([
    '@ 7200 IN SOA',
    '@ 3600 IN NS',
    'text 300 IN TXT',
  ]);
  expect(await exported('?signed=true')).toBe(text);
  expect(await exported('?signed=false&serial=6')).toBe(text);
});

it('shows earlier states by serial and by time', async () => {
  const third = await exported('?serial=3');
  expect(third).toMatch(/serial 3 /);
  expect(third).toMatch(/^www\s+600\s+IN\s+A\s+192\.0\.2\.1$/m);
  expect(third).toContain('$TTL 3600');
  expect(third).not.toContain('TXT');
  expect(await exported(`?at=${times[3]}`)).toBe(third);
});

it('goes back in unchanged (case 70)', async () => {
  const text = await exported('?serial=5');
  const copy = 'copy.example';
  const content = text.replaceAll(name, copy);
  const body = { content, create: true, mode: 'replace' };
  const { summary, errors } = await service.call('POST', `/zones/${copy}/import`, body);
  expect([errors, summary.added]).toEqual([[], 3]);
  expect(await exported('', copy)).toBe(content);
});

it('refuses what does not go together or is not there', async () => {
  const refused = (query: string, code: string) =>
    service.refused('GET', `/zones/${name}/export${query}`, undefined, code);
  await refused(`?serial=1&at=${times[1]}`, 'INVALID_INPUT');
  await refused('?serial=99', 'VERSION_NOT_FOUND');
  await refused('?at=2000-01-01T00:00:00Z', 'VERSION_NOT_FOUND');
  await service.refused('GET', '/zones/none.example/export', undefined, 'ZONE_NOT_FOUND');
});

it('answers HEAD without a body', async () => {
  const response = await service.request(`/zones/${name}/export`, { method: 'HEAD' });
  expect([response.status, await response.text()]).toEqual([200, '']);
});
