/** All decisions in one table: every kind of command has exactly one. Pure: see domain/decision.ts. */
import { accessDecisions } from './access/decide-access.ts';
import { epochDecisions } from './decide-epoch.ts';
import { externalDnsDecisions } from './decide-external-dns.ts';
import { importDecisions } from './decide-import.ts';
import { keyDecisions } from './decide-key-roll.ts';
import { policyDecisions } from './decide-policy.ts';
import { recordDecisions } from './decide-records.ts';
import { rollbackDecisions } from './decide-rollback.ts';
import { secondaryDecisions } from './decide-secondary.ts';
import { signingDecisions } from './decide-signing.ts';
import { updateDecisions } from './decide-update.ts';
import { zoneDecisions } from './decide-zone.ts';
import type { Decision, DecisionContext } from './decision.ts';

const decisions = {
  ...zoneDecisions,
  ...recordDecisions,
  ...updateDecisions,
  ...externalDnsDecisions,
  ...importDecisions,
  ...rollbackDecisions,
  ...epochDecisions,
  ...secondaryDecisions,
  ...policyDecisions,
  ...accessDecisions,
  ...signingDecisions,
  ...keyDecisions,
};

type Decisions = typeof decisions;

/** The command of a kind: what its decision takes. */
export type CommandOf<Kind extends keyof Decisions> = {
  readonly kind: Kind;
} & Parameters<Decisions[Kind]>[0];

/**
 * Everything that can be asked to change, as a closed union of values.
 *
 * A command's fields have the right shape (the API saw to it) but are not yet judged: names, ranges and rules are the
 * business of decisions. `undefined` means not given.
 */
export type Command = { [Kind in keyof Decisions]: CommandOf<Kind> }[keyof Decisions];

/** What a command answers. */
export type OutcomeOf<C extends Command> = ReturnType<Decisions[C['kind']]>['outcome'];

export function decide(command: Command, context: DecisionContext): Decision<OutcomeOf<Command>> {
  const decideOne = decisions[command.kind] as (
    command: Command,
    context: DecisionContext,
  ) => Decision<OutcomeOf<Command>>;
  return decideOne(command, context);
}
