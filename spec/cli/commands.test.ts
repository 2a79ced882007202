/** Every command of decisions 14 is there, with its aliases; what each does is tested where it belongs. */
import { describe, expect, it } from 'vitest';
import { type Command, examplesOf, type Group, optionName, verbOf } from '../../src/cli/command.ts';
import { commands, groups } from '../../src/cli/commands/index.ts';

const promised = [
  'serve external-dns doctor status openapi completion backup restore',
  'zone: create list get update delete import export notify status history',
  'zone version: list get diff rollback',
  'record: create list get update delete bulk history',
  'role: create list get delete grant grants revoke',
  'token: create list delete self',
  'tsig-key: create list get delete',
  'secondary: create list get update delete check transfers',
  'dnssec: enable status set disable check-ds sign roll promote abort',
  'dnssec withdraw: start cancel',
  'dnssec key: export import',
  'dnssec-policy: create list get update delete',
  'journal: verify rebuild log',
  'config: check show',
];

function everyOf(group: Group, path: string): [string, Command][] {
  const here = `${path}${group.name} `;
  return [
    ...group.commands.map((command): [string, Command] => [`${here}${verbOf(command)}`, command]),
    ...(group.groups ?? []).flatMap((part) => everyOf(part, here)),
  ];
}

const every = new Map<string, Command>([
  ...commands.map((command): [string, Command] => [verbOf(command), command]),
  ...groups.flatMap((group) => everyOf(group, '')),
]);

describe('commands (decisions 14)', () => {
  it.each(promised)('has %s', (line) => {
    const [group, verbs] = line.includes(': ') ? line.split(': ') : ['', line];
    const names = verbs!.split(' ').map((verb) => `${group} ${verb}`.trim());
    expect(names.filter((name) => !every.has(name))).toEqual([]);
  });

  it('has ls for each list and rm for each delete', () => {
    for (const [name, { aliases = [] }] of every) {
      const verb = name.split(' ').at(-1);
      const wanted = verb === 'list' ? ['ls'] : verb === 'delete' ? ['rm'] : [];
      expect([name, aliases]).toEqual([name, wanted]);
    }
  });

  it('says in one line what each does, and how it is typed', () => {
    for (const [name, command] of every) {
      const { summary } = command;
      const examples = examplesOf(command, `zonebook ${name}`.replace(/ \S+$/, ''));
      expect([name, summary]).toEqual([name, expect.stringMatching(/^[A-Z].{5,}[^.\n]$/)]);
      expect([name, examples.length > 0]).toEqual([name, true]);
      expect(examples.some(([line]) => line.includes(`zonebook ${name}`))).toBe(true);
    }
  });

  it('takes no list that is empty for one that is left out', () => {
    const lists = [...every].flatMap(([name, { options = {} }]) =>
      Object.entries(options)
        .filter(([, { settings }]) => settings.array === true)
        .map(([option, field]) => ({ name, label: `--${optionName(option)}`, field })),
    );
    const named = lists.map(({ name, label }) => `${name} ${label}`);
    for (const one of ['zone version rollback --names', 'undo --types', 'zone guard --protect']) {
      expect(named).toContain(one);
    }
    for (const { name, label, field } of lists) {
      for (const given of [[''], [','], [' ', ' , ']]) {
        let read: unknown;
        try {
          read = field.read(given, label);
        } catch (error) {
          expect((error as Error).message).toContain(label);
          continue;
        }
        // Words that are kept as they are given.
        expect([name, label, read]).toEqual([name, label, given]);
      }
    }
  });

  it('asks in these with what a dry run says, which is what is done then or nothing', () => {
    const asking = [...every].filter(([, { options = {} }]) => options.yes && options.dryRun);
    // Those of a zone expect it as it was presented; which versions were replaced before a time stays so.
    expect(asking.map(([name]) => name).sort()).toEqual([
      'dnssec disable',
      'undo',
      'zone apply',
      'zone delete',
      'zone edit',
      'zone forget-history',
      'zone purge',
      'zone update',
      'zone version rollback',
    ]);
  });
});
