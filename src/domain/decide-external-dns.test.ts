import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Law, recordLines } from '../../spec/support/memory-state.ts';
import { record } from '../../spec/support/stored-zones.ts';
import { limits } from '../base/limits.ts';
import { ListedProblem } from '../base/problem.ts';
import type { Grant } from './access/model.ts';
import { compileGrant, Rights } from './access/rights.ts';
import type { ApplyExternalDns, ExternalRecord } from './external-dns.ts';

/** `www.example.com 60 A 192.0.2.1 192.0.2.2`; without a number the TTL is left out. */
function rrset(line: string): ExternalRecord {
  const [name = '', ...words] = line.match(/"[^"]*"|\S+/g) ?? [];
  const ttl = /^\d+$/.test(words[0] ?? '') ? Number(words.shift()) : undefined;
  const [type = '', ...values] = words;
  return { name, type, ttl, values };
}

interface Lines {
  readonly creates?: readonly string[];
  readonly deletes?: readonly string[];
  readonly updates?: readonly (readonly [old: string, replacement: string])[];
}

function changes({ creates = [], deletes = [], updates = [] }: Lines): ApplyExternalDns {
  return {
    kind: 'apply-external-dns',
    creates: creates.map(rrset),
    deletes: deletes.map(rrset),
    updates: updates.map(([old, replacement]) => ({ old: rrset(old), new: rrset(replacement) })),
  };
}

function lawWith(...zones: string[]): Law {
  const law = new Law();
  for (const zone of zones) law.zone(zone);
  return law;
}

