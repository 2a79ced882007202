/** `journal rebuild`: empties the projections and folds the whole journal into them again. */
import { defineCommand } from '../../command.ts';
import { CliFailure, exitCode } from '../../exit-code.ts';
import { counted } from '../change.ts';

export const journalRebuild = defineCommand({
  usage: 'rebuild',
  summary: 'Build everything that is read from the journal again; the service must be stopped',
  examples: [['zonebook journal rebuild', 'after verify has found projections that differ']],
  where: 'host',
  async run(_, context) {
    const { findDatabase, openStopped, WatchedJournal } = await import('./shared.ts');
    const { verifyChain } = await import('../../../journal/verify.ts');
    const { rebuildProjections } = await import('../../../projection/rebuild.ts');
    await using stack = new AsyncDisposableStack();
    const database = await openStopped(await findDatabase(context));
    stack.defer(() => database.close());
    const { connection } = database;
    // Tables that can be read are not thrown away for events that can not be trusted.
    const checked = verifyChain(new WatchedJournal(connection, 'chain  ', context.services));
    if (checked.findings.length > 0) {
      throw new CliFailure(
        exitCode.failure,
        `the journal is broken at event ${checked.findings[0]!.seq}; nothing was rebuilt`,
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
