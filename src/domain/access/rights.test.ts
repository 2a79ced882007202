import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyFromLabels, type NameKey } from '../../dns/name.ts';
import { isStorable, printType, rrtype } from '../../dns/rrtype.ts';
import { type Action, actions, allZonesOnly, recordActions } from '../../base/action.ts';
import type { Grant } from './model.ts';
import { matchesName, matchesType, parseNamePattern, parseTypeSet } from './pattern.ts';
import { compileGrant, fullRights, noRights, Rights, type ZoneSet } from './rights.ts';

const zones = [1, 2, 3];
const labels = ['www', 'sub', 'a', '*', '_acme'];
const types = [rrtype.A, rrtype.TXT, rrtype.MX];

const owner = fc.array(fc.constantFrom(...labels), { maxLength: 3 }).map(keyFromLabels);
const nameText = fc
  .array(fc.constantFrom('www', 'sub', 'a', '_acme'), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('.'));
const pattern = fc.oneof(
  fc.constantFrom('*', '@', '\\*', '\\*.sub'),
  nameText,
  nameText.map((name) => `*.${name}`),
  nameText.map((name) => `${name}.**`),
);
const typeText = fc.oneof(
  fc.constant('*'),
  fc.subarray(types, { minLength: 1 }).map((some) => some.map(printType).join(',')),
);

const grant: fc.Arbitrary<Grant> = fc.record({
  id: fc.constant(1),
  roleId: fc.constant(1),
  zoneId: fc.option(fc.constantFrom(...zones)),
  actions: fc.subarray([...actions], { minLength: 1 }),
  recordNamePattern: pattern.map((text) => parseNamePattern(text).normal),
  recordTypes: typeText,
  createdAt: fc.constant(0),
});
const grants = fc.array(grant, { maxLength: 5 });

function rightsOf(some: readonly Grant[]): Rights {
  return new Rights(some.map(compileGrant));
}

/** Everything that can be asked of rights, as the questions that were answered yes. */
function allowed(rights: Rights, owners: readonly NameKey[]): Set<string> {
  const yes = new Set<string>();
  const note = (question: string, answer: boolean) => answer && yes.add(question);
  for (const action of actions) note(`${action} everywhere`, rights.everywhere(action));
  for (const zone of zones) {
    note(`sees ${zone}`, rights.sees(zone));
    for (const action of actions) note(`${action} in ${zone}`, rights.inZone(action, zone));
    for (const action of recordActions) {
      note(`${action} whole ${zone}`, rights.whole(action, zone));
      for (const name of owners) {
        for (const type of [...types, undefined]) {
          const question = `${action} on ${JSON.stringify(name)} ${type} in ${zone}`;
          note(question, rights.onRecord(action, zone, name, type));
        }
      }
    }
    for (const name of owners) {
      for (const type of types) {
        const question = `sees ${JSON.stringify(name)} ${type} in ${zone}`;
        note(question, rights.seesRecord(zone, name, type));
      }
    }
  }
  return yes;
}

function expectSubset(less: Set<string>, more: Set<string>): void {
  for (const question of less) expect(more.has(question), question).toBe(true);
}

function hasZone(set: ZoneSet, zone: number): boolean {
  return set === 'all' || set.has(zone);
}

const someOwners = fc.array(owner, { minLength: 1, maxLength: 4 });

