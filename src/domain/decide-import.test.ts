import { describe, expect, it } from 'vitest';
import { Law, recordLines } from '../../spec/support/memory-state.ts';
import { makeRecord, makeZone } from '../../spec/support/memory-zones.ts';
import { catalogZoneName, record } from '../../spec/support/stored-zones.ts';
import type { Action } from '../base/action.ts';
import type { Warning } from '../base/warning.ts';
import { parseNamePattern } from './access/pattern.ts';
import { Rights } from './access/rights.ts';
import type { CommandOf, FileRecord, ImportMode, ImportedZone, SoaOverrides } from './command.ts';
import { countDiff } from './diff.ts';
import type { StagedDelta, ZoneEvent } from './event.ts';

type ImportZone = CommandOf<'import-zone'>;
type PublishImport = CommandOf<'publish-import'>;

const example = makeZone('example.com');

/** The records of a file's lines, from line 1. */
function file(...lines: string[]): FileRecord[] {
  return lines.map((text, index) => ({ ...makeRecord(example, text), line: index + 1 }));
}

function importing(mode: ImportMode, lines: string[], more: Partial<ImportZone> = {}): ImportZone {
  const records = file(...lines);
  return { kind: 'import-zone', zoneName: 'example.com', mode, records, ...more };
}

const soa: ImportedZone = {
  line: 2,
  mname: 'ns1.example.com',
  rname: 'dns.admin@example.com',
  defaultTtl: 7200,
  soaTtl: 7200,
  minimumTtl: 600,
  refresh: 1200,
  retry: 180,
  expire: 1_209_600,
  serial: 2026_010_101,
};

/** `example.com`, default TTL 3600, serial 2, with its NS (1), two A (2, 3) and a TXT (4). */
function filled(): Law {
  const law = new Law();
  law.zone('example.com');
  law.add(
    'example.com',
    record('@', 'NS', 'ns1.example.com.'),
    record('www', 'A', '192.0.2.1'),
    record('www', 'A', '192.0.2.2'),
    record('info', 'TXT', 'x'),
  );
  return law;
}

function effect(law: Law, command: ImportZone) {
  const { event, outcome } = law.when(command);
  expect(outcome.errors).toEqual([]);
  const { added, deleted, updated, unchanged, parsed } = outcome.summary;
  expect(parsed).toBe(added + updated + unchanged);
  const { removed = [], added: put = [] } = (event as ZoneEvent | undefined)?.delta ?? {};
  return {
    removed: recordLines(removed),
    added: recordLines(put),
    counts: [added, updated, unchanged, deleted].join(' '),
  };
}

/** Of warnings about the SOA. */
function codesOf({ warnings }: { readonly warnings: readonly Warning[] }): string[] {
  return warnings.filter(({ type }) => type === 'SOA').map(({ code }) => code);
}

function rightsFor(zoneId: number | null, actions: Action[], pattern = '*'): Rights {
  const names = parseNamePattern(pattern).pattern;
  return new Rights([{ zoneId, actions: new Set(actions), names, types: undefined }]);
}

