/** `restore`: puts a backup in the place of the database, which is kept beside it. */
import { counted, dryRun } from '../changes.ts';
import { type Context, defineCommand } from '../command.ts';
import { flag, required } from '../field.ts';
import type { Restored } from './restored-database.ts';

export const restore = defineCommand({
  usage: 'restore <file>',
  summary: 'Put a backup in the place of the database; the service must be stopped',
  notes:
    'The backup is verified first, and the key file has to be in place that was there when it was made.\n' +
    'The former database stays beside the new one. Tokens and grants go back to those of the backup.\n' +
    'Secondaries may hold serials that the backup never saw, so a new epoch begins: when the service\n' +
    'starts, every zone and the catalog go on 65,536 serials beyond all that the former database had\n' +
    'and that enabled secondaries serve (they are asked, for 10 s at most), identifiers likewise;\n' +
    'signatures are renewed, and secondaries transfer whole zones. --dry-run shows it per zone and\n' +
    'secondary, also while the service runs.',
  examples: [
    ['zonebook restore /backup/zonebook-2026-01-31.db', 'back to the last of January'],
    ['zonebook restore /backup/zonebook-2026-01-31.db --dry-run', 'what it would do, by zone'],
  ],
  positionals: { file: required('file that backup has written') },
  options: { dryRun: flag(dryRun) },
  where: 'host',
  async run({ file, dryRun: isDryRun = false }, context) {
    const { restoreDatabase, tryRestore } = await import('./restored-database.ts');
    const restored = await (isDryRun ? tryRestore : restoreDatabase)(file, context);
    await context.output.show({ ...restored, dry_run: isDryRun }, () =>
      isDryRun ? trialText(context, restored) : restoredText(restored),
    );
  },
});

function restoredText({ events, database, head, epoch, former }: Restored): string {
  const lines = [
    `restored ${counted(events, 'event')} to ${database}`,
    `last hash ${head}`,
    `epoch ${epoch} begins: zones go on beyond what secondaries may hold when the service starts`,
  ];
  if (former !== null) lines.push(`the former database is ${former}`);
  return lines.join('\n');
}

/** A table with a column for each secondary. */
function trialText({ output }: Context, restored: Restored): string {
  const { events, epoch, catalog, zones, secondaries } = restored;
  const names = secondaries.map(({ name }) => name);
  const rows = [...zones, catalog].map((row) => [
    row.zone,
    row.backup_serial,
    row.replaced_serial,
    ...row.secondaries.map(({ serial }) => serial),
    row.next_serial,
  ]);
  const lines = [
    `would restore ${counted(events, 'event')} and begin epoch ${epoch}; nothing was changed`,
    output.table(['zone', 'in the backup', 'replaced', ...names, 'goes on at'], rows),
  ];
  for (const { name, address, error } of secondaries) {
    if (error !== null) lines.push(`secondary ${name} (${address}): ${error}`);
  }
  return lines.join('\n');
}
