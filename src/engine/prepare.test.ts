/** Work of the service's own that waits for no disk, beside commands that do. */
import { afterEach, describe, expect, it } from 'vitest';
import { openStoredZones, record, type StoredZones } from '../../spec/support/stored-zones.ts';

let stored: StoredZones | undefined;
afterEach(() => stored?.close());

const [normal, full] = [1, 2];

describe('what is prepared', () => {
  it('is committed by itself and unsynced, and commands are synced as ever', async () => {
    stored = openStoredZones();
    const { engine, connection } = stored;
    const levels: string[] = [];
    const look = (who: string) => () => {
      levels.push(`${who} ${connection.pragma('synchronous', { simple: true })}`);
    };
    await stored.zone('example.com');
    await Promise.all([
      engine.prepare(look('prepared')),
      engine.prepare(look('prepared')),
      stored.add('example.com', record('a', 'A', '192.0.2.1')),
      engine.write(look('written')),
      engine.prepare(look('prepared')),
      engine.write(look('written')),
    ]);
    expect(levels).toEqual([
      `prepared ${normal}`,
      `prepared ${normal}`,
      `written ${full}`,
      `prepared ${normal}`,
      `written ${full}`,
    ]);
    expect(stored.zones.byName('example.com')).toMatchObject({ serial: 2 });
  });

  it('fails alone, and what comes after is synced', async () => {
    stored = openStoredZones();
    const { engine, connection } = stored;
    const failing = engine.prepare(() => {
      throw new Error('the slice is broken');
    });
    const other = engine.prepare(() => 'well');
    await expect(failing).rejects.toThrow('broken');
    expect(await other).toBe('well');
    const level = await engine.write(() => connection.pragma('synchronous', { simple: true }));
    expect(level).toBe(full);
  });
});
