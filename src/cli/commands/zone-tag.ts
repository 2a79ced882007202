/** `zone tag`: names for serials of a zone, which --at takes as tag:NAME. */
import type { TagChange, ZoneTag } from '../answers.ts';
import type { Group } from '../command.ts';
import { text, whole } from '../field.ts';
import { listed, passOn } from '../from-contract.ts';
import type { Columns } from '../output.ts';

const columns: Columns<ZoneTag> = [
  'name',
  'serial',
  'created_at',
  ['by', ({ created_by: actor }) => actor?.name],
  'reason',
];

export const tags: Group = {
  name: 'tag',
  summary: 'Names for serials of a zone',
  commands: [
    listed<ZoneTag>({
      usage: 'list <zone>',
      route: 'listTags',
      examples: [['$0 example.com', 'by name']],
      none: 'no tags',
      show: (all, output) => output.rows(columns, all),
    }),
    passOn<TagChange>({
      usage: 'set <zone> <name> [serial]',
      route: 'tagZone',
      notes: 'A tag that exists moves. --at takes tag:NAME wherever it takes a serial or a time.',
      examples: [
        ['$0 example.com before-move', 'the current serial'],
        ['$0 example.com release-1 7', 'an earlier one'],
        ["$0 example.com monday --at 'monday 08:00'", 'the one of then'],
      ],
      fields: { name: 'the name', serial: whole('serial; the current one when left out') },
      changes: ({ unchanged }) => !unchanged,
      show: ({ dry_run: isDry, name, serial }) =>
        `${isDry ? 'would tag' : 'tagged'} serial ${serial} as ${name}`,
    }),
    passOn<TagChange>({
      usage: 'delete <zone> <tag>',
      route: 'untagZone',
      examples: [['$0 example.com before-move', 'the version stays']],
      fields: { tag: text('the name') },
      show: ({ dry_run: isDry, name }) => `${isDry ? 'would delete' : 'deleted'} tag ${name}`,
    }),
  ],
};
