/**
 * Cursors that nobody could make up without the key file, in the form of those that pages give: they are refused, and
 * nothing fails on them. An
 * owner of an empty label has no end for a loop over labels.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, it } from 'vitest';
import { SealedTexts } from '../../src/http/sealed-text.ts';
import { openKeyFile } from '../../src/keystore/sealing.ts';
import { InProcessService } from '../support/in-process.ts';

const name = 'made-up.example';
const paths = [
  '/zones?sort=records',
  '/zones?deleted=true',
  '/records?',
  `/records?zone_name=${name}&sort=ttl&order=desc`,
  `/records?zone_name=${name}&signed=true`,
  `/records?zone_name=${name}&at=3`,
  `/records?zone_name=${name}&at=3&sort=type`,
  '/search?q=192.0.2.1',
  `/zones/${name}/lint?`,
  '/roles?',
  `/zones/${name}/versions?`,
];

let service: InProcessService;
let sealed: SealedTexts;
beforeAll(async () => {
  service = new InProcessService();
  const key = openKeyFile(join(service.folder, 'keys.key'));
  sealed = new SealedTexts((purpose) => key.keyFor(purpose), 'cursors');
  await service.createZone(name);
  await service.createZone('other.example');
  for (const host of ['a', 'b']) {
    const record = { zone_name: name, name: host, type: 'A', value: '192.0.2.1' };
    await service.call('POST', '/records', record, 201);
    await service.createZone(`${host}.${name}`);
    await service.call('DELETE', `/zones/${host}.${name}`);
    await service.call('POST', '/roles', { name: host }, 201);
  }
  await service.searchIndex.run();
});
afterAll(() => service.close());

/** Another position of the same list, for which 8 bytes stand. */
function withPosition(cursor: string, content: string): string {
  const list = sealed.open(cursor)!.subarray(0, 8);
  return sealed.seal(Buffer.concat([list, Buffer.from(content)]));
}

function positionIn(cursor: string): unknown[] {
  return JSON.parse(sealed.open(cursor)!.subarray(8).toString());
}

const refused = (path: string) =>
  service.refused('GET', path, undefined, 'INVALID_INPUT', 'next_cursor of a page');

it.each(paths)('%s', async (path) => {
  const { next_cursor } = await service.call('GET', `${path}&limit=1`);
  const position = positionIn(next_cursor);
  await service.call(
    'GET',
    `${path}&cursor=${withPosition(next_cursor, JSON.stringify(position))}`,
  );
  const shorter = position.slice(0, -1);
  const others: unknown[] = [{}, null, 'x', [], shorter, position.map(() => null)];
  for (const odd of [{}, [], true, null, 1.5, 1e300]) {
    for (const at of position.keys()) others.push(position.with(at, odd));
  }
  for (const content of ['{', ...others.map((other) => JSON.stringify(other))]) {
    await refused(`${path}&cursor=${withPosition(next_cursor, content)}`);
  }
});

it('takes no owner and no zone that is no name', async () => {
  for (const path of paths.filter((path) => path.startsWith('/records'))) {
    const { next_cursor } = await service.call('GET', `${path}&limit=1`);
    for (const at of [1, 2]) {
      for (const owner of ['\0', 'a', 'a\0\0', 'A\0', 7]) {
        const position = positionIn(next_cursor).with(at, owner);
        await refused(`${path}&cursor=${withPosition(next_cursor, JSON.stringify(position))}`);
      }
    }
  }
  const rrset = (numbers: number, owner: string) =>
    Buffer.concat([Buffer.alloc(2 + 4 * numbers), Buffer.from(owner, 'latin1')]);
  for (const owner of ['\0', 'a', 'a\0\0', 'A\0']) {
    for (const [numbers, path] of [
      [0, '/events/2?'],
      [0, `/zones/${name}/blame?`],
      [1, `/zones/${name}/versions/1?`],
      [2, `/zones/${name}/versions/diff?from=1`],
    ] as const) {
      await refused(`${path}&cursor=${rrset(numbers, owner).toString('base64url')}`);
    }
  }
});