describe('import into a zone', () => {
  it('decisions 7: append adds what is missing, in one step', () => {
    const law = filled();
    const command = importing('append', [
      'www 60 A 192.0.2.2',
      'www 60 A 192.0.2.3',
      'b A 192.0.2.9',
    ]);
    expect(effect(law, command)).toEqual({
      removed: [],
      added: ['#5 www 3600 A 192.0.2.3', '#6 b 3600 A 192.0.2.9'],
      counts: '2 0 1 0',
    });
    const { event, outcome } = law.when(command);
    const { kind, before, after } = event as ZoneEvent;
    expect([kind, before!.serial, after!.serial]).toEqual(['zone.imported', 2, 3]);
    expect(outcome.zone).toMatchObject({ serial: 3, recordCount: 6 });
    expect(countDiff(outcome.diff)).toEqual({ added: 1, changed: 1, removed: 0 });
  });

  it('decisions 7: upsert changes the RRsets that the file names and no other', () => {
    expect(
      effect(filled(), importing('upsert', ['www 60 A 192.0.2.2', 'www 60 A 192.0.2.3'])),
    ).toEqual({
      removed: ['#2 www 3600 A 192.0.2.1', '#3 www 3600 A 192.0.2.2'],
      added: ['#3 www 60 A 192.0.2.2', '#5 www 60 A 192.0.2.3'],
      counts: '1 1 0 1',
    });
  });

  it('decisions 7: replace makes the zone equal to the file, apex NS included', () => {
    const law = filled();
    expect(effect(law, importing('replace', ['www A 192.0.2.1', '@ NS ns9.example.com.']))).toEqual(
      {
        removed: ['#1 @ 3600 NS ns1.example.com.', '#3 www 3600 A 192.0.2.2', '#4 info 3600 TXT x'],
        added: ['#5 @ 3600 NS ns9.example.com.'],
        counts: '1 0 1 3',
      },
    );
    const { errors: told } = law.when(importing('replace', ['www A 192.0.2.1'])).outcome;
    expect(told).toEqual([expect.stringContaining('no NS record at its apex')]);
  });

  it('decisions 1: an import that changes nothing moves nothing, even at the last serial', () => {
    const law = filled();
    const lines = ['www A 192.0.2.1', 'www A 192.0.2.2', 'WWW A 192.0.2.1'];
    for (const mode of ['append', 'upsert'] as const) {
      const { event, outcome } = law.when(importing(mode, lines));
      expect(event).toBeUndefined();
      expect(outcome.zone!.serial).toBe(2);
      expect(outcome.summary).toEqual({
        parsed: 2,
        added: 0,
        deleted: 0,
        updated: 0,
        unchanged: 2,
      });
      expect(outcome.diff.entries).toEqual([]);
    }
    law.state.zones.set(1, { ...law.state.zoneById(1)!, serial: 2_147_483_647 });
    expect(law.refusal(importing('append', lines))).toBe('not refused');
    expect(law.refusal(importing('append', ['new A 192.0.2.1']))).toMatch(/^ZONE_CONFLICT /);
  });

  it('case 95: a change of TTL alone is updated once, and one changed entry', () => {
    const law = filled();
    const command = importing('upsert', ['www 60 A 192.0.2.1', 'www 60 A 192.0.2.2']);
    const { summary, diff } = law.when(command).outcome;
    expect(summary).toEqual({ parsed: 2, added: 0, deleted: 0, updated: 2, unchanged: 0 });
    expect(countDiff(diff)).toEqual({ added: 0, changed: 1, removed: 0 });
    expect(effect(law, command).added).toEqual(['#2 www 60 A 192.0.2.1', '#3 www 60 A 192.0.2.2']);
  });

  it('keeps settings: an SOA of the file matters only where a zone is created', () => {
    const law = filled();
    const { outcome, event } = law.when(importing('append', ['b A 192.0.2.1'], { create: soa }));
    expect(outcome.zone).toMatchObject({ serial: 3, mname: 'ns1.example.net', defaultTtl: 3600 });
    expect((event as ZoneEvent).before!.serial).toBe(2);
    expect(law.refusal(importing('append', ['b A 192.0.2.1'], { create: null }))).toBe(
      'not refused',
    );
  });
});

