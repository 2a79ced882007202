/**
 * Refused logins, for the journal. Whoever is refused has no token, and must not be able to fill it: there is an event
 * for an address at once, and then once an hour at most, with how many were refused meanwhile; for all addresses
 * together `refusedLogins` times an hour. Nothing of what was given as a token is kept.
 *
 * An address of IPv6 counts with its /64, which one host can choose addresses from. What waits for its event is known
 * to this process alone. No answer waits for any of this, or fails with it.
 */
import { type Clock, hasCome, hourMs } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import type { RefusedLogin } from '../domain/access/model.ts';
import { networkOf } from '../outbound/address.ts';
import { bySystem } from '../writer/submission.ts';
import type { Writer } from '../writer/writer.ts';

/** Milliseconds after which an event that could not be written is tried again. */
const retryMs = 60_000;

interface Refused {
  /** Why the last one was refused, and in which request. */
  reason: RefusedLogin['reason'];
  requestId: string;
  /** How many the journal does not have yet. */
  count: number;
  /** From when on they may have an event, in milliseconds since 1970. */
  dueAt: number;
}

export class RefusedLogins {
  readonly #clock: Clock;
  readonly #writer: Pick<Writer, 'submit'>;
  readonly #refused = new Map<string, Refused>();
  #hour = { end: 0, events: 0 };

  constructor(clock: Clock, writer: Pick<Writer, 'submit'>) {
    this.#clock = clock;
    this.#writer = writer;
  }

  /** Counts one, and has it journalled when that is due. */
  note(clientAddress: string, reason: RefusedLogin['reason'], requestId: string): void {
    const address = networkOf(clientAddress);
    const before = this.#refused.get(address) ?? { count: 0, dueAt: 0 };
    const refused = { ...before, reason, requestId, count: before.count + 1 };
    this.#refused.set(address, refused);
    this.#dropOldest();
    void this.#journal(address, refused);
  }

  /** Has journalled what is due; called now and then. Resolves when that is done. */
  async flush(): Promise<void> {
    const now = this.#clock();
    for (const [address, refused] of this.#refused) {
      if (refused.count > 0) await this.#journal(address, refused);
      else if (hasCome(refused.dueAt, now, hourMs)) this.#refused.delete(address);
    }
  }

  async #journal(address: string, refused: Refused): Promise<void> {
    const now = this.#clock();
    if (hasCome(this.#hour.end, now, hourMs)) this.#hour = { end: now + hourMs, events: 0 };
    const hour = this.#hour;
    if (!hasCome(refused.dueAt, now, hourMs) || hour.events >= limits.refusedLogins) return;
    const { reason, requestId, count } = refused;
    refused.count = 0;
    refused.dueAt = now + hourMs;
    hour.events++;
    const command = { kind: 'refuse-session', login: { address, reason, count } } as const;
    try {
      await this.#writer.submit(command, { ...bySystem, requestId });
    } catch {
      // A disk that fails is reported where it fails; here it is only tried again.
      hour.events--;
      const latest = this.#refused.get(address) ?? refused;
      latest.count += count;
      latest.dueAt = now + retryMs;
    }
  }

  #dropOldest(): void {
    if (this.#refused.size <= limits.refusedAddresses) return;
    for (const address of this.#refused.keys()) {
      this.#refused.delete(address);
      return;
    }
  }
}
