/**
 * Large rollbacks: planned in a thread against the zone as it is, staged in small commits that no reader
 * sees, and published by one short command. When the zone has moved meanwhile, its changes wait while the
 * way back is planned anew.
 */
import { assert } from '../../base/problem.ts';
import type { RollbackOutcome } from '../../domain/command.ts';
import type { SubmitOptions } from '../../engine/submission.ts';
import { holdStill } from './bulk-stage.ts';
import type { ImportThread } from './import-threads.ts';
import type { ImportServices } from './importer.ts';
import type { RollbackRequest } from './requests.ts';

type Services = Pick<ImportServices, 'engine'>;

export class StagedRollback {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  async run(thread: ImportThread, request: RollbackRequest): Promise<RollbackOutcome> {
    const first = await this.#attempt(thread, request, request.options);
    if (!first.moved) return first;
    const release = await holdStill(this.#services.engine, request.zone.name);
    try {
      const held = { ...request.options, isHolder: true };
      const second = await this.#attempt(thread, request, held);
      assert(!second.moved, 'a zone whose changes wait does not move');
      return second;
    } finally {
      release();
    }
  }

  /** Plans and publishes once; the outcome says when the zone has moved in between. */
  async #attempt(
    thread: ImportThread,
    { zone, targetSerial, settings, rights }: RollbackRequest,
    options: SubmitOptions,
  ): Promise<RollbackOutcome> {
    const { engine } = this.#services;
    const { dryRun } = options;
    const stage = dryRun
      ? undefined
      : await engine.operate({ kind: 'open-stage', zoneId: zone.id, records: 0 });
    try {
      const job = { zoneName: zone.name, targetSerial, dryRun, rights: rights.message() };
      const planned = await thread.rollBack(job, (slice) =>
        engine.operate({ kind: 'put-slice', stage: stage!, slice }),
      );
      const { atSerial, partCount, removed, added, hasApexDname } = planned;
      const partsDigest = Buffer.from(planned.partsDigest);
      // Ids are those of before: none is given out.
      const delta = { number: stage?.number ?? 0, partCount, partsDigest, removed, added };
      const staged = { ...delta, greatestId: 0, hasApexDname };
      const outcome = await engine.submit(
        {
          kind: 'publish-rollback',
          zoneName: zone.name,
          zoneId: zone.id,
          targetSerial,
          atSerial,
          settings,
          staged,
        },
        options,
      );
      return { ...outcome, warnings: planned.warnings };
    } finally {
      // What was not published is gradually deleted.
      if (stage !== undefined) engine.endStage(stage.number);
    }
  }
}
