/** `undo`: the inverse of one change, later ones kept. Without a number that of the caller's own last change. */
import type { Event, Reversion } from '../answers.ts';
import { done, withDiff } from '../changes.ts';
import { type Client, segment } from '../client.ts';
import { type Context, defineCommand } from '../command.ts';
import { expectNow } from '../expected.ts';
import { CliFailure, exitCode } from '../failure.ts';
import { flag } from '../field.ts';
import { requestOf } from '../from-contract.ts';
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

export const undo = defineCommand({
  usage: 'undo [seq]',
  summary: 'Undo one change; later changes stay',
  notes:
    'Without a number it is the last change that you made yourself: you see it, and it is done once you say so.\n' +
    'What changed again since is a conflict, and nothing is done; --force-names takes it all the same.\n' +
    'An undo can be undone too. Signing, keys and administration have commands of their own.',
  examples: [
    ['zonebook undo', 'the last thing that you did'],
    ['zonebook undo 4711 --dry-run', 'what would event 4711 undone change?'],
    ['zonebook undo 4711 --names www', 'the part of it that is about www'],
  ],
  positionals: request.positionals,
  options,
  presents: 'change',
  async run({ seq: given, yes, ...values }, context) {
    const client = await context.client();
    const own = given === undefined ? await ownEvent(client) : undefined;
    const number = given ?? own?.seq;
    const ask = (more: Record<string, unknown>): Promise<Reversion> => {
      const { path, body } = request.send({ ...values, ...more, seq: number });
      return client.ask('POST', path, {}, body);
    };
    if (own !== undefined && yes !== true && values.dryRun !== true) {
      const { name, deleted } = own.zone!;
      if (!deleted) await expectNow(`/zones/${segment(name)}`, client);
      const preview = await ask({ dryRun: true });
      await confirm(textOf(preview, context.preview), context);
    }
    const answer = await ask({});
    await context.output.show(answer, () => textOf(answer, context.output));
    const { diff, settings_changed: settings, zone } = answer;
    context.foresee((diff?.entries.length ?? 0) + settings.length > 0 || zone.deleted);
    return undefined;
  },
});

async function ownEvent(client: Client): Promise<Event> {
  const event = await lastOwn(client);
  if (event === undefined) throw new CliFailure(exitCode.notFound, 'you have changed nothing yet');
  if (canBeUndone(event)) return event;
  const said = `your last change, event ${event.seq}, is ${event.kind}, which can not be undone`;
  throw new CliFailure(exitCode.conflict, said, "name another: 'zonebook undo SEQ'");
}

function textOf(answer: Reversion, output: Output): string {
  const { event, zone, serial, diff, settings_changed: settings } = answer;
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
