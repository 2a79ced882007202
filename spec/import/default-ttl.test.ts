/** Records of a file that states no TTL have that of the zone as it is when they come in. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Command } from '../../src/domain/command.ts';
import { InProcessService } from '../support/in-process.ts';
import { apiOptions } from '../support/stored-zones.ts';

const zoneName = 'example.com';
/** More than one command imports. */
const large = Array.from({ length: 3100 }, (_, at) => `h${at} IN AAAA 2001:db8::1\n`).join('');

let service: InProcessService;
beforeEach(async () => {
  service = new InProcessService();
  await service.createZone(zoneName);
});
afterEach(() => service.close());

/** Sets another default TTL before the first command of a kind, for which a file was read. */
function setBefore(kind: Command['kind'], defaultTtl: number): void {
  const { writer } = service;
  const submit = writer.submit.bind(writer);
  let isSet = false;
  writer.submit = async (command, options) => {
    if (command.kind === kind && !isSet) {
      isSet = true;
      await submit({ kind: 'update-zone', zoneName, defaultTtl }, apiOptions);
    }
    return submit(command, options);
  };
}

const ways = [
  ['import', 'import-zone', `/zones/${zoneName}/import`, ''],
  ['large import', 'publish-import', `/zones/${zoneName}/import`, large],
  ['desired state', 'apply-desired', `/zones/${zoneName}/desired?owner=shop`, ''],
] as const;

it.each(ways)('%s', async (_, kind, path, more) => {
  setBefore(kind, 1234);
  const content = `a IN A 192.0.2.1\nb IN A 192.0.2.1\n${more}c 60 IN A 192.0.2.1\nd IN A 192.0.2.1\n`;
  const answer = await service.call('POST', path, { content });
  const told = new Map<string, number>(
    answer.diff.entries.map(({ name, to }: { name: string; to: { ttl: number }[] }) => {
      return [name, to[0]!.ttl];
    }),
  );
  const names = ['a', 'b', ...(more === '' ? [] : ['h0', 'h3099']), 'c', 'd'];
  const expected = names.map((name) => [name, 'cd'.includes(name) ? 60 : 1234]);
  expect(names.map((name) => [name, told.get(`${name}.${zoneName}.`)])).toEqual(expected);
  for (const [name, ttl] of expected) {
    const { items } = await service.call('GET', `/records?zone_name=${zoneName}&name=${name}`);
    expect(items).toMatchObject([{ ttl }]);
  }
  expect(await service.verify()).toEqual([]);
});
