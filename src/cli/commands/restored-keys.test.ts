/** Which keys a restore leaves behind, of databases of every version and state. */
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { enabled } from '../../../spec/support/key-ring.ts';
import { storedSigning, unsigned } from '../../domain/signing.ts';
import { keysLeft, keysLeftText, keysOfZones } from './restored-keys.ts';

it('are those of zones that the backup has not, whatever is damaged beside them', () => {
  using stack = new DisposableStack();
  const connection = new Sqlite(':memory:');
  stack.defer(() => connection.close());
  expect(keysOfZones(connection)).toEqual([]);
  connection.exec(
    'CREATE TABLE zone (id INTEGER, name TEXT); CREATE TABLE zone_signing (zone_id INTEGER, state TEXT)',
  );
  const [ksk, zsk] = enabled(13, true);
  const state = JSON.stringify(storedSigning({ ...unsigned, keys: [ksk!, zsk!] }));
  for (const [id, name, text] of [
    [1, 'b.example', state],
    [2, 'a.example', '{"keys":'],
  ]) {
    connection.prepare('INSERT INTO zone VALUES (?, ?)').run(id, name);
    connection.prepare('INSERT INTO zone_signing VALUES (?, ?)').run(id, text);
  }
  const found = keysOfZones(connection);
  expect(found.map(({ zone, key }) => [zone, key.role])).toEqual([
    ['b.example', 'ksk'],
    ['b.example', 'zsk'],
  ]);
  expect(keysLeft(found, found)).toEqual([]);
  const left = keysLeft(found, found.slice(1));
  const { keyTag } = ksk!;
  expect(left).toEqual([{ zone: 'b.example', key_tag: keyTag, role: 'ksk', state: 'active' }]);
  expect(keysLeftText(left, 'x')[0]).toBe(
    `not in the backup: key ${keyTag} (ksk, active) of b.example`,
  );
  expect(keysLeftText(left, 'x').join(' ')).toContain("by '--key-tag' and without '--replace'");
  expect(keysLeftText([], 'x')).toEqual([]);
});
