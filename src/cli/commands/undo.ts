/** `undo`: the inverse of one change, later ones kept. Without a number that of the caller's own last change. */
import type { Event, EventAnswer, Reversion } from '../answers.ts';
import { done, withDiff } from '../changes.ts';
import type { Client } from '../client.ts';
import { type Context, defineCommand } from '../command.ts';
import { expectZone } from '../expected.ts';
import { CliFailure, exitCode, usageFailure } from '../failure.ts';
import { type Field, flag, list, needed, numberOf } from '../field.ts';
import { requestOf, type Values } from '../from-contract.ts';
import type { Output } from '../output.ts';
import { canBeUndone, lastOwn } from '../undo.ts';

const request = requestOf({
  usage: 'undo [seq]',
  route: 'revertEvent',
  fields: {
    names: 'only RRsets at these names, separated by commas; @ is the apex',
    types: 'only RRsets of these types',
    forceNames: 'names that go back also where they changed since; @ takes the settings too',
  },
});
const options = { ...request.options, yes: flag('do not ask') };

const words = list('number of an event; of a change of several zones that of each');
const seq: Field<readonly number[]> = {
  ...words,
  read(raw, label) {
    const { read } = needed(numberOf('', 'number of an event'));
    return words.read(raw, label).map((word) => read(word, label));
  },
};

/** Makes what undoes an event, or would. */
type Revert = (seq: number, more?: { readonly dryRun: true }) => Promise<Reversion>;

export const undo = defineCommand({
  usage: 'undo [seq..]',
  summary: 'Undo one change; later changes stay',
  notes:
    'Without a number it is the last change that you made yourself, in every zone that it changed: you see it,\n' +
    'and it is done once you say so. Several numbers are undone zone by zone, each in a change of its own.\n' +
    'What changed again since is a conflict, and nothing is done; --force-names takes it all the same.\n' +
    'An undo can be undone too. Signing, keys, tags and administration have commands of their own.',
  examples: [
    ['zonebook undo', 'the last thing that you did'],
    ['zonebook undo 4711 --dry-run', 'what would event 4711 undone change?'],
    ['zonebook undo 4711 --names www', 'the part of it that is about www'],
    ['zonebook undo 4711 4712', 'a change of two zones'],
  ],
  positionals: { seq },
  options,
  presents: 'change',
  async run({ seq: given, yes, ...others }, context) {
    const values: Values = others;
    const client = await context.client();
    const revert: Revert = (number, more) => {
      const { path, body } = request.send({ ...values, ...more, seq: number });
      return client.ask('POST', path, {}, body);
    };
    const present = (answers: readonly Reversion[]) => {
      const [first, ...others] = answers;
      const answer = others.length === 0 ? first! : { items: answers };
      return context.output.show(answer, () => textOfAll(answers, context.output));
    };
    const isTried = values.dryRun === true;
    const isAsked = given.length === 0 && yes !== true && !isTried;
    const events = given.length === 0 ? await ownEvents(client) : await eventsOf(given, client);
    let answers: readonly Reversion[];
    if (events.length === 1 && !isAsked) answers = [await revert(events[0]!.seq)];
    else {
      const tried = await tryAll(events, revert, client);
      answers = tried.map(({ would }) => would);
      if (isAsked) await confirm(textOfAll(answers, context.preview), context);
      if (!isTried) answers = await undoAll(tried, revert, client, present);
    }
    await present(answers);
    context.foresee(answers.find(changesAnything) !== undefined);
    return undefined;
  },
});

/** Without a diff a zone goes or comes back, or more changes than a diff has. */
function changesAnything({ diff, settings_changed: settings }: Reversion): boolean {
  return diff === null || diff.entries.length + settings.length > 0;
}

/** What is undone, and what is asked for the zone that it is in. */
type Undone = Pick<Event, 'seq' | 'zone'>;

