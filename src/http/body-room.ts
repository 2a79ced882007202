/**
 * Room for request bodies: bytes that all of them together, and those of one caller, may hold from the
 * moment they come in until their request is answered.
 *
 * A body of a declared length takes its place before its first byte is read, any other as it grows. Bodies
 * up to `limits.smallBodyBytes` take none: the number of connections bounds them. A body counts twice, for its
 * text and what is made of it, and the file of an import above `limits.bulkBodyBytes` two and a half times, for its
 * records (measured: 260 MB for one of 95 MB with 3.2 million). A caller holds half of the room at most, unless it is
 * for one body alone, so that nobody keeps all others out.
 */
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { SharedRoom } from '../base/shared-room.ts';

/** Seconds until trying again makes sense: a large body is worked on for about that long. */
const againSeconds = 5;

/** What one body holds; given back when its request is answered. */
export interface BodyShare {
  /** Makes room for a body of `bytes` bytes altogether; throws OVERLOADED when there is none. */
  reserve(bytes: number): void;
  [Symbol.dispose](): void;
}

export class BodyRoom {
  readonly #bytes: number;
  readonly #room: SharedRoom;

  constructor(bytes: number) {
    this.#bytes = bytes;
    this.#room = new SharedRoom(bytes, (isOwn) => {
      const whose = isOwn ? 'request bodies of this caller' : 'request bodies';
      return new Problem('OVERLOADED', `too many ${whose} are being read`, againSeconds);
    });
  }

  /** Bytes held at this moment. */
  get held(): number {
    return this.#room.held;
  }

  shareFor(owner: string): BodyShare {
    let mine = 0;
    return {
      reserve: (bytes) => {
        if (bytes <= limits.smallBodyBytes) return;
        const wanted = this.#roomOf(bytes);
        if (wanted <= mine) return;
        this.#room.take(owner, wanted - mine, mine);
        mine = wanted;
      },
      [Symbol.dispose]: () => {
        if (mine > 0) this.#room.give(owner, mine);
        mine = 0;
      },
    };
  }

  #roomOf(bytes: number): number {
    const times = bytes <= limits.bulkBodyBytes ? 2 : 2.5;
    return Math.min(Math.ceil(times * bytes), this.#bytes);
  }
}
