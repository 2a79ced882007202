/**
 * Something bounded that many callers share, as bytes or places. A caller holds half of it at most, unless it is
 * for one thing alone, so that nobody keeps all others out.
 */
import type { Problem } from './problem.ts';

export class SharedRoom {
  readonly #size: number;
  readonly #problem: (isOwn: boolean) => Problem;
  readonly #heldBy = new Map<string, number>();
  #held = 0;

  /** `problem`: what is thrown when there is no room at all, or (`isOwn`) none for this caller. */
  constructor(size: number, problem: (isOwn: boolean) => Problem) {
    this.#size = size;
    this.#problem = problem;
  }

  /** What all hold at this moment. */
  get held(): number {
    return this.#held;
  }

  /** Gives a caller so much more, beside what it holds for the same thing; throws when there is no room. */
  take(owner: string, more: number, sameThing = 0): void {
    const before = this.#heldBy.get(owner) ?? 0;
    const isOnly = before === sameThing;
    if (this.#held + more > this.#size) throw this.#problem(false);
    if (!isOnly && before + more > this.#size / 2) throw this.#problem(true);
    this.add(owner, more);
  }

  /** The same where it can not be refused. */
  add(owner: string, more: number): void {
    this.#held += more;
    this.#heldBy.set(owner, (this.#heldBy.get(owner) ?? 0) + more);
  }

  /** Throws when a caller holds its half. */
  requireShare(owner: string): void {
    if ((this.#heldBy.get(owner) ?? 0) >= this.#size / 2) throw this.#problem(true);
  }

  /** Throws when there is no room left for this caller, or at all. */
  requireRoom(owner: string): void {
    this.requireShare(owner);
    if (this.#held >= this.#size) throw this.#problem(false);
  }

  give(owner: string, amount: number): void {
    this.#held -= amount;
    const left = (this.#heldBy.get(owner) ?? 0) - amount;
    if (left > 0) this.#heldBy.set(owner, left);
    else this.#heldBy.delete(owner);
  }
}
