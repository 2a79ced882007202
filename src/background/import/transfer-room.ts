/**
 * Room for the zones that imports transfer from servers. Nothing else waits for it, so that a slow server holds up
 * nobody but the caller that named it.
 *
 * An import has a share from before its transfer until it is done, and one more for each `shareBytes` that have come.
 * A caller has half of the shares at most.
 */
import { limits } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import { SharedRoom } from '../../base/shared-room.ts';

/** Seconds until trying again makes sense: ordinary zones come and are imported in less. */
const againSeconds = 5;

export class TransferRoom {
  /** Of the names and RDATA of a zone, for each share: the largest zone takes half of all. */
  readonly shareBytes: number;
  readonly #room = new SharedRoom(limits.importTransfers, (isOwn) => {
    const whose = isOwn ? 'imports of this caller' : 'imports';
    return new Problem('OVERLOADED', `too many ${whose} from servers are in flight`, againSeconds);
  });

  /** `maxBytes`: of the largest zone. */
  constructor(maxBytes: number) {
    this.shareBytes = (2 * maxBytes) / limits.importTransfers;
  }

  /** Does work that has one share, and another for each call of `more`; both throw OVERLOADED where none is free. */
  async during<Result>(
    owner: string,
    work: (more: () => void) => Promise<Result>,
  ): Promise<Result> {
    let shares = 0;
    const more = () => {
      this.#room.take(owner, 1, shares);
      shares++;
    };
    try {
      more();
      return await work(more);
    } finally {
      this.#room.give(owner, shares);
    }
  }
}
