/** Asks the parents of zones for their DS, for changes that go by the answers, and has recorded what they said. */
import type { Clock } from '../../base/clock.ts';
import type { ParentAnswer, ParentsSaid } from '../../dnssec/parent-ds.ts';
import type { Command } from '../../domain/command.ts';
import { unsigned } from '../../domain/signing.ts';
import type { Zone } from '../../domain/zone.ts';
import type { SigningQueries } from '../../projection/signing-store.ts';
import type { ZoneQueries } from '../../query/zone-queries.ts';
import { bySystem, type SubmitOptions } from '../../writer/submission.ts';
import type { Writer } from '../../writer/writer.ts';
import type { Parents } from './parents.ts';

export interface CheckServices {
  readonly writer: Pick<Writer, 'submit'>;
  readonly zones: Pick<ZoneQueries, 'byName'>;
  readonly signing: Pick<SigningQueries, 'of'>;
  readonly clock: Clock;
  /** What every address of the parents' name servers says about the DS of a zone. */
  readonly askParents: (zoneName: string, parents: Parents) => Promise<ParentAnswer[]>;
}

/** What parents said counts as said now for so long, in milliseconds; one change asks them so often at most. */
const renewedAfterMs = 10_000;
const maxTries = 3;

export class DelegationChecks {
  readonly #services: CheckServices;

  constructor(services: CheckServices) {
    this.#services = services;
  }

  /** Whether the parents are to be asked again. */
  isLate({ askedAt }: ParentsSaid): boolean {
    // Whichever way the clock was set meanwhile.
    return Math.abs(this.#services.clock() - askedAt) >= renewedAfterMs;
  }

  /**
   * Asks, and unless for a dry run notes what was seen of the DS. A roll asks before it begins: the TTL of the DS may
   * be another one when the parent has changed the set.
   */
  async ask(zone: Zone, { dryRun }: SubmitOptions): Promise<ParentsSaid> {
    for (let tries = 1; ; tries++) {
      const said = await this.askNow(zone);
      if (dryRun) return said;
      await this.note(zone, said);
      // The zone may have been held meanwhile, by a large import of it.
      if (!this.isLate(said) || tries === maxTries) return said;
    }
  }

  /** What the servers say that the zone has now. */
  async askNow({ id, name }: Zone): Promise<ParentsSaid> {
    const { askParents, signing, clock } = this.#services;
    const state = signing.of(id) ?? unsigned;
    const askedAt = clock();
    return { answers: await askParents(name, state), servers: state.parentNsAddrs, askedAt };
  }

  /** The command with what the parents say by now, where it goes by that and they were asked a while ago. */
  async renewed<C extends Command>(command: C): Promise<C> {
    if (!('said' in command) || command.said === null || !this.isLate(command.said)) return command;
    const zone = this.#services.zones.byName(command.zoneName);
    return zone === undefined ? command : { ...command, said: await this.askNow(zone) };
  }

  /** Notes what retired keys wait for: the TTL of the DS, and that no parent relies on the old one. */
  async note(zone: Zone, said: ParentsSaid): Promise<void> {
    const command = { kind: 'note-parents', zoneName: zone.name, said } as const;
    await this.#services.writer.submit(command, bySystem);
  }
}
