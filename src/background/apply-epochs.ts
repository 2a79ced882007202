/**
 * The steps of zones into a new epoch, before anything is served: many small zones in a commit, and those
 * that have to be signed as a whole by a thread, one after the other.
 *
 * What could not take its step is logged, keeps its version, and is tried again at the next start.
 */
import type { Writer } from '../writer/writer.ts';
import { bySystem } from '../writer/submission.ts';
import { WholePassNeeded } from '../writer/zone-signer.ts';
import type { OpenEpoch } from '../query/epoch-queries.ts';
import type { Log } from '../telemetry/log.ts';

export interface EpochServices {
  readonly writer: Pick<Writer, 'submit'>;
  readonly log: Pick<Log, 'info' | 'error'>;
}

/** Steps that wait for a commit together; a commit takes no more. */
const zonesPerCommit = 256;

/** Takes the step of each zone; returns how many took it. */
export async function applyEpochs(
  { zoneNames, jump }: OpenEpoch,
  { writer, log }: EpochServices,
): Promise<number> {
  const long: string[] = [];
  let taken = 0;
  const failed = (zone: string, error: unknown) => log.error('epoch.zone-failed', { zone, error });
  for (let at = 0; at < zoneNames.length; at += zonesPerCommit) {
    await Promise.all(
      zoneNames.slice(at, at + zonesPerCommit).map(async (zoneName) => {
        try {
          const options = { ...bySystem, describesWhole: true };
          await writer.submit({ kind: 'recover-zone', zoneName, jump }, options);
          taken++;
        } catch (error) {
          if (error instanceof WholePassNeeded) long.push(zoneName);
          else failed(zoneName, error);
        }
      }),
    );
  }
  for (const zoneName of long) {
    try {
      await writer.submit({ kind: 'recover-zone', zoneName, jump }, bySystem);
      taken++;
    } catch (error) {
      failed(zoneName, error);
    }
  }
  if (zoneNames.length > 0) {
    log.info('epoch.zones-recovered', { zones: taken, failed: zoneNames.length - taken });
  }
  return taken;
}
