import { expect, it } from 'vitest';
import { namedAsCalled } from './called-as.ts';

it('names commands as the program was called, and nothing else', () => {
  const text = [
    "'zonebook zone list' shows the zones, (zonebook restore FILE) restores",
    '    zonebook token create NAME --role admin',
    "undo this with: zonebook undo 5; see 'zonebook --help'",
    'names a zonebook service in /var/lib/zonebook when zonebook runs',
  ].join('\n');
  expect(namedAsCalled(text, 'scripts/zonebook')).toBe(
    [
      "'scripts/zonebook zone list' shows the zones, (scripts/zonebook restore FILE) restores",
      '    scripts/zonebook token create NAME --role admin',
      "undo this with: scripts/zonebook undo 5; see 'scripts/zonebook --help'",
      'names a zonebook service in /var/lib/zonebook when zonebook runs',
    ].join('\n'),
  );
  expect(namedAsCalled(text, undefined)).toBe(text);
  expect(namedAsCalled("'zonebook undo'", '$& $1')).toBe("'$& $1 undo'");
});
