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

/** Seconds until trying again makes sense: a large body is worked on for about that long. */
const againSeconds = 5;

/** What one body holds; given back when its request is answered. */
export interface BodyPlace {
  /** Makes room for a body of so many bytes altogether; throws OVERLOADED when there is none. */
  reserve(bytes: number): void;
  [Symbol.dispose](): void;
}

export class BodyRoom {
  readonly #bytes: number;
  readonly #heldBy = new Map<string, number>();
  #held = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Bytes held at this moment. */
  get held(): number {
    return this.#held;
  }

  placeFor(owner: string): BodyPlace {
    let mine = 0;
    return {
      reserve: (bytes) => {
        if (bytes <= limits.smallBodyBytes) return;
        const wanted = this.#roomOf(bytes);
        if (wanted <= mine) return;
        this.#take(owner, mine, wanted - mine);
        mine = wanted;
      },
      [Symbol.dispose]: () => {
        if (mine > 0) this.#give(owner, mine);
        mine = 0;
      },
    };
  }

  #roomOf(bytes: number): number {
    const times = bytes <= limits.bulkBodyBytes ? 2 : 2.5;
    return Math.min(Math.ceil(times * bytes), this.#bytes);
  }

  #take(owner: string, mine: number, more: number): void {
    const before = this.#heldBy.get(owner) ?? 0;
    const isOnly = before === mine;
    const isTooMuch = this.#held + more > this.#bytes;
    if (isTooMuch || (!isOnly && before + more > this.#bytes / 2)) {
      const whose = isTooMuch ? 'request bodies' : 'request bodies of this caller';
      throw new Problem('OVERLOADED', `too many ${whose} are being read`, againSeconds);
    }
    this.#held += more;
    this.#heldBy.set(owner, before + more);
  }

  #give(owner: string, mine: number): void {
    this.#held -= mine;
    const left = (this.#heldBy.get(owner) ?? 0) - mine;
    if (left > 0) this.#heldBy.set(owner, left);
    else this.#heldBy.delete(owner);
  }
}