describe('what is wrong with a file', () => {
  const ns = '@ NS ns1.example.com.';

  function errors(mode: ImportMode, ...lines: string[]): readonly string[] {
    const law = filled();
    const { event, outcome } = law.when(importing(mode, lines));
    expect(event).toBeUndefined();
    expect(outcome.zone!.serial).toBe(2);
    expect(outcome.diff.entries).toEqual([]);
    const { parsed, ...rest } = outcome.summary;
    expect(parsed).toBeGreaterThan(0);
    expect(rest).toEqual({ added: 0, deleted: 0, updated: 0, unchanged: 0 });
    return outcome.errors;
  }

  it('decisions 7: two TTLs in one RRset are an error of the line, in every mode', () => {
    for (const mode of ['append', 'upsert', 'replace'] as const) {
      const lines = [
        ns,
        'b 60 A 192.0.2.1',
        'b 61 A 192.0.2.1',
        'b 60 A 192.0.2.2',
        'b 62 A 192.0.2.3',
      ];
      expect(errors(mode, ...lines)).toEqual([
        'line 3: the A records at b.example.com. share one TTL: 61 differs from 60 (line 2)',
        'line 5: the A records at b.example.com. share one TTL: 62 differs from 60 (line 2)',
      ]);
    }
  });

  it.each([
    ['append', ['@ A 192.0.2.1', 'www CNAME x.'], 'line 2: a CNAME stands alone'],
    ['append', ['c A 192.0.2.1', 'c CNAME x.', 'c TXT y'], 'line 2: a CNAME stands alone'],
    ['upsert', ['c CNAME x.', 'c CNAME y.'], 'line 2: only one CNAME can stand at c.example.com.'],
    ['replace', [ns, '@ CNAME x.'], 'line 2: a CNAME can not stand at the apex'],
    ['replace', [ns, 's DS 1 8 200 AB'], 'line 2: a DS stands only beside a delegation'],
    ['replace', ['b A 192.0.2.1'], 'the zone example.com. would have no NS record at its apex'],
    [
      'append',
      ['d DNAME x.', 'a.b.d A 192.0.2.1'],
      'line 2: a.b.d.example.com. is below the DNAME',
    ],
    ['replace', [ns, 'd DNAME x.', 'd A 192.0.2.1', 'c.d A 192.0.2.1'], 'line 4: c.d.example.com.'],
    ['append', ['m MX 10 a.', 'b A 192.0.2.1', 'm MX 0 .'], 'line 3: a null MX (.) excludes'],
    ['append', ['*.w NS a.'], 'line 1: NS can not stand at the wildcard *.w.example.com.'],
  ] as const)('%s of %j: %s', (mode, lines, error) => {
    expect(errors(mode, ...lines)).toEqual([expect.stringContaining(error)]);
  });

  it('a DNAME and what would be below it, in the file and in the zone', () => {
    expect(errors('append', 'e A 192.0.2.1', '@ DNAME x.')).toEqual([
      'line 1: e.example.com. is below the DNAME at example.com.: no record can stand there',
      'line 2: info.example.com. is below the DNAME at example.com.: no record can stand there',
    ]);
  });

  it('a replaced zone does not hold against the file; upsert leaves what is there', () => {
    const cname = [ns, 'www CNAME x.'];
    expect(filled().when(importing('replace', cname)).outcome.errors).toEqual([]);
    expect(errors('upsert', ...cname)).toEqual([
      expect.stringMatching(/^line 2: a CNAME stands alone/),
    ]);
    const law = filled();
    law.given(importing('replace', [ns, 's NS a.', 's DS 1 8 200 AB']));
    expect(law.when(importing('upsert', ['s NS b.'])).outcome.errors).toEqual([]);
  });

  it('tells all of it at once, by line, up to a thousand', () => {
    const lines = Array.from({ length: 1500 }, (_, index) => `n${index} CNAME x.`);
    const command = importing('append', [
      ...lines.toReversed(),
      ...lines.map((one) => one.replace('x.', 'y.')),
    ]);
    const { outcome } = filled().when(command);
    expect(outcome.errors).toHaveLength(1000);
    expect(outcome.errors[0]).toBe('line 1501: only one CNAME can stand at n0.example.com.');
    expect(outcome.errors[999]).toBe('line 2500: only one CNAME can stand at n999.example.com.');
  });

  it('what came by transfer has no lines', () => {
    const records = file('c CNAME x.', 'c CNAME y.').map((one) => ({ ...one, line: 0 }));
    const { errors: told } = filled().when(importing('append', [], { records })).outcome;
    expect(told).toEqual(['only one CNAME can stand at c.example.com.']);
  });
});

describe('case 99: a file without a record', () => {
  const judged = (law: Law, mode: ImportMode, more: Partial<ImportZone> = {}) => {
    const { event, outcome } = law.when(importing(mode, [], more));
    if (outcome.errors.length > 0) expect(event).toBeUndefined();
    return outcome.errors;
  };

  it.each(['upsert', 'replace'] as const)('is refused by %s', (mode) => {
    const rule = `${mode} needs one; is its source empty, or did it fail?`;
    const nothing = [`the file holds no record to store: ${rule}`];
    const onlySoa = [`the file holds no record to store besides its SOA: ${rule}`];
    expect(judged(filled(), mode)).toEqual(nothing);
    expect(judged(filled(), mode, { soa })).toEqual(onlySoa);
    expect(judged(filled(), mode, { create: soa, soa })).toEqual(onlySoa);
    expect(judged(new Law(), mode, { create: null })).toEqual(nothing);
    // A zone that has nothing to lose.
    expect(judged(new Law(), mode, { create: soa, soa })).toEqual([]);
    const empty = new Law();
    empty.zone('example.com');
    expect(judged(empty, mode, { soa })).toEqual([]);
    expect(judged(empty, mode)).toEqual(nothing);
  });

  it('is refused where it was staged, for the zone as it is then', () => {
    const staged = {
      number: 1,
      partCount: 0,
      partsDigest: Buffer.alloc(0),
      removed: 4,
      added: 0,
      greatestId: 0,
    };
    const publish = (mode: ImportMode, file: ImportedZone | null) =>
      filled().when({
        kind: 'publish-import',
        zoneName: 'example.com',
        mode,
        isCreating: false,
        file,
        fileRecords: 0,
        zoneId: 1,
        atSerial: 2,
        staged,
      });
    for (const mode of ['upsert', 'replace'] as const) {
      for (const file of [null, soa]) {
        const { event, outcome } = publish(mode, file);
        expect([event, outcome]).toEqual([
          undefined,
          {
            moved: false,
            errors: [expect.stringContaining('holds no record to store')],
            warnings: [],
          },
        ]);
      }
    }
  });

  it('is nothing to append', () => {
    const { event, outcome } = filled().when(importing('append', []));
    expect([event, outcome.errors, outcome.summary.parsed]).toEqual([undefined, [], 0]);
    expect(new Law().refusal(importing('append', [], { create: null }))).toMatch(/needs an SOA/);
  });
});

