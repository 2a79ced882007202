/**
 * Handlers that roll a zone back (interface 4.2, decisions 16).
 *
 * The version is read outside the writing transaction, as that may take a while. When the zone has moved
 * meanwhile the engine does nothing, and it is read again. A very large step is prepared beside the zone.
 */
import { Problem } from '../../base/problem.ts';
import { versionRoutes } from '../../contract/versions.ts';
import { type Answer, json } from '../answer.ts';
import { type CheckedRequest, type Endpoint, endpoint } from '../endpoint.ts';
import { parseSerial } from '../path-values.ts';
import { presentRollback } from '../present/version.ts';
import type { HandlerServices } from '../services.ts';

/** Times a version is read for one rollback. */
const attempts = 10;

const one = endpoint(versionRoutes.rollbackVersion, (request, services) => {
  const dryRun = request.body.dry_run ?? request.query.dry_run ?? false;
  return rollBack(request, services, parseSerial(request.params.serial), dryRun);
});

const earlier = endpoint(versionRoutes.rollbackZone, (request, services) => {
  const { serial, dry_run: dryRun } = request.body;
  return rollBack(request, services, serial, dryRun ?? request.query.dry_run ?? false);
});

async function rollBack(
  request: CheckedRequest<'name', unknown, unknown>,
  services: HandlerServices,
  targetSerial: number,
  dryRun: boolean,
): Promise<Answer> {
  const { rights } = request.caller;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const { zone, reading } = await request.view.versions.forRollback(
      request.params.name,
      targetSerial,
      (found) => {
        request.requireMatch(found);
        return { most: services.importer.smallStep(found) };
      },
    );
    const { atSerial, nodes, settings } = reading;
    const command = { kind: 'rollback-zone', zoneName: zone.name, targetSerial } as const;
    const options = request.submitOptions(dryRun);
    const outcome =
      nodes === undefined
        ? await services.importer.rollBack({ zone, targetSerial, settings, rights, options })
        : await request.submit({ ...command, atSerial, nodes, settings }, dryRun);
    if (!outcome.moved) return json(200, presentRollback(outcome, dryRun));
  }
  throw new Problem('OVERLOADED', 'the zone changes faster than a version of it can be read', 1);
}

export const rollbackEndpoints: readonly Endpoint[] = [one, earlier];
