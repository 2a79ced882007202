/**
 * Room for answers, from the moment they are made until their clients have taken them. A client may take as long as it
 * likes, and have any number of connections.
 *
 * Answers up to `limits.smallBodyBytes` take none: the number of connections bounds them, each of which has one answer
 * at a time. Whoever holds half of the room is refused before anything is done; so is everybody while it is full. Of
 * reads that were let in together each is asked again when it is made. What a write did is answered in any case.
 */
import type { ServerResponse } from 'node:http';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { SharedRoom } from '../base/shared-room.ts';
import type { Answer } from './answer.ts';

/** Seconds until trying again makes sense: a large answer is sent in less. */
const againSeconds = 5;

/** Whose an answer is. */
interface Asked {
  readonly owner: string;
  readonly outgoing: ServerResponse;
  /** It can be refused: nothing was done. */
  readonly isRead: boolean;
}

export class AnswerRoom {
  readonly #room: SharedRoom;

  constructor(bytes: number = limits.answersBytes) {
    this.#room = new SharedRoom(bytes, (isOwn) => {
      const whose = isOwn ? 'answers to this caller' : 'answers';
      return new Problem('OVERLOADED', `too many ${whose} wait to be taken`, againSeconds);
    });
  }

  /** Bytes held at this moment. */
  get held(): number {
    return this.#room.held;
  }

  /** Throws OVERLOADED while a caller holds its share. */
  requireRoom(owner: string): void {
    this.#room.requireRoom(owner);
  }

  /** Holds an answer until it is sent or its client leaves; OVERLOADED for a read without room. */
  hold({ body, heldBytes }: Answer, { owner, outgoing, isRead }: Asked): void {
    const bytes = typeof body === 'string' ? body.length : (heldBytes ?? 0);
    if (bytes <= limits.smallBodyBytes || outgoing.destroyed) return;
    if (isRead) this.#room.requireRoom(owner);
    this.#room.add(owner, bytes);
    outgoing.once('close', () => this.#room.give(owner, bytes));
  }
}