describe('import into a zone whose source has a serial', () => {
  const served = { ...soa, line: 0 };
  const lines = ['@ NS ns1.example.com.', 'www A 192.0.2.1'];
  /** As the zone of `filled` is. */
  const same = [...lines, 'www A 192.0.2.2', 'info TXT x'];
  const taken = (law: Law, mode: ImportMode, records: string[], more: Partial<ImportZone>) => {
    const { event, outcome } = law.when(importing(mode, records, more));
    const { kind, after } = (event as ZoneEvent | undefined) ?? {};
    expect(outcome.newSerial).toBe(after?.serial);
    return [kind, after?.serial, outcome.zone!.historyFromSerial, codesOf(outcome).join()];
  };

  it.each(['append', 'upsert', 'replace'] as const)(
    '%s goes past the serial of a server',
    (mode) => {
      const records = [...lines, 'b A 192.0.2.9'];
      const next = soa.serial + 1;
      const passed = ['zone.taken-over', next, next, ''];
      expect(taken(filled(), mode, records, { soa: served })).toEqual(passed);
      expect(taken(filled(), mode, same, { soa: served })).toEqual(passed);
      // No delta leads over records of a server: what it had under an earlier serial is not known.
      const earlier = { soa: { ...served, serial: 1 } };
      expect(taken(filled(), mode, records, earlier)).toEqual(['zone.taken-over', 3, 3, '']);
      expect(taken(filled(), mode, same, earlier)).toEqual([undefined, undefined, 1, '']);
      expect(taken(filled(), mode, same, { soa: { ...served, serial: 2 } })[0]).toBe(undefined);
    },
  );

  it('follows RFC 1982, and says why a serial is not passed', () => {
    const told = (serial: number, law = filled()) =>
      taken(law, 'replace', lines, { soa: { ...served, serial } });
    expect(told(2_137_483_647).slice(1)).toEqual([2_137_483_648, 2_137_483_648, '']);
    expect(told(2_137_483_648).slice(1)).toEqual([3, 3, 'SERIAL_BEHIND']);
    // Earlier than 2.
    expect(told(2_147_483_651).slice(1)).toEqual([3, 3, '']);
    const law = filled();
    law.rights = rightsFor(1, ['record:create', 'record:delete', 'record:read']);
    expect(told(9, law).slice(1)).toEqual([3, 3, 'SERIAL_BEHIND']);
  });

  it('of a file is told of, where the file is all of the zone', () => {
    const told = (mode: ImportMode, serial: number, records = lines) =>
      taken(filled(), mode, records, { soa: { ...soa, serial } });
    expect(told('replace', 4)).toEqual(['zone.imported', 3, 1, 'SERIAL_BEHIND']);
    expect(told('replace', 4, same)).toEqual([undefined, undefined, 1, 'SERIAL_BEHIND']);
    expect(told('replace', 3)).toEqual(['zone.imported', 3, 1, '']);
    expect(told('upsert', 4)).toEqual(['zone.imported', 3, 1, '']);
    const { warnings } = filled().when(importing('replace', lines, { soa })).outcome;
    expect(warnings[0]!.message).toMatch(/^the serial is 3 here and 2026010101 at the source: /);
  });
});

