/**
 * Questions to several resolvers, drawn anew each time so that their caches age apart, and the answers
 * counted: how many there were, which of them were bogus, and what else was not as it should be.
 */
import { askResolver, type Question, questionsOf, type Seen } from './caching-resolver.ts';
import type { Dice } from './zone-changes.ts';

export interface Sampled {
  readonly name: string;
  /** Whether every answer has to be secure. */
  readonly isSecure: boolean;
  /** Whether nothing about it is to be asked now. */
  readonly isPardoned: boolean;
  /** What is in progress, for messages. */
  readonly doing: string;
}

const hasFailed = ({ kind }: Seen): boolean => kind === 'SERVFAIL' || kind === 'no answer';

/** Extended errors of validation: bogus, expired, not yet valid, no DNSKEY, no RRSIG, no NSEC (RFC 8914 4). */
const validationErrors = /(?:^|, )(?:6|7|8|9|10|11|12) /;

/**
 * Whether a failure is one of validation: the data is there for who does not want it judged, and the resolver
 * says so, or fails again; else a server was too slow for it.
 */
async function isBogus(port: number, name: string, type: string, seen: Seen): Promise<boolean> {
  if (hasFailed(await askResolver(port, name, type, true))) return false;
  return validationErrors.test(seen.why) || hasFailed(await askResolver(port, name, type));
}

/** Questions that are on their way at a time. */
const atOnce = 8;

export class SampledAnswers {
  answers = 0;
  /** SERVFAIL where there is an answer to who does not want it judged (CD). */
  bogus = 0;
  /** Other failures: a server did not answer in time. */
  missing = 0;
  readonly wrong: string[] = [];
  /** How many answers were wrong, by what was in progress. */
  readonly wrongDuring = new Map<string, number>();
  readonly #resolvers: Readonly<Record<string, number>>;
  readonly #dice: Dice;
  readonly #now: () => number;
  #round = 0;

  /** `resolvers` are ports by name. */
  constructor(resolvers: Readonly<Record<string, number>>, dice: Dice, now: () => number) {
    this.#resolvers = resolvers;
    this.#dice = dice;
    this.#now = now;
  }

  /** Asks every resolver about each zone, some half of all kinds of questions. */
  async sample(zones: readonly Sampled[]): Promise<void> {
    const asks: (() => Promise<void>)[] = [];
    for (const zone of zones.filter(({ isPardoned }) => !isPardoned)) {
      for (const resolver of Object.keys(this.#resolvers)) {
        for (const question of this.#questionsOf(zone.name)) {
          asks.push(() => this.#ask(resolver, zone, question));
        }
      }
    }
    let next = 0;
    const work = async () => {
      while (next < asks.length) await asks[next++]!();
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  }

  #questionsOf(zone: string): Question[] {
    const all: Question[] = [
      ...questionsOf(zone, this.#round++),
      [`long.${zone}`, 'A', 'positive'],
      [zone, 'DNSKEY', 'positive'],
    ];
    return all.filter(() => this.#dice(2) === 0);
  }

  async #ask(resolver: string, zone: Sampled, [name, type, kind]: Question): Promise<void> {
    const port = this.#resolvers[resolver]!;
    const seen = await askResolver(port, name, type);
    if (hasFailed(seen)) {
      if (!(await isBogus(port, name, type, seen))) {
        this.missing++;
        return;
      }
      this.bogus++;
    }
    this.answers++;
    if (seen.kind === kind && (seen.isSecure || !zone.isSecure)) return;
    this.#note(resolver, zone, `${name} ${type}`, seen);
  }

  #note(resolver: string, zone: Sampled, question: string, seen: Seen): void {
    const at = new Date(this.#now()).toISOString().slice(0, 19);
    const manner = seen.isSecure ? 'secure' : 'not secure';
    const what = `${seen.kind}, ${manner} ${seen.why}`;
    this.wrong.push(`${at} ${resolver}: ${question}: ${what} (${zone.doing})`);
    this.wrongDuring.set(zone.doing, (this.wrongDuring.get(zone.doing) ?? 0) + 1);
  }
}
