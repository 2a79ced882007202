/** All decisions in one table: every kind of command has exactly one. Pure: see domain/decision.ts. */
import { accessDecisions } from './access/decide-access.ts';
import { sessionDecisions } from './access/decide-session.ts';
import { changeDecisions } from './decide-changes.ts';
import { desiredDecisions } from './decide-desired.ts';
import { epochDecisions } from './decide-epoch.ts';
import { externalDnsDecisions } from './decide-external-dns.ts';
import { forgetDecisions } from './decide-forget.ts';
import { importDecisions } from './decide-import.ts';
import { policyDecisions } from './decide-policy.ts';
import { recordDecisions } from './decide-records.ts';
import { revertDecisions } from './decide-revert.ts';
import { rollbackDecisions } from './decide-rollback.ts';
import { secondaryDecisions } from './decide-secondary.ts';
import { tagDecisions } from './decide-tag.ts';
import { updateDecisions } from './decide-update.ts';
import { webhookDecisions } from './decide-webhook.ts';
import { zoneDecisions } from './decide-zone.ts';
import type { Decision, DecisionContext } from './decision.ts';
import { allSigningDecisions } from './signing-decisions.ts';

const decisions = {
  ...zoneDecisions,
  ...tagDecisions,
  ...forgetDecisions,
  ...recordDecisions,
  ...updateDecisions,
  ...externalDnsDecisions,
  ...changeDecisions,
  ...desiredDecisions,
  ...importDecisions,
  ...rollbackDecisions,
  ...revertDecisions,
  ...epochDecisions,
  ...secondaryDecisions,
  ...webhookDecisions,
  ...policyDecisions,
  ...accessDecisions,
  ...sessionDecisions,
  ...allSigningDecisions,
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