describe('import of records that state no TTL', () => {
  it('gives them that of the zone, whatever it was when the file was read', () => {
    const law = new Law();
    law.zone('example.com');
    law.given({ kind: 'update-zone', zoneName: 'example.com', defaultTtl: 900 });
    const lines = ['a A 192.0.2.1', 'b A 192.0.2.1', 'c 60 A 192.0.2.1', 'd 3600 A 192.0.2.1'];
    const { diff } = law.when(importing('append', lines, { withoutTtl: 2 })).outcome;
    expect(diff.entries.map(({ to }) => to[0]!.ttl)).toEqual([900, 900, 60, 3600]);
    const command = importing('append', lines, { withoutTtl: 2, create: soa });
    const made = new Law().when(command).outcome;
    expect(made.diff.entries.map(({ to }) => to[0]!.ttl)).toEqual([3600, 3600, 60, 3600]);
  });
});

describe('import that creates', () => {
  const lines = ['@ NS ns1.example.com.', 'www 60 A 192.0.2.1', 'www 60 A 192.0.2.1'];

  it('decisions 7: takes mname, rname, timers and serial of the SOA; the first $TTL is its default', () => {
    const law = new Law();
    const command = importing('append', lines, { create: soa });
    const { event, outcome } = law.when(command);
    expect(event).toMatchObject({ kind: 'zone.imported', zoneId: 1, before: null });
    const { line: _, soaTtl: __, ...fields } = soa;
    const after = { ...fields, name: 'example.com', description: null, enabled: true, guard: null };
    expect((event as ZoneEvent).after).toEqual(after);
    expect(effect(law, command)).toEqual({
      removed: [],
      added: ['#1 @ 3600 NS ns1.example.com.', '#2 www 60 A 192.0.2.1'],
      counts: '2 0 0 0',
    });
    const zone = { ...after, id: 1, recordCount: 2, historyFromSerial: soa.serial };
    expect(outcome).toMatchObject({ zone, newSerial: soa.serial });
    expect(countDiff(outcome.diff)).toEqual({ added: 2, changed: 0, removed: 0 });
    law.given(command);
    expect(law.state.zoneByName('example.com')).toMatchObject(zone);
    expect(law.given(importing('append', ['b A 192.0.2.1'])).zone!.serial).toBe(soa.serial + 1);
  });

  it.each([
    [59, 7200, 3600],
    [60, 60, 60],
    [604_800, 7200, 604_800],
    [604_801, 3600, 3600],
    // As by transfer: the SOA stays as it was served.
    [undefined, 60, 60],
    [undefined, 604_800, 604_800],
    [undefined, 59, 3600],
    [undefined, 0, 3600],
    [undefined, 604_801, 3600],
  ])(
    'of a $TTL of %s and an SOA with the TTL %i the default is %i',
    (defaultTtl, soaTtl, taken) => {
      const create = { ...soa, defaultTtl, soaTtl };
      const { outcome } = new Law().when(importing('append', lines, { create }));
      expect(outcome.zone!.defaultTtl).toBe(taken);
      expect(codesOf(outcome)).toEqual(soaTtl === taken ? [] : ['SOA_TTL_CHANGED']);
    },
  );

  it('case 91: a serial above 2137483647 is a line of errors, and so is all we can not hold', () => {
    const told = (fields: Partial<ImportedZone>) => {
      const create = { ...soa, ...fields };
      const { event, outcome } = new Law().when(importing('append', lines, { create }));
      if (outcome.errors.length > 0) expect([event, outcome.zone]).toEqual([undefined, undefined]);
      return outcome.errors;
    };
    expect(told({ serial: 2_137_483_647 })).toEqual([]);
    const range = 'is outside 1..2137483647';
    expect(told({ serial: 2_137_483_648 })).toEqual([
      `line 2: SOA serial: 2137483648 ${range}; give serial`,
    ]);
    expect(told({ serial: 4_294_967_295 })).toEqual([
      `line 2: SOA serial: 4294967295 ${range}; give serial`,
    ]);
    expect(told({ refresh: 0, minimumTtl: 4_294_967_295, mname: '', rname: 'hostmaster' })).toEqual(
      [
        expect.stringMatching(/^line 2: SOA mname: .*; give mname$/),
        expect.stringMatching(/^line 2: SOA rname: .*; give rname$/),
        'line 2: SOA minimum_ttl: 4294967295 is outside 1..2147483647; give minimum_ttl',
        'line 2: SOA refresh: 0 is outside 1..2147483647; give refresh',
      ],
    );
  });

  it('tells what is wrong with SOA and records together', () => {
    const create = { ...soa, serial: 4_294_967_295 };
    const { errors } = new Law().when(
      importing('append', ['c CNAME x.', 'c CNAME y.'], { create }),
    ).outcome;
    expect(errors).toHaveLength(2);
  });

  it('a serial that the name was served under before, or an earlier one, is raised and told', () => {
    const law = new Law();
    law.state.formerSerials.set('example.com', soa.serial);
    const { outcome } = law.when(importing('append', lines, { create: soa }));
    expect(outcome.zone!.serial).toBe(soa.serial + 1);
    const raised = expect.objectContaining({
      code: 'SERIAL_RAISED',
      name: 'example.com.',
      type: 'SOA',
      message: expect.stringMatching(/is 2026010102 and not 2026010101, .* up to 2026010101$/),
    });
    expect(outcome.warnings).toContainEqual(raised);
    const kept = importing('append', lines, { create: soa, overrides: { serial: 7 } });
    const { zone, warnings } = law.when(kept).outcome;
    expect([zone!.serial, warnings[0]!.code]).toEqual([7, 'SERIAL_BEHIND']);
    law.state.formerSerials.set('example.com', soa.serial - 1);
    const later = law.when(importing('append', lines, { create: soa })).outcome;
    expect([later.zone!.serial, codesOf(later)]).toEqual([soa.serial, []]);
  });

  it('a serial of 0 counts as none: it is 1, or the one after that of a deleted zone', () => {
    const law = new Law();
    const command = importing('append', lines, { create: { ...soa, serial: 0 } });
    const { zone: first, ...made } = law.when(command).outcome;
    expect([first!.serial, codesOf(made)]).toEqual([1, []]);
    law.state.formerSerials.set('example.com', 41);
    const { zone: again, ...raised } = law.when(command).outcome;
    expect([again!.serial, codesOf(raised)]).toEqual([42, ['SERIAL_RAISED']]);
    const overrides = { serial: 7 };
    expect(law.when({ ...command, overrides }).outcome.zone!.serial).toBe(7);
  });

  it('what the caller says wins over the SOA, and is judged like the fields of a new zone', () => {
    const create = { ...soa, mname: '.', rname: '.', minimumTtl: 0, refresh: 0, serial: 2 ** 31 };
    const overrides = {
      serial: 5,
      mname: 'NS9.example.net.',
      rname: 'ops@example.net',
      minimumTtl: 60,
      refresh: 61,
      retry: 62,
      expire: 63,
    };
    const command = importing('append', lines, { create, overrides });
    expect(new Law().when(command).outcome.zone).toMatchObject({
      ...overrides,
      mname: 'ns9.example.net',
      defaultTtl: soa.defaultTtl,
    });
    const bad: [SoaOverrides, string][] = [
      [{ serial: 0 }, 'INVALID_ZONE_FIELD serial: 0 is outside 1..2137483647'],
      [{ serial: 2_137_483_648 }, 'INVALID_ZONE_FIELD serial: 2137483648 '],
      [{ mname: '.' }, "INVALID_ZONE_FIELD mname: '.' is not a host name"],
      [{ rname: '.' }, "INVALID_ZONE_FIELD rname: '.' is not an e-mail address"],
      [{ minimumTtl: 0 }, 'INVALID_ZONE_FIELD minimum_ttl: 0 is outside'],
      [{ refresh: 0 }, 'INVALID_ZONE_FIELD refresh: 0 is outside'],
      [{ retry: -1 }, 'INVALID_ZONE_FIELD retry: -1 is outside'],
      [{ expire: 2 ** 31 }, 'INVALID_ZONE_FIELD expire: 2147483648 is outside'],
    ];
    for (const [fields, refusal] of bad) {
      expect(new Law().refusal({ ...command, overrides: fields })).toContain(refusal);
    }
  });

  it('a zone that exists keeps its SOA: what is given in its place is a Problem', () => {
    const overrides = { mname: 'ns9.example.net', minimumTtl: 60 };
    expect(filled().refusal(importing('append', lines, { create: soa, overrides }))).toBe(
      "ZONE_CONFLICT zone 'example.com' exists and keeps its SOA: leave out mname, minimum_ttl",
    );
    const none = { mname: undefined };
    const command = importing('append', lines, { create: soa, overrides: none });
    expect(filled().when(command).outcome.errors).toEqual([]);
  });

  it('decisions 7: no SOA, no name and a name of the catalog are Problems; no create is 404', () => {
    const law = new Law();
    const refusal = (more: Partial<ImportZone>) => law.refusal(importing('append', lines, more));
    expect(refusal({})).toBe("ZONE_NOT_FOUND zone 'example.com' does not exist");
    expect(refusal({ create: null })).toMatch(
      /^INVALID_INPUT create: zone 'example.com' needs an SOA/,
    );
    expect(refusal({ create: soa, zoneName: '*.x' })).toMatch(/^INVALID_ZONE_FIELD name: /);
    expect(refusal({ create: soa, zoneName: catalogZoneName })).toMatch(/^ZONE_CONFLICT /);
  });
});

