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

interface Forgotten extends Pick<Forgettable, 'versions' | 'oldestSerial' | 'upToSeq'> {
  readonly zone: Zone;
}

/** A checkpoint was written before, where one was needed. There is no event where nothing can go. */
function decideForgetHistory(
  { zoneId, name, beforeMs }: ForgetHistory,
  { view, rights }: DecisionContext,
): Decision<Forgotten> {
  const zone = view.zoneById(zoneId);
  requireVisible(rights, zone, name);
  requireInZone(rights, 'zone:delete', zone);
  const { hasAny, upToSeq, versions, oldestSerial } = view.forgettable(zone, beforeMs);
  const outcome = { zone, upToSeq, versions, oldestSerial };
  if (!hasAny) return { event: undefined, outcome };
  const { event } = changeZone('zone.history-forgotten', zone, zone.serial);
  return { event: { ...event, forgotten: { versions, oldestSerial } }, outcome };
}

export const forgetDecisions = { 'forget-history': decideForgetHistory };
