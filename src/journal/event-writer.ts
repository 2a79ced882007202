/** Puts events into the chain: digests and hashes them, and writes their rows. */
import { checksumOfPayload } from './checksum.ts';
import { type DeltaPart, partNumberOf } from './delta.ts';
import { storedPart, valuesOfStored } from './delta-row.ts';
import { digestOfContent, digestOfStaged, type EventRow, hashOfEvent } from './event-row.ts';
import { RowWriter } from './row-writer.ts';
import type { Connection } from './sqlite.ts';

/** An event that is not in the chain yet. */
export interface LooseEvent
  extends Omit<
    EventRow,
    'delta' | 'contentDigest' | 'prevHash' | 'hash' | 'partCount' | 'payloadChecksum'
  > {
  readonly payload: string;
  /** Of one whose delta was prepared: its number, the count of its parts and their digest. */
  readonly staged: StagedParts | undefined;
  readonly parts: readonly DeltaPart[];
}

interface StagedParts {
  readonly number: number;
  readonly partCount: number;
  readonly partsDigest: Buffer;
}

export class EventWriter {
  readonly #events: RowWriter;
  readonly #parts: RowWriter;

  constructor(connection: Connection) {
    this.#events = new RowWriter(
      connection,
      `event (seq, stream, serial, kind, zone_name, zone_enabled, at, change_source, actor_kind,
        actor_name, actor_uid, request_id, reason, reference, payload, delta, content_digest, prev_hash, hash, parts,
        payload_checksum)`,
      21,
    );
    this.#parts = new RowWriter(connection, storedPart.into, storedPart.columns);
  }

  /** Adds the event that follows the one with the hash `prevHash`; returns its hash. */
  add(event: LooseEvent, prevHash: Buffer): Buffer {
    const { staged, parts, payload } = event;
    const contentDigest =
      staged === undefined
        ? digestOfContent(payload, parts)
        : digestOfStaged(payload, staged.partCount, staged.partsDigest);
    const hash = hashOfEvent(event, contentDigest, prevHash);
    const delta = staged?.number ?? event.seq;
    const partCount = staged?.partCount ?? parts.length;
    const sum = checksumOfPayload(payload, partCount);
    const hashes = [contentDigest, prevHash, hash];
    this.#events.add(...headerOf(event), delta, ...hashes, partCount, sum);
    for (const part of parts) {
      this.#parts.add(...valuesOfStored(event.stream, partNumberOf(event.seq, part.part), part));
    }
    return hash;
  }

  flush(): void {
    this.#events.flush();
    this.#parts.flush();
  }

  forget(): void {
    this.#events.forget();
    this.#parts.forget();
  }
}

/** What its row begins with. */
function headerOf(event: LooseEvent): unknown[] {
  return [
    event.seq,
    event.stream,
    event.serial,
    event.kind,
    event.zoneName,
    event.zoneEnabled,
    event.at,
    event.changeSource,
    event.actorKind,
    event.actorName,
    event.actorUid,
    event.requestId,
    event.reason,
    event.reference,
    event.payload,
  ];
}
