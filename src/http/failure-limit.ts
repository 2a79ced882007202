/**
 * Brute force made slow: unknown secrets are counted by client address and minute, and past the
 * limit failing attempts answer RATE_LIMITED until the minute is over.
 *
 * An expired secret is a known one: it is not counted, but refused alike past the limit.
 */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Problem } from '../base/problem.ts';

const minuteSeconds = 60;

export class FailureLimit {
  readonly #counts: RateLimiterMemory | undefined;

  /** `perMinute` 0 limits nothing. */
  constructor(perMinute: number) {
    if (perMinute === 0) return;
    this.#counts = new RateLimiterMemory({ points: perMinute, duration: minuteSeconds });
  }

  /** Refuses one failing attempt. */
  async refuse(address: string, why: 'unknown' | 'expired'): Promise<never> {
    try {
      await this.#counts?.consume(address, why === 'unknown' ? 1 : 0);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
      throw new Problem('RATE_LIMITED', 'too many unknown tokens came from this address', seconds);
    }
    throw new Problem('INVALID_TOKEN', 'the token is unknown or has expired');
  }
}
