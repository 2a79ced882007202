/**
 * All decisions of signing, each with what it was decided from: what a change does can be read off then, whatever
 * others change meanwhile. A dry run records nothing of what parents and secondaries said, and is decided as if it had.
 */
import { keyDecisions } from './decide-key-roll.ts';
import { sightingDecisions } from './decide-sightings.ts';
import { type SignedThen, signingDecisions } from './decide-signing.ts';
import type { Decision, DecisionContext } from './decision.ts';
import type { DnssecPolicy } from './dnssec-policy.ts';
import { type Seen, unsigned, type ZoneSigning } from './signing.ts';
import type { OfZone } from './zone-change.ts';

/** A change of how a zone is signed, and the zone as it was found. */
export interface SigningOutcome extends SignedThen {
  readonly before: Omit<SignedThen, 'risks'>;
  /** That the zone was under, and is then; null where it is not signed, or the policy was deleted. */
  readonly policies: { readonly before: DnssecPolicy | null; readonly after: DnssecPolicy | null };
}

type Decide<Given> = (command: Given, context: DecisionContext) => Decision<SignedThen>;

function withBefore<Given extends OfZone & { readonly seen?: Seen | undefined }>(
  decide: Decide<Given>,
) {
  return (command: Given, found: DecisionContext): Decision<SigningOutcome> => {
    const context =
      command.seen === undefined ? found : afterSightings(command.zoneName, command.seen, found);
    const decision = decide(command, context);
    const { view } = context;
    const { outcome } = decision;
    const { id } = outcome.zone;
    const before = { zone: view.zoneById(id)!, signing: view.signing(id) ?? unsigned };
    const policyOf = ({ policyId }: ZoneSigning) => view.policyById(policyId ?? 0) ?? null;
    const policies = { before: policyOf(before.signing), after: policyOf(outcome.signing) };
    return { ...decision, outcome: { ...outcome, before, policies } };
  };
}

/** As after the commands that record what was seen. */
function afterSightings(
  zoneName: string,
  { parents, secondaries }: Seen,
  found: DecisionContext,
): DecisionContext {
  let context = found;
  const take = ({ outcome: { signing } }: Decision<SignedThen>) => {
    context = { ...context, signing };
  };
  if (parents !== null) {
    take(sightingDecisions['note-parents']({ zoneName, said: parents }, context));
  }
  if (secondaries.length > 0) {
    take(sightingDecisions['note-secondaries']({ zoneName, secondaries }, context));
  }
  return context;
}

type WithBefore<Decisions> = {
  [Kind in keyof Decisions]: Decisions[Kind] extends Decide<infer Given>
    ? (command: Given, context: DecisionContext) => Decision<SigningOutcome>
    : never;
};

function allWithBefore<Decisions extends Record<string, Decide<never>>>(
  decisions: Decisions,
): WithBefore<Decisions> {
  const entries = Object.entries(decisions);
  return Object.fromEntries(entries.map(([kind, decide]) => [kind, withBefore(decide)])) as never;
}

export const allSigningDecisions = {
  ...allWithBefore(signingDecisions),
  ...allWithBefore(keyDecisions),
  ...sightingDecisions,
};