describe('rights', () => {
  it('never grow when a grant is removed', () => {
    fc.assert(
      fc.property(grants, grant, someOwners, (rest, removed, owners) => {
        expectSubset(
          allowed(rightsOf(rest), owners),
          allowed(rightsOf([...rest, removed]), owners),
        );
      }),
    );
  });

  it('never grow when a grant is narrowed', () => {
    const narrowed = fc.record({
      zoneId: fc.constantFrom(...zones),
      recordNamePattern: pattern.map((text) => parseNamePattern(text).normal),
      recordTypes: typeText,
    });
    const way = fc.constantFrom('zone', 'names', 'types', 'actions');
    fc.assert(
      fc.property(grants, grant, narrowed, way, someOwners, (rest, wide, to, which, owners) => {
        const whole = { ...wide, zoneId: null, recordNamePattern: '*', recordTypes: '*' };
        const narrower: Grant =
          which === 'zone'
            ? { ...whole, zoneId: to.zoneId }
            : which === 'names'
              ? { ...whole, recordNamePattern: to.recordNamePattern }
              : which === 'types'
                ? { ...whole, recordTypes: to.recordTypes }
                : { ...whole, actions: wide.actions.slice(1) };
        expectSubset(
          allowed(rightsOf([...rest, narrower]), owners),
          allowed(rightsOf([...rest, whole]), owners),
        );
      }),
    );
  });

  it('are the union of what each grant allows', () => {
    fc.assert(
      fc.property(grants, someOwners, (some, owners) => {
        const together = allowed(rightsOf(some), owners);
        const each = some.map((one) => allowed(rightsOf([one]), owners));
        expect(together).toEqual(new Set(each.flatMap((questions) => [...questions])));
      }),
    );
  });

  it('allow whole what they allow on every name and type, and the other way round', () => {
    fc.assert(
      fc.property(grants, someOwners, (some, owners) => {
        const rights = rightsOf(some);
        for (const action of recordActions) {
          for (const zone of zones) {
            if (!rights.whole(action, zone)) continue;
            for (const name of owners) {
              expect(rights.onRecord(action, zone, name, undefined)).toBe(true);
            }
          }
        }
      }),
    );
  });

  it('tell scopes in which exactly the records lie that may be read', () => {
    fc.assert(
      fc.property(grants, owner, fc.constantFrom(...types), (some, name, type) => {
        const rights = rightsOf(some);
        for (const zone of zones) {
          const scopes = rights.scopesIn('record:read', zone);
          const inScope = scopes.some(
            (scope) => matchesName(scope.names, name) && matchesType(scope.types, type),
          );
          if (inScope) expect(hasZone(rights.zonesOf('record:read'), zone)).toBe(true);
          expect(inScope).toBe(rights.onRecord('record:read', zone, name, type));
        }
      }),
    );
  });

  it('show the zones that any grant reaches', () => {
    fc.assert(
      fc.property(grants, (some) => {
        const rights = rightsOf(some);
        const visible = rights.visibleZones();
        for (const zone of zones) expect(hasZone(visible, zone)).toBe(rights.sees(zone));
        if (visible === 'all') expect(rights.sees(99)).toBe(true);
      }),
    );
  });

  it('tell the actions held in a zone as single questions do', () => {
    fc.assert(
      fc.property(grants, (some) => {
        const rights = rightsOf(some);
        for (const zone of zones) {
          const { actions: held, whole } = rights.actionsIn(zone);
          const asked = actions.filter((action) => rights.inZone(action, zone));
          expect(held.filter((action) => !allZonesOnly.has(action))).toEqual(
            asked.filter((action) => !allZonesOnly.has(action)),
          );
          expect(whole).toEqual(recordActions.filter((action) => rights.whole(action, zone)));
        }
      }),
    );
  });

  it('are nothing without grants and everything when full', () => {
    const apex = keyFromLabels([]);
    expect(allowed(noRights, [apex]).size).toBe(0);
    for (const action of actions) expect(fullRights.everywhere(action)).toBe(true);
    expect(fullRights.actionsIn(null)).toEqual({ actions, whole: recordActions });
    expect(fullRights.visibleZones()).toBe('all');
    expect(noRights.visibleZones()).toEqual(new Set());
    expect(noRights.scopesIn('record:read', 1)).toEqual([]);
    expect(Rights.of(noRights.message()).sees(1)).toBe(false);
    expect(Rights.of(fullRights.message()).isFull).toBe(true);
  });
});

describe('rights that include others', () => {
  it('allow whatever those allow', () => {
    fc.assert(
      fc.property(grants, grants, someOwners, (mine, theirs, owners) => {
        if (!rightsOf(mine).include(rightsOf(theirs))) return;
        expectSubset(allowed(rightsOf(theirs), owners), allowed(rightsOf(mine), owners));
      }),
      { numRuns: 1000 },
    );
  });

  it('are those that have the same grants or more, and full ones', () => {
    fc.assert(
      fc.property(grants, grants, (some, more) => {
        expect(rightsOf([...more, ...some]).include(rightsOf(some))).toBe(true);
        expect(fullRights.include(rightsOf(some))).toBe(true);
        expect(rightsOf(some).include(noRights)).toBe(true);
        expect(rightsOf(some).include(fullRights)).toBe(false);
      }),
    );
  });
});

describe('type lists', () => {
  it('read back from their normal form: upper-case, each once', () => {
    const storable = fc.integer({ min: 1, max: 65_534 }).filter(isStorable);
    const number = fc.oneof(storable, fc.constant(rrtype.SOA));
    fc.assert(
      fc.property(fc.array(number, { minLength: 1, maxLength: 5 }), (numbers) => {
        const written = numbers.map((type) => printType(type).toLowerCase()).join(' , ');
        const { types: read, normal } = parseTypeSet(written);
        expect(read).toEqual(new Set(numbers));
        expect(normal).toBe([...new Set(numbers)].map(printType).join(','));
        expect(parseTypeSet(normal)).toEqual({ types: read, normal });
      }),
    );
    expect(parseTypeSet(' * ')).toEqual({ types: undefined, normal: '*' });
  });

  it.each(['', 'A,', 'A,,TXT', 'ANY', 'NOPE', 'A;TXT', '*,A', 'RRSIG'])('refuse %s', (written) => {
    expect(() => parseTypeSet(written)).toThrow('record_types');
  });
});

/** The compiler keeps the list closed; the order is what people see. */
it('the actions are 14, in storage order', () => {
  const listed: readonly Action[] = actions;
  expect(listed).toHaveLength(14);
  expect(listed[0]).toBe('zone:read');
  expect(listed.at(-1)).toBe('access:manage');
});