/** All records of a zone, without their ids. */
function held(law: Law, zone: string): string[] {
  const { id } = law.state.zoneByName(zone)!;
  return recordLines(law.state.recordsOf(id)).map((line) => line.replace(/^#\d+ /, ''));
}

const serials = (law: Law) => [...law.state.zones.values()].map(({ serial }) => serial);

describe('changes of a controller', () => {
  it('are one event for each zone that differs, and none for others', () => {
    const law = lawWith('one.example', 'two.example', 'three.example');
    law.add('three.example', record('www', 'A', '192.0.2.3', { ttl: 3600 }));
    const command = changes({
      creates: [
        'www.two.example A 192.0.2.2',
        'a.one.example. 60 AAAA 2001:db8::1',
        'www.three.example. A 192.0.2.3',
        'b.one.example txt "heritage=external-dns,external-dns/owner=me"',
      ],
    });
    const { event, more, outcome } = law.when(command);
    expect([event, ...(more ?? [])].map((each) => each?.kind)).toEqual([
      'records.changed',
      'records.changed',
    ]);
    expect(outcome).toMatchObject({
      added: 3,
      deleted: 0,
      changedZones: ['one.example', 'two.example'],
    });
    law.given(command);
    expect(serials(law)).toEqual([2, 2, 2]);
    expect(held(law, 'one.example')).toEqual([
      'a 60 AAAA 2001:db8::1',
      'b 3600 TXT heritage=external-dns,external-dns/owner=me',
    ]);
    expect(held(law, 'two.example')).toEqual(['www 3600 A 192.0.2.2']);
  });

  it('change nothing when they are so already', () => {
    const law = lawWith('example.com');
    const command = changes({
      creates: ['www.example.com 60 A 192.0.2.1 192.0.2.2'],
      updates: [['api.example.com A 192.0.2.8', 'api.example.com 60 A 192.0.2.9']],
      deletes: ['gone.example.com CNAME www.example.com'],
    });
    law.given(command);
    expect(law.when(command)).toMatchObject({
      event: undefined,
      outcome: { added: 0, deleted: 0, changedZones: [] },
    });
    const spelled = changes({ creates: ['WWW.Example.COM. 60 a 192.0.2.2 192.0.2.1 192.0.2.1'] });
    expect(law.when(spelled).event).toBeUndefined();
  });

  it('replace what they name and keep the ids of what stays', () => {
    const law = lawWith('example.com');
    const [kept] = law.add(
      'example.com',
      ...['192.0.2.1', '192.0.2.2', '192.0.2.7'].map((value) =>
        record('www', 'A', value, { ttl: 60 }),
      ),
    );
    const outcome = law.given(
      changes({
        updates: [
          ['www.example.com 60 A 192.0.2.1 192.0.2.2', 'www.example.com 60 A 192.0.2.1 192.0.2.3'],
        ],
      }),
    );
    expect(outcome).toMatchObject({ added: 1, deleted: 1 });
    // Nobody named 192.0.2.7.
    expect(held(law, 'example.com').sort()).toEqual([
      'www 60 A 192.0.2.1',
      'www 60 A 192.0.2.3',
      'www 60 A 192.0.2.7',
    ]);
    expect(law.state.recordById(kept!.id)?.record.ttl).toBe(60);
  });

  it('give the whole RRset the TTL of what comes, else the default of its zone', () => {
    const law = lawWith('example.com');
    law.add('example.com', record('www', 'A', '192.0.2.1', { ttl: 60 }));
    law.given(changes({ creates: ['www.example.com 300 A 192.0.2.2'] }));
    expect(held(law, 'example.com')).toEqual(['www 300 A 192.0.2.1', 'www 300 A 192.0.2.2']);
    const replace = ['www.example.com A 192.0.2.2', 'www.example.com A 192.0.2.3'] as const;
    law.given(changes({ updates: [replace] }));
    expect(held(law, 'example.com')).toEqual(['www 3600 A 192.0.2.1', 'www 3600 A 192.0.2.3']);
    expect(
      law.refusal(
        changes({ creates: ['w.example.com 60 A 192.0.2.1', 'w.example.com 61 A 192.0.2.2'] }),
      ),
    ).toMatch(/^RECORD_CONFLICT creates\[1\] \(w.example.com A\): ttl: 61 and 60 /);
  });

  it('may put a CNAME where addresses were, and the other way', () => {
    const law = lawWith('example.com');
    law.add('example.com', record('www', 'A', '192.0.2.1'));
    const there = changes({
      updates: [['www.example.com A 192.0.2.1', 'www.example.com CNAME host.example.net']],
    });
    law.given(there);
    expect(held(law, 'example.com')).toEqual(['www 3600 CNAME host.example.net.']);
    const back = changes({
      creates: ['www.example.com A 192.0.2.1', 'www.example.com AAAA 2001:db8::1'],
      deletes: ['www.example.com CNAME HOST.example.net.'],
    });
    law.given(back);
    expect(held(law, 'example.com')).toHaveLength(2);
    expect(law.refusal(changes({ creates: ['www.example.com CNAME a.example'] }))).toMatch(
      /^RECORD_CONFLICT /,
    );
  });

  it('go to the deepest zone there is', () => {
    const law = lawWith('example.com', 'sub.example.com');
    law.given(
      changes({
        creates: ['www.sub.example.com A 192.0.2.1', 'sub.example.com A 192.0.2.2'],
      }),
    );
    expect(held(law, 'example.com')).toEqual([]);
    expect(held(law, 'sub.example.com')).toEqual(['www 3600 A 192.0.2.1', '@ 3600 A 192.0.2.2']);
    expect(law.refusal(changes({ creates: ['www.example.net A 192.0.2.1'] }))).toBe(
      'ZONE_NOT_FOUND creates[0] (www.example.net A): there is no zone for this name',
    );
  });

  it.each([
    [
      'www.example.com MX mail',
      /^INVALID_RECORD_VALUE creates\[0\].*type: is not one of A, AAAA, /,
    ],
    ['www.example.com nonsense x', /^INVALID_RECORD_VALUE /],
    ['www.example.com A 192.0.2.256', /^INVALID_RECORD_VALUE creates\[0\].*value: /],
    ['www.example.com A', /^INVALID_RECORD_VALUE .*values: there is none/],
    ['a..example.com A 192.0.2.1', /^INVALID_RECORD_NAME .*empty label/],
    ['example.com CNAME a.example', /^INVALID_RECORD_VALUE .*apex/],
    ['w.example.com CNAME a.example b.example', /^RECORD_CONFLICT only one CNAME/],
    ['www.example.com 2147483648 A 192.0.2.1', /^INVALID_RECORD_VALUE .*ttl: /],
  ])('are refused whole: %s', (line, refusal) => {
    const law = lawWith('example.com', 'example.net');
    const command = changes({ creates: [line, 'fine.example.net A 192.0.2.1'] });
    expect(law.refusal(command)).toMatch(refusal);
  });
});

describe('rights of a controller', () => {
  const grant = (zoneId: number | null, more: Partial<Grant>): Grant => ({
    id: 1,
    roleId: 1,
    zoneId,
    actions: ['record:create', 'record:delete'],
    recordNamePattern: '*',
    recordTypes: '*',
    createdAt: 0,
    ...more,
  });
  const rightsOf = (...grants: Grant[]) => new Rights(grants.map(compileGrant));

  it('never fall back from a hidden zone to the one above it', () => {
    const law = lawWith('example.com', 'sub.example.com');
    law.rights = rightsOf(grant(1, {}));
    const hidden = law.refusal(changes({ creates: ['www.sub.example.com A 192.0.2.1'] }));
    const missing = law.refusal(changes({ creates: ['www.sub.example.net A 192.0.2.1'] }));
    expect(hidden).toMatch(/^ZONE_NOT_FOUND /);
    expect(hidden.replace('.com', '.net')).toBe(missing);
    expect(law.refusal(changes({ creates: ['www.example.com A 192.0.2.1'] }))).toBe('not refused');
  });

  it('are asked for what is named, whether or not it changes anything', () => {
    const law = lawWith('example.com');
    const [create, remove] = ['record:create', 'record:delete'] as const;
    law.rights = rightsOf(grant(1, { actions: [create] }));
    const update = ['www.example.com A 192.0.2.1', 'www.example.com A 192.0.2.2'] as const;
    expect(law.refusal(changes({ creates: [update[0]] }))).toBe('not refused');
    expect(law.refusal(changes({ deletes: [update[0]] }))).toMatch(
      /^FORBIDDEN deletes\[0\].*'record:delete' is needed on www.example.com. A/,
    );
    expect(law.refusal(changes({ updates: [update] }))).toMatch(/^FORBIDDEN updates\[0\].old /);
    law.rights = rightsOf(grant(1, { actions: [remove] }));
    expect(law.refusal(changes({ updates: [update] }))).toMatch(/^FORBIDDEN updates\[0\].new /);
    law.rights = rightsOf(grant(1, { recordNamePattern: '*.apps', recordTypes: 'A,TXT' }));
    expect(law.refusal(changes({ creates: ['x.apps.example.com A 192.0.2.1'] }))).toBe(
      'not refused',
    );
    expect(law.refusal(changes({ creates: ['x.apps.example.com AAAA ::1'] }))).toMatch(
      /^FORBIDDEN/,
    );
    expect(law.refusal(changes({ creates: [update[0]] }))).toMatch(/^FORBIDDEN/);
  });

  it('change the TTL of what exists for who may replace or update it', () => {
    const law = lawWith('example.com');
    law.add('example.com', record('y.c', 'A', '192.0.2.5', { ttl: 3600 }));
    const asked = (creates: string[], ...more: ('record:delete' | 'record:update')[]) => {
      law.rights = rightsOf(grant(1, { actions: ['record:create', ...more] }));
      return law.refusal(changes({ creates }));
    };
    for (const value of ['192.0.2.5', '192.0.2.6']) {
      const creates = ['n.c.example.com A 192.0.2.1', `y.c.example.com 7 A ${value}`];
      expect(asked(creates)).toBe(
        "FORBIDDEN creates[1] (y.c.example.com A): action 'record:update' is needed on y.c.example.com. A",
      );
      expect(asked(creates, 'record:delete')).toBe('not refused');
      expect(asked(creates, 'record:update')).toBe('not refused');
    }
    expect(asked(['y.c.example.com A 192.0.2.6', 'y.c.example.com TXT x'])).toBe('not refused');
  });
});

/** The refusal of a command, when it is refused. */
function listed(law: Law, command: ApplyExternalDns): ListedProblem | undefined {
  try {
    law.when(command);
    return undefined;
  } catch (error) {
    if (error instanceof ListedProblem) return error;
    throw error;
  }
}

/** A command without the items that a refusal names. */
function without(command: ApplyExternalDns, { errors }: ListedProblem): ApplyExternalDns {
  const kept = <Of>(list: string, items: readonly Of[]) =>
    items.filter((_, index) => !errors.some((one) => one.list === list && one.index === index));
  return {
    ...command,
    creates: kept('creates', command.creates),
    deletes: kept('deletes', command.deletes),
    updates: kept('updates', command.updates),
  };
}

describe('a refusal', () => {
  const line = fc
    .tuple(
      fc.constantFrom('a', 'b', '@', 'x.alias', 'c..d', 'far'),
      fc.constantFrom('60', '61'),
      fc.constantFrom('A 192.0.2.1', 'A 192.0.2.2', 'A bad', 'CNAME x.example', 'TXT t', 'MX m'),
    )
    .map(([name, ttl, rest]) => {
      const zone = name === 'far' ? 'far.test' : 'example.com';
      return `${name === '@' ? zone : `${name}.${zone}`} ${ttl} ${rest}`;
    });
  const command = fc
    .record({
      creates: fc.array(line, { maxLength: 6 }),
      deletes: fc.array(line, { maxLength: 3 }),
      updates: fc.array(fc.tuple(line, line), { maxLength: 3 }),
    })
    .map((lines) => changes(lines));

  it('names items that are there, and what stays without them is taken in the end', () => {
    fc.assert(
      fc.property(fc.array(command, { minLength: 1, maxLength: 3 }), fc.boolean(), (all, only) => {
        const law = lawWith('example.com');
        law.add('example.com', record('alias', 'DNAME', 'example.net.'));
        for (const given of all) {
          const fine = rrset('fine.example.com A 192.0.2.1');
          let rest: ApplyExternalDns = {
            ...given,
            creates: [...given.creates, fine],
            exclusive: only,
          };
          for (;;) {
            const problem = listed(law, rest);
            if (problem === undefined) break;
            const left = without(rest, problem);
            const count = (one: ApplyExternalDns) =>
              one.creates.length + one.deletes.length + one.updates.length;
            expect(count(left)).toBe(count(rest) - problem.errors.length);
            expect(problem.errors.length).toBeGreaterThan(0);
            expect(problem.message).not.toBe('');
            rest = left;
          }
          // Nobody else's fault keeps it out.
          expect(rest.creates).toContain(fine);
          law.given(rest);
        }
        expect(held(law, 'example.com')).toContain('fine 3600 A 192.0.2.1');
      }),
      { numRuns: 300 },
    );
  });

  it('names of one owner those that do not fit beside what comes before them', () => {
    const law = lawWith('example.com');
    const names = (command: ApplyExternalDns) =>
      listed(law, command)?.errors.map(({ list, index, code }) => `${list}[${index}] ${code}`);
    expect(
      names(changes({ creates: ['a.example.com A 192.0.2.1', 'a.example.com CNAME x.example'] })),
    ).toEqual(['creates[1] RECORD_CONFLICT']);
    const two = ['a.example.com CNAME x.example', 'a.example.com CNAME y.example'];
    expect(names(changes({ creates: two }))).toEqual(['creates[1] RECORD_CONFLICT']);
    // Of too many to be tried all are named.
    const many = Array.from({ length: 40 }, (_, index) => `m.example.com CNAME c${index}.example`);
    expect(names(changes({ creates: many }))).toHaveLength(40);
  });

  it('names all items of a zone that is at its last serial, and none of others', () => {
    const law = lawWith('example.com', 'example.net');
    const zone = law.state.zoneByName('example.com')!;
    law.state.zones.set(zone.id, { ...zone, serial: limits.serial });
    const creates = ['a.example.com A 192.0.2.1', 'a.example.net A 192.0.2.1'];
    const deletes = ['gone.example.com A 192.0.2.1'];
    expect(listed(law, changes({ creates, deletes }))?.errors).toMatchObject([
      { list: 'deletes', index: 0, code: 'ZONE_CONFLICT' },
      { list: 'creates', index: 0, code: 'ZONE_CONFLICT' },
    ]);
  });
});

describe('any changes', () => {
  const zones = ['example.com', 'sub.example.com', 'example.net'];
  const name = fc
    .tuple(fc.constantFrom('a', 'b', 'a.b'), fc.constantFrom(...zones))
    .map((parts) => parts.join('.'));
  const values = fc
    .subarray([1, 2, 3], { minLength: 1 })
    .map((hosts) => hosts.map((host) => `192.0.2.${host}`));
  /** TTLs follow from names, as two for one RRset are refused. */
  const rrsetOf = fc.tuple(name, values).map(([at, some]) => {
    return { name: at, type: 'A', ttl: 100 + at.length, values: some };
  });
  const command = fc.record({
    kind: fc.constant('apply-external-dns' as const),
    creates: fc.array(rrsetOf, { maxLength: 4 }),
    deletes: fc.array(rrsetOf, { maxLength: 4 }),
    updates: fc.array(fc.record({ old: rrsetOf, new: rrsetOf }), { maxLength: 3 }),
  });

  it('end as sets do, move each changed zone one step, and are nothing the second time', () => {
    fc.assert(
      fc.property(fc.array(command, { minLength: 1, maxLength: 4 }), (commands) => {
        const law = lawWith(...zones);
        const model = new Set<string>();
        for (const given of commands) {
          const before = serials(law);
          const rows = (records: readonly ExternalRecord[]) =>
            records.flatMap(({ name: at, ttl, values: some }) =>
              some.map((value) => `${at} ${ttl} A ${value}`),
            );
          for (const row of rows([...given.deletes, ...given.updates.map(({ old }) => old)])) {
            model.delete(row);
          }
          for (const row of rows([...given.creates, ...given.updates.map((one) => one.new)])) {
            model.add(row);
          }
          const { changedZones } = law.given(given);
          const stepped = [...law.state.zones.values()].filter(
            ({ serial }, index) => serial === before[index]! + 1,
          );
          expect(stepped.map((zone) => zone.name).sort()).toEqual([...changedZones].sort());
          expect(law.when(given).event).toBeUndefined();
        }
        const stored = zones.flatMap((zone) =>
          held(law, zone).map((line) => line.replace(' ', `.${zone} `)),
        );
        expect(stored.sort()).toEqual([...model].sort());
      }),
      { numRuns: 60 },
    );
  });
});
