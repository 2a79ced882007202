/** `events`: what was done, by whom and why; with `--follow` also what is done from now on. */
import { setTimeout } from 'node:timers/promises';
import type { EventPage, JournalEvent } from '../answers.ts';
import { doneBy, whyText } from '../changes.ts';
import type { Client, QueryValues } from '../client.ts';
import { type Context, defineCommand } from '../command.ts';
import { CliFailure, exitCode, usageFailure } from '../failure.ts';
import { flag } from '../field.ts';
import { recordCounts, seqPositional, showEvent } from './event.ts';
import { requestOf } from '../from-contract.ts';
import { cellsOf, type Columns, type Output, showCell } from '../output.ts';
import { tsvLine } from '../tsv.ts';

const request = requestOf({
  usage: 'events',
  route: 'listEvents',
  fields: {
    limit: 'rows to show at most, 50 when left out',
    zone: 'only events of the zone of this name',
    type: 'only changes of records of this type',
  },
});

const columns: Columns<JournalEvent> = [
  'seq',
  'at',
  ['zone', ({ zone }) => zone?.name],
  'serial',
  'kind',
  ['by', ({ actor, source }) => doneBy(actor, source)],
  ['records', recordCounts],
  ['reason', whyText],
];

/** Milliseconds until a service that was lost is asked again. */
const againMs = 1000;

export const events = defineCommand({
  usage: 'events [seq]',
  summary: 'List events, newest first: what was done, by whom and why',
  notes:
    'With a number it is that event, with all that it changed.\n' +
    'With --follow it goes on with new events, one a line, and asks again when the connection is lost:\n' +
    'none is left out, none comes twice. It begins with the next event, or behind --after.',
  examples: [
    ['$0 --zone example.com', 'the last fifty changes of a zone'],
    ['$0 --name www.example.com --type A', 'who changed an address, and why'],
    ['$0 4711', 'what one of them changed'],
    ['$0 --reason OPS-1234 --limit 1000', 'what was done for a ticket'],
    ['$0 --follow -o json', 'every new event as a line of JSON'],
  ],
  positionals: seqPositional,
  options: {
    ...request.options,
    follow: flag('go on with new events until it is stopped'),
    all: flag('with a number: show every line of its diff; a terminal shows the first 100'),
  },
  async run({ follow, seq, all, ...values }, context) {
    if (seq !== undefined) {
      if (follow || !Object.values(values).every((value) => value === undefined)) {
        throw usageFailure('the number of an event excludes every filter and --follow');
      }
      return showEvent(Number(seq), context);
    }
    if (all) {
      const hint = '--limit shows more events, --before the next ones';
      throw usageFailure('--all goes with the number of an event', hint);
    }
    const client = await context.client();
    const { path, query } = request.send(values);
    if (follow) return followEvents(client, path, query, context);
    const answer = await client.get<EventPage>(path, query);
    await context.output.show(answer, () => tableOf(answer, context.output));
  },
});

function tableOf({ items, next_after: after, next_before: before }: EventPage, output: Output) {
  const option = after === null ? `--before ${before}` : `--after ${after}`;
  const more =
    after === null && before === null ? '' : `\nthere are more: ${option} shows the next`;
  return `${items.length === 0 ? 'no events' : output.rows(columns, items)}${more}`;
}

/** Goes on until the process is stopped, or the service refuses. */
async function followEvents(
  client: Client,
  path: string,
  { limit, order, before, until, after: given, ...filters }: QueryValues,
  { output, services }: Context,
): Promise<undefined> {
  if (![limit, order, before, until].every((value) => value === undefined)) {
    throw usageFailure('--follow excludes --limit, --order, --before and --until');
  }
  // Also where a number is given: only a service that answered once is waited for.
  const newest = await newestOf(client, path, filters);
  let after: QueryValues[string] = given ?? newest;
  let names: readonly string[] | undefined;
  let id: string | undefined;
  // Server-sent events: their ids are those to ask again with, also of a service that was restored meanwhile.
  const show = async (field: string) => {
    if (field.startsWith('id: ')) id = field.slice('id: '.length);
    // An id without an event says where the stream begins.
    if (field === '' && id !== undefined) after = withEpoch(id);
    if (!field.startsWith('data: ')) return;
    const line = field.slice('data: '.length);
    const event = JSON.parse(line) as JournalEvent;
    if (output.format === 'json') output.write(line);
    else if (output.format === 'tsv') {
      names ??= tsvHead(event, output);
      output.write(tsvLine(names, { ...event }));
    } else await output.show(event, () => cellsOf(columns, event).map(showCell).join('  '));
    after = id === undefined ? event.seq : withEpoch(id);
  };
  let isLost = false;
  const lines = () => {
    const take = lineTaker(show);
    id = undefined;
    return (piece: Buffer) => {
      isLost = false;
      return take(piece);
    };
  };
  while (true) {
    try {
      await client.getText(`${path}/stream`, { ...filters, after }, lines(), 'text/event-stream');
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    if (!isLost) services.stderr.write('the connection is lost; asking again\n');
    isLost = true;
    await setTimeout(againMs);
  }
}

/** A number alone is that of the event that has it now; as an id it is of before any restore. */
function withEpoch(id: string): string {
  return id.includes('-') ? id : `1-${id}`;
}

/** The names of the fields of events, written once as the first line. */
function tsvHead(event: JournalEvent, output: Output): readonly string[] {
  const names = Object.keys(event);
  output.write(names.join('\t'));
  return names;
}

/** The number of an event behind which there is none that passes. */
async function newestOf(client: Client, path: string, filters: QueryValues): Promise<number> {
  const { items, next_before: before } = await client.get<EventPage>(path, {
    ...filters,
    limit: 1,
  });
  return items[0]?.seq ?? before ?? 0;
}

/** Gives out whole lines; what a lost connection leaves of one comes again with the next. */
function lineTaker(take: (line: string) => Promise<void>): (piece: Buffer) => Promise<void> {
  let rest = Buffer.alloc(0);
  return async (piece) => {
    rest = Buffer.concat([rest, piece]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = rest.toString('utf8', 0, end);
      rest = rest.subarray(end + 1);
      await take(line);
    }
  };
}

/** What is over when the service is there again, or can do it again; a proxy before it answers for it meanwhile. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof CliFailure)) return false;
  const { exitCode: code, status = 0 } = error;
  return code === exitCode.serviceNotReachable || [502, 503, 504].includes(status);
}
