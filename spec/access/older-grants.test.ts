/** Grants that an older version stored, of types that none of today names: who has them stays in. */
import { expect, it, onTestFinished } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { asOlderVersion } from '../support/older-types.ts';

const zone = 'older.example';

it('reads the types of a stored grant whatever may be stored today', async () => {
  const service = new InProcessService({ authenticationRequired: true });
  onTestFinished(() => service.close());
  await service.createZone(zone);
  const names = { record_name_pattern: 'x' };
  const secret = await asOlderVersion(async () => {
    for (const type of ['MD', 'TYPE10']) {
      const body = { zone_name: zone, name: 'x', type, value: '\\# 3 016100' };
      await service.call('POST', '/records', body, 201, 'local');
    }
    return service.tokenOf('older', [
      { actions: ['zone:read'] },
      { actions: ['record:read'], record_types: 'A,MD,MF', ...names },
      { actions: ['record:create'], record_types: 'TYPE10', ...names },
    ]);
  });
  const { items } = await service.call('GET', '/records', undefined, 200, secret);
  expect(items.map(({ type }: { type: string }) => type)).toEqual(['MD']);
  const explain = async (asked: string) => {
    const url = `/access/explain?token=older&name=x.${zone}&${asked}`;
    return (await service.call('GET', url, undefined, 200, 'local')).explanation.allowed;
  };
  expect(await explain('action=record:read&type=A')).toBe(true);
  expect(await explain('action=record:read&type=MF')).toBe(true);
  expect(await explain('action=record:create&type=TYPE10')).toBe(true);
  expect(await explain('action=record:read&type=TXT')).toBe(false);
  const grant = { actions: ['record:read'], record_types: 'A,MD' };
  await service.refused(
    'POST',
    '/roles/older/grants',
    grant,
    'INVALID_INPUT',
    "record_types: 'MD' is not a record type",
    'local',
  );
});
