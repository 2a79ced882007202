/** Begins an epoch in a database that no service has open: a backup that is being restored. */
import { epochEvent } from '../domain/decide-epoch.ts';
import type { BeginEpoch, ServiceRecovered } from '../domain/epoch.ts';
import type { Author } from '../domain/why.ts';
import type { Connection } from '../journal/database.ts';
import { Journal } from '../journal/journal.ts';
import { Fold } from '../projection/fold.ts';
import { Pending } from '../projection/pending.ts';
import { stateOn } from '../query/state.ts';
import { byAuthor, provenanceOf } from './submission.ts';

/** Journals the event and folds it, in one commit. Zones take their steps when the service starts. */
export function beginEpochOffline(
  connection: Connection,
  command: BeginEpoch,
  author: Author,
  now: number,
): ServiceRecovered {
  const provenance = provenanceOf(byAuthor(author));
  const journal = new Journal(connection);
  const pending = new Pending(connection);
  const fold = new Fold(connection, pending);
  return connection.transaction(() => {
    const event = epochEvent(command, stateOn(connection, pending));
    const { at } = journal.append(event, now, provenance);
    fold.apply(event, { at, actorName: provenance.actorName });
    journal.flush();
    pending.flush();
    return event;
  })();
}
