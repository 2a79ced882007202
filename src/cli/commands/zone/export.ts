/** `zone export`: GET /zones/{name}/export. */
import { open, rename, rm } from 'node:fs/promises';
import type { QueryValues } from '../../client.ts';
import { segment } from '../../client.ts';
import { type Context, defineCommand } from '../../command.ts';
import { flag, required, text, whole } from '../../field.ts';
import { domainName } from '../../name-field.ts';

export const zoneExport = defineCommand({
  usage: 'export <name>',
  summary: 'Export a zone as a master file',
  notes: 'The file is written as it is, whatever --output says.',
  examples: [
    ['zonebook zone export example.com --file example.com.zone', 'as it is now'],
    ['zonebook zone export example.com --at 2026-01-31T12:00:00Z', 'as it was at noon'],
  ],
  positionals: { name: domainName(required('name of the zone')) },
  options: {
    file: text('file to write; standard output when left out'),
    signed: flag('append the derived DNSSEC records'),
    serial: whole('as it was at this serial'),
    at: text('as it was at this time, like 2026-01-31T12:00:00Z'),
  },
  async run({ name, file, ...query }, context) {
    const path = `/zones/${segment(name)}/export`;
    if (file === undefined || file === '-') {
      const client = await context.client();
      const { stdout } = context.services;
      const decoder = new TextDecoder();
      await client.getText(path, query, (piece) => {
        stdout.write(decoder.decode(piece, { stream: true }));
      });
    } else {
      await writeWhole(path, query, file, context);
    }
    return undefined;
  },
});

/** Writes beside the file and moves it there in the end: one that is cut off replaces nothing. */
async function writeWhole(path: string, query: QueryValues, file: string, context: Context) {
  const client = await context.client();
  const partial = `${file}.partial`;
  const handle = await open(partial, 'w');
  try {
    try {
      await client.getText(path, query, async (piece) => {
        await handle.write(piece);
      });
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
