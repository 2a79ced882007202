/** `zone lint`: what is probably a mistake in one zone, or in all. */
import type { Listing, Warning, Zone } from '../answers.ts';
import { type Client, segment } from '../client.ts';
import { defineCommand } from '../command.ts';
import { usageFailure } from '../failure.ts';
import { domainName, flag, text } from '../field.ts';
import type { Columns } from '../output.ts';
import { everyPage, fetchPages } from '../page.ts';

interface LintPage {
  readonly items: readonly Warning[];
  readonly next_cursor: string | null;
}

const columns: Columns<Warning> = ['name', 'type', 'code', 'message'];

export const zoneLint = defineCommand({
  usage: 'lint [name]',
  summary: 'List what is probably a mistake in a zone',
  notes: 'Targets, parents and children are looked up in all zones of the service.',
  examples: [
    ['$0 example.com', 'of one zone'],
    ['$0 --all', 'of every zone'],
  ],
  positionals: { name: domainName(text('name of the zone')) },
  options: { all: flag('every zone') },
  async run({ name, all }, { client: connect, output }) {
    if ((name === undefined) !== (all === true)) {
      throw usageFailure('name one zone, or give --all', "see 'zonebook zone lint --help'");
    }
    const client = await connect();
    const items: Warning[] = [];
    for (const zone of name === undefined ? await namesOf(client) : [name]) {
      for await (const found of resultsIn(client, zone)) items.push(...found);
    }
    await output.show({ items }, () => {
      return items.length === 0 ? 'nothing was found' : output.rows(columns, items);
    });
  },
});

async function namesOf(client: Client): Promise<readonly string[]> {
  const zones: Listing<Zone> = await fetchPages(client, '/zones', {}, everyPage);
  return zones.items.map(({ name }) => name);
}

async function* resultsIn(client: Client, zone: string): AsyncGenerator<readonly Warning[]> {
  let cursor: string | undefined;
  do {
    const query = { limit: 1000, ...(cursor === undefined ? {} : { cursor }) };
    const page = await client.get<LintPage>(`/zones/${segment(zone)}/lint`, query);
    yield page.items;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}
