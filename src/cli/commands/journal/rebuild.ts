/** `journal rebuild`: empties the projections and folds the whole journal into them again. */
import { defineCommand } from '../../command.ts';
import { CliFailure, exitCode } from '../../exit-code.ts';
import { flag } from '../../field.ts';
import { counted } from '../change.ts';

export const journalRebuild = defineCommand({
  usage: 'rebuild',
  summary: 'Build everything that is read from the journal again; the service must be stopped',
  notes:
    'Nothing is rebuilt from a journal that is damaged or lacks events: tables that know more than the\n' +
    'journal would be lost.',
  examples: [['zonebook journal rebuild', 'after verify has found projections that differ']],
  options: {
    withoutMissingEvents: flag(
      'rebuild although events are missing at the end: what they changed is lost',
    ),
  },
  where: 'host',
  async run({ withoutMissingEvents }, context) {
    const { findDatabase, openStopped, WatchedJournal } = await import('./shared.ts');
    const { readEpochFile } = await import('../../../journal/epoch-file.ts');
    const { sentenceOf } = await import('../../../journal/finding.ts');
    const { journalFindings } = await import('./verdict.ts');
    const { rebuildProjections } = await import('../../../projection/rebuild.ts');
    await using stack = new AsyncDisposableStack();
    const found = await findDatabase(context);
    const database = await openStopped(found);
    stack.defer(() => database.close());
    const { connection } = database;
    // Tables that can be read are not thrown away for events that can not be trusted.
    const served = readEpochFile(found.dataDir)?.seq;
    const { findings } = await journalFindings(connection, context.services, served);
    const first = findings.find(
      ({ code }) => !(withoutMissingEvents === true && code === 'EVENTS_MISSING_AT_END'),
    );
    if (first !== undefined) {
      throw new CliFailure(
        exitCode.failure,
        `nothing was rebuilt: ${sentenceOf(first)}`,
        "'zonebook journal verify' tells more",
      );
    }
    const journal = new WatchedJournal(connection, 'rebuild', context.services);
    const { events } = rebuildProjections(connection, journal);
    await context.output.show(
      { events },
      () => `rebuilt the projections from ${counted(events, 'event')}`,
    );
  },
});
