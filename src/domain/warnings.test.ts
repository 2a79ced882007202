/**
 * The rules of warnings, judged by a model that walks over the whole zone as a list of names: what it finds
 * wrong with the records that a change touches is what the rules find, and what a caller may not read makes no
 * difference to it.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyFromLabels, type NameKey, parseAbsoluteName } from '../dns/name.ts';
import { parseRdata } from '../dns/rdata/rdata.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { recordActions } from '../base/action.ts';
import { parseNamePattern, parseTypeSet } from './access/pattern.ts';
import { fullRights, Rights } from './access/rights.ts';
import { parseOwner } from './record.ts';
import { hasOwnerBelow } from './target-state.ts';
import { printWarnings, WarningRules } from './warnings.ts';

const zoneName = 'z.example';
const apex = parseAbsoluteName(zoneName);

/** A record as the model has it: `b.a`, and `` for the apex. */
interface Line {
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'TXT' | 'NS' | 'CNAME' | 'DNAME' | 'MX' | 'SRV';
  /** Relative to the zone; other types have none. */
  readonly target: string;
}

const absolute = (name: string) => (name === '' ? zoneName : `${name}.${zoneName}`);

const made = new Map<string, ResourceRecord>();

/** One object for each record, so that what stays is the same object before and after. */
function recordOf({ name, type, target }: Line): ResourceRecord {
  const key = `${name} ${type} ${target}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const value =
    type === 'A'
      ? '192.0.2.1'
      : type === 'AAAA'
        ? '2001:db8::1'
        : type === 'TXT'
          ? 'text'
          : type === 'SRV'
            ? `0 1 ${absolute(target)}.`
            : `${absolute(target)}.`;
  const number = rrtype[type];
  const owner = parseOwner(name === '' ? '@' : name, apex);
  const rdata = parseRdata(number, value, type === 'MX' || type === 'SRV' ? 10 : undefined);
  const record = { owner, type: number, ttl: 60, rdata };
  made.set(key, record);
  return record;
}

const keyOf = ({ name, type, target }: Line) => `${name} ${type} ${target}`;
const isBelow = (name: string, above: string) =>
  name !== above && (above === '' || name.endsWith(`.${above}`));
/** `c.b.a`, `b.a`, `a` and the apex. */
function upwards(name: string): string[] {
  if (name === '') return [''];
  const labels = name.split('.');
  return [...labels.map((_, index) => labels.slice(index).join('.')), ''];
}

/** What is wrong with one record of a zone; undefined when nothing is. */
function modelFault(zone: readonly Line[], { type, target }: Line): string | undefined {
  const at = (name: string) => zone.filter((line) => line.name === name);
  const has = (lines: readonly Line[], ...types: Line['type'][]) =>
    lines.some((line) => types.includes(line.type));
  const exists = (name: string) =>
    zone.some((line) => line.name === name || isBelow(line.name, name));
  for (const name of upwards(target).toReversed()) {
    if (name !== '' && has(at(name), 'NS')) {
      return type === 'NS' && !has(at(target), 'A', 'AAAA') ? 'TARGET_NO_ADDRESS' : undefined;
    }
    if (name !== target && has(at(name), 'DNAME')) {
      return type === 'CNAME' ? undefined : 'TARGET_IS_ALIAS';
    }
  }
  let answering = target;
  if (target !== '' && !exists(target)) {
    const encloser = upwards(target).find((name) => name === '' || exists(name))!;
    answering = encloser === '' ? '*' : `*.${encloser}`;
  }
  if (type === 'CNAME') {
    return answering === '' || exists(answering) ? undefined : 'CNAME_TARGET_MISSING';
  }
  if (has(at(answering), 'CNAME')) return 'TARGET_IS_ALIAS';
  return has(at(answering), 'A', 'AAAA') ? undefined : 'TARGET_NO_ADDRESS';
}

/** Everything that is wrong after a change with what it touches, by brute force. */
function modelWarnings(before: readonly Line[], after: readonly Line[]): string[] {
  const keysBefore = new Set(before.map(keyOf));
  const keysAfter = new Set(after.map(keyOf));
  const changed = (line: Line, others: ReadonlySet<string>) => !others.has(keyOf(line));
  const isChanged = (name: string) =>
    before.some((line) => line.name === name && changed(line, keysAfter)) ||
    after.some((line) => line.name === name && changed(line, keysBefore));
  const isWeaker = (name: string) => {
    const types = (lines: readonly Line[]) =>
      lines.filter((line) => line.name === name).map(({ type }) => type);
    const hasAddress = (lines: readonly Line[]) =>
      types(lines).some((type) => type === 'A' || type === 'AAAA');
    const isAlias = (lines: readonly Line[]) => types(lines).includes('CNAME');
    return (hasAddress(before) && !hasAddress(after)) || (isAlias(after) && !isAlias(before));
  };
  const points = ({ type }: Line) => ['NS', 'MX', 'SRV', 'CNAME'].includes(type);
  return after
    .filter(points)
    .filter((line) => {
      if (!keysBefore.has(keyOf(line))) return true;
      const isAbove = line.name === line.target || isBelow(line.target, line.name);
      return line.type !== 'CNAME' && isAbove && isChanged(line.target) && isWeaker(line.target);
    })
    .flatMap((line) => {
      const fault = modelFault(after, line);
      return fault === undefined
        ? []
        : [`${absolute(line.name)}. ${line.type} ${absolute(line.target)}. ${fault}`];
    })
    .sort();
}

function recordsOf(lines: readonly Line[]) {
  const nodes = Map.groupBy(lines.map(recordOf), ({ owner }) => owner);
  const owners = [...nodes.keys()].sort();
  return {
    owners,
    at: (owner: NameKey) => nodes.get(owner) ?? [],
    hasBelow: (owner: NameKey) => hasOwnerBelow(owners, owner),
  };
}

function warningsOf(before: readonly Line[], after: readonly Line[], rights = fullRights) {
  const [then, now] = [recordsOf(before), recordsOf(after)];
  const rules = new WarningRules({ apex, zoneId: 1, rights, isElsewhere: () => false });
  for (const owner of [...new Set([...then.owners, ...now.owners])].sort()) {
    const [old, young] = [then.at(owner), now.at(owner)];
    const isSame = old.length === young.length && old.every((record) => young.includes(record));
    if (!isSame) rules.node(owner, old, young);
  }
  return printWarnings(rules.report(now)).map(({ code, name, type, message }) => {
    return `${name} ${type} ${/target (\S+)/.exec(message)?.[1]} ${code}`;
  });
}

const names = ['', 'a', 'b', 'a.a', 'b.a', '*.a', '*', 'a.b', 'c.b.a', '*.b.a'];
const name = fc.constantFrom(...names);
const line = fc
  .record({
    name,
    type: fc.constantFrom<Line['type']>('A', 'AAAA', 'TXT', 'NS', 'CNAME', 'DNAME', 'MX', 'SRV'),
    target: name,
  })
  .map((one): Line => ({ ...one, target: /^(A|AAAA|TXT)$/.test(one.type) ? '' : one.target }));

/** No NS or CNAME beside a DNAME, and one of each type that stands alone. */
function asStored(lines: readonly Line[]): Line[] {
  const alone = new Map<string, string>();
  return lines.filter(({ name: owner, type, target }) => {
    if (!['NS', 'CNAME', 'DNAME'].includes(type)) return true;
    const kind = type === 'NS' && owner !== '' ? 'NS' : `${type} ${target}`;
    if (type === 'NS' && owner === '') return true;
    if (!alone.has(owner)) alone.set(owner, kind);
    return alone.get(owner) === kind;
  });
}

const lines = fc.uniqueArray(line, { selector: keyOf, maxLength: 14 });

/** Two states of a zone that share a good part. */
const change = fc.tuple(lines, lines, lines).map(([kept, gone, come]) => {
  const unique = (all: readonly Line[]) =>
    asStored([...new Map(all.map((one) => [keyOf(one), one])).values()]);
  return { before: unique([...kept, ...gone]), after: unique([...kept, ...come]) };
});

describe('against a model', () => {
  it('finds what is wrong with the records that a change touches, and nothing else', () => {
    fc.assert(
      fc.property(change, ({ before, after }) => {
        expect(warningsOf(before, after).sort()).toEqual(modelWarnings(before, after));
      }),
      { numRuns: 2000 },
    );
  });

  it('judges a whole zone whose owners are all given as new', () => {
    fc.assert(
      fc.property(lines, (all) => {
        const zone = asStored(all);
        expect(warningsOf([], zone).sort()).toEqual(modelWarnings([], zone));
      }),
      { numRuns: 500 },
    );
  });

  const grant = fc.record({
    names: fc.constantFrom('*', '@', 'a', 'b', '*.a', '*.b', 'a.**', 'b.a', '\\*', '*.b.a'),
    types: fc.constantFrom('*', '*', 'A,AAAA,CNAME', 'NS', 'MX,SRV'),
  });

  it('says the same whatever stands where the caller may not read', () => {
    fc.assert(
      fc.property(change, fc.array(grant, { maxLength: 4 }), lines, (given, grants, others) => {
        const rights = rightsOf(grants);
        const isHidden = (one: Line) => {
          const { owner, type } = recordOf(one);
          return !rights.onRecord('record:read', 1, owner, type);
        };
        const before = given.before.filter((one) => !isHidden(one));
        const keysBefore = new Set(given.before.map(keyOf));
        // What the caller writes it knows; what it leaves or takes away is swapped for other records.
        const isWritten = (one: Line) => !keysBefore.has(keyOf(one));
        const after = given.after.filter((one) => isWritten(one) || !isHidden(one));
        const written = new Set(after.map(keyOf));
        const hidden = others.filter((one) => isHidden(one) && !written.has(keyOf(one)));
        expect(warningsOf([...before, ...hidden], [...after, ...hidden], rights)).toEqual(
          warningsOf(given.before, given.after, rights),
        );
      }),
      { numRuns: 2000 },
    );
  });
});

function rightsOf(grants: readonly { readonly names: string; readonly types: string }[]): Rights {
  return new Rights(
    grants.map((grant) => ({
      zoneId: 1,
      actions: new Set(recordActions),
      names: parseNamePattern(grant.names).pattern,
      types: parseTypeSet(grant.types).types,
    })),
  );
}

/** Records of a zone in short: `mail MX host`. */
function zoneOf(...texts: readonly string[]): Line[] {
  return texts.map((text) => {
    const [owner = '', type = '', target = ''] = text.split(' ');
    const relative = (one: string) => (one === '@' ? '' : one);
    return { name: relative(owner), type: type as Line['type'], target: relative(target) };
  });
}

describe('by example', () => {
  it.each([
    ['an NS without glue', ['sub NS ns.sub'], ['sub.z.example. NS TARGET_NO_ADDRESS']],
    ['an NS with glue', ['sub NS ns.sub', 'ns.sub AAAA'], []],
    ['an MX below a delegation, which the child answers', ['@ MX m.s', 's NS ns', 'ns A'], []],
    ['an MX that a wildcard answers', ['@ MX m', '* A'], []],
    [
      'an MX at a name that only has names below it',
      ['@ MX m', '* A', 'x.m A'],
      ['z.example. MX TARGET_NO_ADDRESS'],
    ],
    [
      'a wildcard that is an alias',
      ['@ MX m', '* CNAME w', 'w A'],
      ['z.example. MX TARGET_IS_ALIAS'],
    ],
    ['a CNAME to an empty non-terminal', ['a CNAME b', 'x.b TXT'], []],
    ['a CNAME below a DNAME', ['a CNAME x.d', 'd DNAME b'], []],
    ['an SRV below a DNAME', ['a SRV x.d', 'd DNAME b'], ['a.z.example. SRV TARGET_IS_ALIAS']],
    ['a CNAME to nothing', ['a CNAME b'], ['a.z.example. CNAME CNAME_TARGET_MISSING']],
    ['a CNAME to itself', ['a CNAME a'], []],
  ] as const)('%s', (_, zone, expected) => {
    const found = warningsOf([], zoneOf(...zone));
    expect(found.map((text) => text.replace(/ \S+ (?=\S+$)/, ' '))).toEqual(expected);
  });

  it('tells of an apex NS and MX whose host loses its last address', () => {
    const zone = zoneOf('@ NS ns', '@ MX ns', 'ns A', 'ns AAAA', 'www TXT');
    const without = (...gone: string[]) =>
      zone.filter(({ name: owner, type }) => !gone.includes(`${owner} ${type}`));
    expect(warningsOf(zone, without('ns A'))).toEqual([]);
    expect(warningsOf(zone, without('www TXT'))).toEqual([]);
    expect(warningsOf(zone, without('ns A', 'ns AAAA'))).toEqual([
      'z.example. NS ns.z.example. TARGET_NO_ADDRESS',
      'z.example. MX ns.z.example. TARGET_NO_ADDRESS',
    ]);
  });

  function written(records: readonly ResourceRecord[], rights = fullRights) {
    const rules = new WarningRules({ apex, zoneId: 1, rights, isElsewhere: () => false });
    for (const [owner, node] of Map.groupBy(records, ({ owner }) => owner)) {
      rules.node(owner, [], node);
    }
    return printWarnings(rules.report({ at: () => [], hasBelow: () => false }));
  }

  const make = (owner: string, type: number, value: string, priority?: number): ResourceRecord => {
    return {
      owner: keyFromLabels([owner]),
      type,
      ttl: 60,
      rdata: parseRdata(type, value, priority),
    };
  };

  it.each([
    ['MX', 'mx.', 10, true],
    ['MX', '.', 0, false],
    ['CNAME', 'www.', undefined, true],
    ['PTR', 'host.', undefined, true],
    ['PTR', 'localhost.', undefined, false],
    ['NS', 'invalid.', undefined, false],
    ['NS', 'ns.example.net.', undefined, false],
    ['SRV', '0 5060 sip.', 10, true],
    ['HTTPS', '1 .', undefined, false],
    ['SVCB', '1 svc.', undefined, true],
    ['DNAME', 'lan.', undefined, true],
    ['TXT', 'mx.', undefined, false],
  ] as const)('a target of one label: %s %s', (mnemonic, value, priority, isOne) => {
    const [warning, ...rest] = written([make('x', rrtype[mnemonic], value, priority)]);
    expect(rest).toEqual([]);
    const expected = {
      code: 'TARGET_SINGLE_LABEL',
      name: 'x.z.example.',
      type: mnemonic,
      message: `the target ${value.split(' ').at(-1)} has one label: is ${value.split(' ').at(-1)}z.example. meant?`,
    };
    expect(warning).toEqual(isOne ? expected : undefined);
  });

  const addresses = (count: number) =>
    Array.from({ length: count }, (_, number) => make('x', rrtype.A, `10.0.0.${number}`));

  it('an RRset of more than 100 records', () => {
    expect(written(addresses(100))).toEqual([]);
    expect(written([...addresses(101), make('x', rrtype.TXT, 'text')])).toEqual([
      {
        code: 'LARGE_RRSET',
        name: 'x.z.example.',
        type: 'A',
        message: 'the RRset has 101 records: resolvers may refuse more than 100',
      },
    ]);
  });

  it('a large RRset that the caller may not read is no news but of what it wrote', () => {
    const [stored, added] = [addresses(100), make('x', rrtype.A, '192.0.2.1')];
    const judge = (rights: Rights) => {
      const rules = new WarningRules({ apex, zoneId: 1, rights, isElsewhere: () => false });
      rules.node(added.owner, stored, [...stored, added]);
      return printWarnings(rules.report({ at: () => [], hasBelow: () => false })).length;
    };
    expect([judge(fullRights), judge(rightsOf([{ names: 'y', types: '*' }]))]).toEqual([1, 0]);
  });

  it('lists 100 in canonical order, and says how many more there are and were not checked', () => {
    const many = Array.from({ length: 1105 }, (_, number) =>
      make(`x${String(number).padStart(4, '0')}`, rrtype.CNAME, `gone.${zoneName}.`),
    );
    const found = written([make('a', rrtype.MX, 'mx.', 10), ...many]);
    expect(found).toHaveLength(101);
    expect(found[0]).toMatchObject({ code: 'TARGET_SINGLE_LABEL', name: 'a.z.example.' });
    expect(found[99]).toMatchObject({ code: 'CNAME_TARGET_MISSING', name: 'x0098.z.example.' });
    expect(found[100]).toEqual({
      code: 'MORE_WARNINGS',
      name: null,
      type: null,
      message: '901 more warnings are not listed; 105 more changes were not checked',
    });
  });

  it('leaves a name alone that a deeper zone answers for', () => {
    const isElsewhere = (asked: NameKey) => asked === parseAbsoluteName(absolute('sub'));
    const rules = new WarningRules({ apex, zoneId: 1, rights: fullRights, isElsewhere });
    const mx = make('x', rrtype.MX, absolute('sub'), 10);
    rules.node(mx.owner, [], [mx]);
    expect(rules.report({ at: () => [], hasBelow: () => false }).listed).toEqual([]);
  });
});