describe('an import that was staged', () => {
  const staged: StagedDelta = {
    number: 1,
    partCount: 1,
    partsDigest: Buffer.alloc(32),
    removed: 2,
    added: 3,
    greatestId: 7,
  };
  const nothing = { ...staged, partCount: 0, removed: 0, added: 0 };

  /** Into the zone of `filled`, as it is. */
  function publishing(more: Partial<PublishImport> = {}): PublishImport {
    return {
      kind: 'publish-import',
      zoneName: 'example.com',
      mode: 'replace',
      isCreating: false,
      file: soa,
      fileRecords: 3,
      zoneId: 1,
      atSerial: 2,
      staged,
      ...more,
    };
  }

  /** Where there is no zone of the name. */
  function creating(more: Partial<PublishImport> = {}): PublishImport {
    return publishing({ isCreating: true, zoneId: 9, atSerial: null, ...more });
  }

  it('is one step of the zone, with what was staged', () => {
    for (const part of [staged, { ...nothing, removed: 1 }, { ...nothing, added: 1 }]) {
      const file = { ...soa, serial: 3 };
      const { event, outcome } = filled().when(publishing({ file, staged: part }));
      expect(event).toMatchObject({ kind: 'zone.imported', zoneId: 1, staged: part });
      const { before, after } = event as ZoneEvent;
      expect([before!.serial, after!.serial]).toEqual([2, 3]);
      expect(outcome).toEqual({ moved: false, errors: [], newSerial: 3, warnings: [] });
    }
  });

  it('is none where nothing was to change', () => {
    const file = { ...soa, serial: 2 };
    expect(filled().when(publishing({ file, staged: nothing }))).toEqual({
      event: undefined,
      outcome: { moved: false, errors: [], warnings: [] },
    });
  });

  it('goes past the serial of a server, whether or not a record differs', () => {
    for (const part of [staged, nothing]) {
      const file = { ...soa, line: 0 };
      const { event, outcome } = filled().when(publishing({ file, staged: part }));
      const { kind, after, staged: put } = event as ZoneEvent;
      const next = soa.serial + 1;
      expect([kind, after!.serial, put]).toEqual([
        'zone.taken-over',
        next,
        part === staged ? part : undefined,
      ]);
      expect(outcome).toEqual({ moved: false, errors: [], newSerial: next, warnings: [] });
    }
    expect(codesOf(filled().when(publishing()).outcome)).toEqual(['SERIAL_BEHIND']);
  });

  it('does nothing in a zone that is another than it was staged for', () => {
    const moved = { event: undefined, outcome: { moved: true, errors: [], warnings: [] } };
    for (const more of [{ atSerial: 1 }, { atSerial: 3 }, { atSerial: null }, { zoneId: 7 }]) {
      expect(filled().when(publishing(more))).toEqual(moved);
    }
    expect(new Law().when(creating({ zoneId: 1, atSerial: 2 }))).toEqual(moved);
  });

  it('creates the zone of its SOA, also without a record', () => {
    for (const part of [staged, nothing]) {
      const { event, outcome } = new Law().when(creating({ staged: part, fileRecords: 0 }));
      expect(event).toMatchObject({ kind: 'zone.imported', zoneId: 9, before: null, staged: part });
      expect((event as ZoneEvent).after).toMatchObject({
        name: 'example.com',
        serial: soa.serial,
        mname: soa.mname,
        defaultTtl: soa.defaultTtl,
      });
      const { serial: newSerial } = soa;
      expect(outcome).toEqual({ moved: false, errors: [], newSerial, warnings: [] });
    }
  });

  it('creates it above every serial that its name was served under', () => {
    const law = new Law();
    law.state.formerSerials.set('example.com', soa.serial + 5);
    const { event, outcome } = law.when(creating());
    expect((event as ZoneEvent).after!.serial).toBe(soa.serial + 6);
    expect(codesOf(outcome)).toEqual(['SERIAL_RAISED']);
    law.state.formerSerials.set('example.com', 2_147_483_647);
    expect(law.refusal(creating())).toMatch(/^ZONE_CONFLICT .* had the serial 2147483647, .* give/);
  });

  it('creates no zone of an SOA that can not be held, unless the caller says what can', () => {
    const file = { ...soa, serial: 2_137_483_648 };
    const error = 'line 2: SOA serial: 2137483648 is outside 1..2137483647; give serial';
    expect(new Law().when(creating({ file }))).toEqual({
      event: undefined,
      outcome: { moved: false, errors: [error], warnings: [] },
    });
    const { event, outcome } = new Law().when(creating({ file, overrides: { serial: 5 } }));
    expect((event as ZoneEvent).after!.serial).toBe(5);
    expect(outcome.errors).toEqual([]);
  });

  it('is refused like one that was not: by rights, by an SOA in the place of a kept one, without an SOA', () => {
    const law = filled();
    expect(law.refusal(publishing({ overrides: { serial: 5 } }))).toMatch(
      /^ZONE_CONFLICT zone 'example.com' exists and keeps its SOA: leave out serial/,
    );
    law.rights = rightsFor(1, ['record:create']);
    expect(law.refusal(publishing())).toMatch(/^FORBIDDEN action 'record:delete'/);
    law.rights = rightsFor(7, ['record:create', 'record:delete']);
    expect(law.refusal(publishing())).toMatch(/^ZONE_NOT_FOUND /);
    expect(new Law().refusal(creating({ file: null }))).toMatch(/needs an SOA/);
    expect(new Law().refusal(creating({ zoneName: catalogZoneName }))).toMatch(/^ZONE_CONFLICT /);
  });
});