async function ownEvents(client: Client): Promise<readonly Undone[]> {
  const events = await lastOwn(client);
  const [newest] = events;
  if (newest === undefined) {
    throw new CliFailure(exitCode.notFound, 'you have changed nothing yet');
  }
  const undone = events.filter(canBeUndone);
  if (undone.length > 0) return undone;
  const said = `your last change, event ${newest.seq}, is ${newest.kind}, which can not be undone`;
  throw new CliFailure(exitCode.conflict, said, "name another: 'zonebook undo SEQ'");
}

/** The newest first. Of one zone there is one: what a second would change is known once the first is undone. */
async function eventsOf(given: readonly number[], client: Client): Promise<readonly Undone[]> {
  const numbers = [...new Set(given)].sort((a, b) => b - a);
  if (numbers.length === 1) return numbers.map((number) => ({ seq: number, zone: null }));
  const events: Event[] = [];
  for (const number of numbers) {
    const { event } = await client.get<EventAnswer>(`/events/${number}`);
    const other = events.find(({ zone }) => zone !== null && zone.id === event.zone?.id);
    if (other !== undefined) {
      const said = `events ${other.seq} and ${number} are both of zone ${event.zone!.name}`;
      throw usageFailure(said, 'undo them one after the other, the newest first');
    }
    events.push(event);
  }
  return events;
}

interface Tried {
  readonly seq: number;
  readonly would: Reversion;
  /** The entity tag of its zone. */
  readonly ifMatch: string | undefined;
}

/** All of them are tried before the first is undone, and each zone is expected to stay as it is then. */
async function tryAll(
  events: readonly Undone[],
  revert: Revert,
  client: Client,
): Promise<readonly Tried[]> {
  const tried: Tried[] = [];
  for (const { seq: number, zone } of events) {
    client.ifMatch = undefined;
    if (zone?.deleted === false) await expectZone(zone.id, client);
    const would = await revert(number, { dryRun: true });
    tried.push({ seq: number, would, ifMatch: client.ifMatch });
  }
  return tried;
}

/** One after the other. Where one is refused those before it are presented, and the others named. */
async function undoAll(
  tried: readonly Tried[],
  revert: Revert,
  client: Client,
  present: (answers: readonly Reversion[]) => Promise<void>,
): Promise<readonly Reversion[]> {
  const answers: Reversion[] = [];
  for (const { seq: number, ifMatch } of tried) {
    client.ifMatch = ifMatch;
    try {
      answers.push(await revert(number));
    } catch (error) {
      if (!(error instanceof CliFailure) || answers.length === 0) throw error;
      await present(answers);
      const left = tried.slice(answers.length).map((each) => each.seq);
      error.hint = `what is left is undone with: zonebook undo ${left.join(' ')}`;
      throw error;
    }
  }
  return answers;
}

function textOfAll(answers: readonly Reversion[], output: Output): string {
  return answers.map((answer) => textOf(answer, output)).join('\n');
}

function textOf(answer: Reversion, output: Output): string {
  const { event, zone, serial, diff, settings_changed: settings } = answer;
  if (!changesAnything(answer)) {
    return `nothing changes in zone ${zone.name}: nothing of event ${event} is left to undo`;
  }
  const verb = answer.dry_run ? 'would undo' : 'undid';
  const became = zone.deleted ? `${done(answer, 'delete')} the zone` : `serial ${serial}`;
  const changed = settings.length === 0 ? '' : `, ${settings.join(', ')} changed`;
  const headline = `${verb} event ${event} in ${zone.name}: ${became}${changed}`;
  return withDiff(headline, diff ?? { entries: [] }, output);
}

/** Presents what would be done and asks on the terminal; refused where nobody can be asked. */
async function confirm(text: string, { services }: Context): Promise<void> {
  const { stderr, stdin, isTerminal } = services;
  if (!isTerminal.stderr) {
    const hint = 'name the event, or give --yes';
    throw new CliFailure(exitCode.failure, 'nobody can be asked here', hint);
  }
  stderr.write(`${text}\ndo it? [y/N] `);
  for await (const piece of stdin) {
    if (/^\s*y(?:es)?\s*$/i.test(Buffer.from(piece as string).toString())) return;
    break;
  }
  throw new CliFailure(exitCode.failure, 'nothing was done');
}
