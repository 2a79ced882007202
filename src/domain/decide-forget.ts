/** The deletion of old versions: what goes, by whom and why stands in the journal before anything goes. */
import { requireInZone } from './access/require.ts';
import type { Decision, DecisionContext, Forgettable } from './decision.ts';
import { changeZone, requireVisible } from './zone-change.ts';
import type { Zone } from './zone.ts';

interface ForgetHistory {
  readonly zoneId: number;
  /** As the caller knows the zone. */
  readonly name: string;
  /** What was replaced before this time goes, in milliseconds since 1970. */
  readonly beforeMs: number;
}

/** What of the history of a zone goes. */
export interface ForgottenHistory
  extends Pick<Forgettable, 'versions' | 'oldestSerial' | 'upToSeq'> {
  readonly zone: Zone;
  /** Nothing goes, also with a checkpoint that is yet to be written. */
  readonly isUnchanged: boolean;
}

/** A checkpoint was written before, where one was needed. There is no event where nothing can go. */
function decideForgetHistory(
  { zoneId, name, beforeMs }: ForgetHistory,
  { view, rights }: DecisionContext,
): Decision<ForgottenHistory> {
  const zone = view.zoneById(zoneId);
  requireVisible(rights, zone, name);
  requireInZone(rights, 'zone:delete', zone);
  const found = view.forgettable(zone, beforeMs);
  const { hasAny, needsCheckpoint, upToSeq, versions, oldestSerial } = found;
  const isUnchanged = !hasAny && !needsCheckpoint;
  const outcome = { zone, upToSeq, versions, oldestSerial, isUnchanged };
  if (!hasAny) return { event: undefined, outcome };
  const { event } = changeZone('zone.history-forgotten', zone, zone.serial);
  return { event: { ...event, forgotten: { versions, oldestSerial, upToSeq } }, outcome };
}

export const forgetDecisions = { 'forget-history': decideForgetHistory };