describe('rights to import', () => {
  const append = importing('append', ['b A 192.0.2.1']);
  const upsert = importing('upsert', ['b A 192.0.2.1']);

  function refusal(rights: Rights, command: ImportZone): string {
    const law = filled();
    law.rights = rights;
    return law.refusal(command);
  }

  it('decisions 3: an invisible zone is missing, a visible one names the action that is needed', () => {
    expect(refusal(new Rights([]), append)).toMatch(/^ZONE_NOT_FOUND /);
    expect(refusal(rightsFor(7, ['record:create']), append)).toMatch(/^ZONE_NOT_FOUND /);
    const needed = (action: string) =>
      `FORBIDDEN action '${action}' is needed on all records of zone 'example.com'`;
    expect(refusal(rightsFor(1, ['zone:update']), append)).toBe(needed('record:create'));
    expect(refusal(rightsFor(1, ['record:create'], '@'), append)).toBe(needed('record:create'));
    expect(refusal(rightsFor(1, ['record:create']), append)).toBe('not refused');
    expect(refusal(rightsFor(1, ['record:create']), upsert)).toBe(needed('record:delete'));
    const both = rightsFor(1, ['record:create', 'record:delete']);
    expect(refusal(both, upsert)).toBe('not refused');
    expect(refusal(both, { ...upsert, mode: 'replace' })).toBe('not refused');
  });

  it('decisions 3: create asks for everything in all zones, also where the zone exists', () => {
    const create = { ...append, create: soa };
    const everywhere = (action: string) => `FORBIDDEN action '${action}' is needed in all zones`;
    expect(refusal(rightsFor(1, ['record:create']), create)).toBe(everywhere('zone:create'));
    expect(refusal(rightsFor(null, ['record:create']), create)).toBe(everywhere('zone:create'));
    expect(refusal(rightsFor(null, ['zone:create']), create)).toBe(everywhere('record:create'));
    const all = rightsFor(null, ['zone:create', 'record:create']);
    expect(refusal(all, create)).toBe('not refused');
    expect(refusal(all, { ...create, mode: 'replace' })).toBe(everywhere('record:delete'));
  });

  it('rights come before rules, and before what is wrong with the file', () => {
    const bad = importing('append', ['c CNAME x.', 'c CNAME y.']);
    expect(refusal(rightsFor(1, ['zone:read']), bad)).toMatch(/^FORBIDDEN /);
    expect(refusal(rightsFor(null, ['zone:create']), { ...bad, create: null })).toMatch(
      /^FORBIDDEN /,
    );
  });

  it('who may not read is shown only what it wrote', () => {
    const law = filled();
    law.rights = rightsFor(1, ['record:create']);
    const { diff } = law.when(importing('append', ['www A 192.0.2.9'])).outcome;
    expect(diff.entries.map(({ change, from, to }) => [change, from.length, to.length])).toEqual([
      ['added', 0, 1],
    ]);
  });
});
