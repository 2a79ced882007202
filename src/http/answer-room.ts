/**
 * Room for answers, from the moment they are made until their clients have taken them. A client that goes on taking may
 * be as slow as it likes, and have any number of connections.
 *
 * Answers up to `limits.smallBodyBytes` take none, and are given however full the room is: the number of connections
 * bounds them. Nor do texts that are the same for all, whose bytes are there once. Whoever holds half of the room is
 * refused before anything is done. A large answer to a read or a dry run is asked for room again when it is made, so
 * that those let in together can not have all of it; where no token is needed, as for metrics, only what its own
 * address holds counts. What a write did is answered in any case, and nobody is refused at the local socket.
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
  /** Nothing was done for it. */
  readonly canBeRefused: boolean;
  /** No token is needed: what others hold does not count. */
  readonly isOpen?: boolean;
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

  /** Throws OVERLOADED while a caller holds its half. */
  requireShare(owner: string): void {
    this.#room.requireShare(owner);
  }

  /** Holds an answer until it is sent or its client leaves; OVERLOADED without room where it can be refused. */
  hold(
    { body, heldBytes }: Answer,
    { owner, outgoing, canBeRefused, isOpen = false }: Asked,
  ): void {
    const bytes = typeof body === 'string' ? body.length : (heldBytes ?? 0);
    if (bytes <= limits.smallBodyBytes || outgoing.destroyed) return;
    if (canBeRefused) this.#room[isOpen ? 'requireShare' : 'requireRoom'](owner);
    this.#room.add(owner, bytes);
    outgoing.once('close', () => this.#room.give(owner, bytes));
  }
}
