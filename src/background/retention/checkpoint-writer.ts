/**
 * Writes checkpoints: a zone is read in one state of the database and written down as it was then. What is
 * small goes in by one command; of a large zone the parts are staged in small commits, which no reader
 * sees. The zone may change meanwhile: events after that state stay what they are.
 */

import { serviceStops } from '../../base/problem.ts';
import { emptyDelta, type StagedDelta } from '../../domain/event.ts';
import type { Writer } from '../../writer/writer.ts';
import type { SubmitOptions } from '../../writer/submission.ts';
import type { Connection } from '../../journal/database.ts';
import { endReading, openReader } from '../../journal/reader-connection.ts';
import type { DeltaPart } from '../../journal/delta.ts';
import { decodeDelta } from '../../journal/delta.ts';
import { digestOfPart, digestOfParts } from '../../journal/event-row.ts';
import { CheckpointSource } from '../../query/checkpoint-source.ts';
import { inStage, type Stage } from '../import/staged-change.ts';

/** Parts written in one commit: about two milliseconds. */
const partsPerSlice = 2;

export interface CheckpointServices {
  readonly writer: Pick<Writer, 'submit' | 'operate' | 'endStage'>;
  /** The database. */
  readonly file: string;
  /** Parts up to which one command writes a checkpoint. */
  readonly smallParts?: number;
}

export class CheckpointWriter {
  readonly #services: CheckpointServices;
  #reader: Reader | undefined;
  #isStopped = false;

  constructor(services: CheckpointServices) {
    this.#services = services;
  }

  /** The service stops: a checkpoint that is being staged ends with its next parts, and rejects with OVERLOADED. */
  stop(): void {
    this.#isStopped = true;
  }

  close(): void {
    this.#reader?.connection.close();
    this.#reader = undefined;
  }

  /** Writes one; nothing when the zone does not exist (any more). One at a time. */
  async write(zoneId: number, options: SubmitOptions): Promise<void> {
    this.#reader ??= openReaderOf(this.#services.file);
    const { connection, source } = this.#reader;
    const { writer } = this.#services;
    try {
      connection.exec('BEGIN');
      const facts = source.facts(zoneId);
      if (facts === undefined) return;
      const parts = source.parts(zoneId);
      const small = this.#services.smallParts ?? partsPerSlice;
      const first = take(parts, small + 1);
      const command = { kind: 'checkpoint-zone', zoneId, ...facts } as const;
      if (first.length <= small) {
        await writer.submit({ ...command, delta: decodeDelta(first) }, options);
        return;
      }
      await inStage(writer, { zoneId, records: 0, dryRun: false }, async (stage) => {
        const put: Stage['put'] = async (slice) => {
          if (this.#isStopped) throw serviceStops();
          await stage.put(slice);
        };
        const staged = await stageParts({ ...stage, put }, first, parts);
        return writer.submit({ ...command, delta: emptyDelta, staged }, options);
      });
    } finally {
      endReading(connection);
    }
  }
}

/** Stages the first parts and all others. */
async function stageParts(
  stage: Stage,
  first: readonly DeltaPart[],
  rest: Generator<DeltaPart>,
): Promise<StagedDelta> {
  const digests: [part: number, digest: Buffer][] = [];
  let added = 0;
  let parts = first;
  while (parts.length > 0) {
    const slice = { parts, blocks: undefined, locations: undefined };
    await stage.put(slice);
    for (const part of parts) {
      digests.push([part.part, digestOfPart(part)]);
      if (part.ids !== null) added += part.count;
    }
    parts = take(rest, partsPerSlice);
  }
  digests.sort(([a], [b]) => a - b);
  return {
    number: stage.number,
    partCount: digests.length,
    partsDigest: digestOfParts(digests.map(([, digest]) => digest)),
    removed: 0,
    added,
    greatestId: 0,
  };
}

interface Reader {
  readonly connection: Connection;
  readonly source: CheckpointSource;
}

function openReaderOf(file: string): Reader {
  const connection = openReader(file);
  return { connection, source: new CheckpointSource(connection) };
}

function take<Item>(items: Generator<Item>, max: number): Item[] {
  const taken: Item[] = [];
  while (taken.length < max) {
    const { done, value } = items.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}
