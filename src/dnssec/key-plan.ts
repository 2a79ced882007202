/**
 * Which keys are in a zone and which of them sign what, at one moment: a pure function of their
 * states.
 *
 * - DNSKEY holds every key and is signed by every secure entry point in it (RFC 7583 2.2, double-KSK).
 * - Data are signed by the active ZSK or CSK. A key that is pre-published or retired signs none, except
 *   where an algorithm has no active key: in an algorithm roll both algorithms sign (RFC 6781 4.1.4),
 *   the new one by its published keys before the promotion, the old one by its retired keys after it.
 *   Where a zone was taken back, they all sign until caches have dropped what was served before.
 * - CDS and CDNSKEY are signed by the active secure entry points (RFC 7344 4.1), with the same exception.
 */
import type { NameKey } from '../dns/name.ts';
import { deleteCdnskey, deleteCds, dsRdata } from './dnskey.ts';
import type { Signer } from './key-pair.ts';
import { bearsDs, signsData, type ZoneKey } from './zone-key.ts';

export interface KeyPlan {
  /** RDATA of the DNSKEY RRset. */
  readonly dnskeys: readonly Buffer[];
  /** RDATA of CDS and CDNSKEY; both empty when the parent is to learn nothing yet. */
  readonly cds: readonly Buffer[];
  readonly cdnskeys: readonly Buffer[];
  /** Who signs DNSKEY; who signs CDS and CDNSKEY; who signs everything else. */
  readonly dnskeySigners: readonly Signer[];
  readonly cdsSigners: readonly Signer[];
  readonly dataSigners: readonly Signer[];
}

export interface PlanTerms {
  readonly apex: NameKey;
  /** True while the parent is asked to remove the DS (RFC 8078 4). */
  readonly withdrawing: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Plans the keys of a zone. `signerOf` opens the private half of a key. */
export function planKeys(
  keys: readonly ZoneKey[],
  signerOf: (key: ZoneKey) => Signer,
  terms: PlanTerms,
): KeyPlan {
  const entryPoints = keys.filter((key) => bearsDs(key.role));
  return {
    dnskeys: keys.map((key) => key.dnskey).sort(Buffer.compare),
    ...parentRequests(entryPoints, terms),
    dnskeySigners: entryPoints.map(signerOf),
    cdsSigners: speakersOf(entryPoints).map(signerOf),
    dataSigners: dataKeys(keys).map(signerOf),
  };
}

/** The keys that sign something. */
export function signingKeys(keys: readonly ZoneKey[]): ReadonlySet<ZoneKey> {
  return new Set([...keys.filter((key) => bearsDs(key.role)), ...dataKeys(keys)]);
}

function dataKeys(keys: readonly ZoneKey[]): ZoneKey[] {
  const all = keys.filter((key) => signsData(key.role));
  const speakers = new Set(speakersOf(all));
  return all.filter((key) => speakers.has(key) || key.signsBeside === true);
}

/** For each algorithm its active keys; where it has none, its published or else its retired ones. */
function speakersOf(keys: readonly ZoneKey[]): ZoneKey[] {
  const speakers: ZoneKey[] = [];
  for (const ofAlgorithm of Map.groupBy(keys, (key) => key.algorithm).values()) {
    const inState = (state: ZoneKey['state']) => ofAlgorithm.filter((key) => key.state === state);
    const chosen = [inState('active'), inState('published'), inState('retired')];
    speakers.push(...chosen.find((group) => group.length > 0)!);
  }
  return speakers;
}

/** CDS and CDNSKEY: the keys whose DS the parent shall have, or the pair that asks for removal. */
function parentRequests(
  entryPoints: readonly ZoneKey[],
  { apex, withdrawing, now }: PlanTerms,
): Pick<KeyPlan, 'cds' | 'cdnskeys'> {
  if (withdrawing) return { cds: [deleteCds], cdnskeys: [deleteCdnskey] };
  const due = entryPoints.filter(
    (key) => key.state !== 'retired' && key.cdsFrom !== null && key.cdsFrom <= now,
  );
  return {
    cds: due.map((key) => dsRdata(apex, key.dnskey)).sort(Buffer.compare),
    cdnskeys: due.map((key) => key.dnskey).sort(Buffer.compare),
  };
}

/**
 * The keys whose DS a status shows and a parent may be given: those that sign, and those that will (double DS). The
 * new key of an algorithm roll is none of them until caches have its signatures (RFC 6781 4.1.4).
 */
export function dsKeys(keys: readonly ZoneKey[], now: number): ZoneKey[] {
  return keys.filter((key) => key.state !== 'retired' && key.dsFrom !== null && key.dsFrom <= now);
}
