/**
 * The DS of a set that validators go by, and what they name: a set as a parent server serves it.
 *
 * Validators ignore SHA-1 beside a better digest (RFC 4509 3), and some try only the strongest digest that
 * they find. So the DS that count are, of each algorithm, those of its strongest digest; a right DS beside
 * them saves no zone whose strongest one is wrong.
 */
import type { NameKey } from '../dns/name.ts';
import { printRdata } from '../dns/rdata/rdata.ts';
import { rrtype } from '../dns/rrtype.ts';
import { findAlgorithm } from './algorithm.ts';
import { algorithmOfDnskey, digestNames, dsOfType, dsRdata, matchDs, readDs } from './dnskey.ts';

type Match = 'match' | 'no-match' | 'uncomputable';

const sha1 = 1;
/** RSA with SHA-1, which we do not sign with and some validators still know (RFC 9905). */
const olderAlgorithms: readonly number[] = [5, 7];

function isValidated({ algorithm }: { readonly algorithm: number }): boolean {
  return findAlgorithm(algorithm) !== undefined || olderAlgorithms.includes(algorithm);
}

/** Strength of the digest of a DS; 0 for one that can not be computed here, nor by most validators. */
function strengthOf(ds: Buffer): number {
  const { digestType } = readDs(ds);
  return digestNames.has(digestType) ? digestType : 0;
}

/** The DS that count, by algorithm. DS of algorithms that no validator knows count where there is nothing else. */
function countingDs(ds: readonly Buffer[]): Map<number, Buffer[]> {
  const known = ds.filter((each) => isValidated(readDs(each)));
  const usable = known.length > 0 ? known : ds;
  const best = Math.max(...usable.map(strengthOf));
  const counting = usable.filter((each) => best === sha1 || strengthOf(each) !== sha1);
  const byAlgorithm = Map.groupBy(counting, (each) => readDs(each).algorithm);
  for (const [algorithm, all] of byAlgorithm) {
    const strongest = Math.max(...all.map(strengthOf));
    byAlgorithm.set(
      algorithm,
      all.filter((each) => strengthOf(each) === strongest),
    );
  }
  return byAlgorithm;
}

function matchOf(apex: NameKey, dnskey: Buffer, ds: readonly Buffer[]): Match {
  const found = ds.map((each) => matchDs(apex, dnskey, each));
  if (found.includes(true)) return 'match';
  return found.includes('uncomputable') ? 'uncomputable' : 'no-match';
}

/** Whether a set names the key to validators. */
export function matchOfSet(apex: NameKey, dnskey: Buffer, ds: readonly Buffer[]): Match {
  return matchOf(apex, dnskey, countingDs(ds).get(algorithmOfDnskey(dnskey)) ?? []);
}

/** Whether any DS of a set may be about the key, whatever validators make of it. */
export function hasDsOf(apex: NameKey, dnskey: Buffer, ds: readonly Buffer[]): boolean {
  return matchOf(apex, dnskey, ds) !== 'no-match';
}

/** The algorithms of a set whose DS may name one of the keys, and those whose DS name none. */
export function namedAlgorithms(
  apex: NameKey,
  dnskeys: readonly Buffer[],
  ds: readonly Buffer[],
): { readonly named: readonly number[]; readonly unnamed: readonly number[] } {
  const counting = countingDs(ds);
  const isNamed = (algorithm: number) =>
    dnskeys.find((dnskey) => hasDsOf(apex, dnskey, counting.get(algorithm)!)) !== undefined;
  const algorithms = [...counting.keys()];
  return {
    named: algorithms.filter(isNamed),
    unnamed: algorithms.filter((each) => !isNamed(each)),
  };
}

/**
 * What a server does that serves a set which does not name the key to validators: the end of a sentence.
 * `keyText` is what the key is called in it.
 */
export function unnamedText(
  apex: NameKey,
  dnskey: Buffer,
  ds: readonly Buffer[],
  keyText: string,
): string {
  const counting = countingDs(ds).get(algorithmOfDnskey(dnskey)) ?? [];
  if (matchOf(apex, dnskey, counting) === 'uncomputable') {
    return `serves the DS of ${keyText} only in a digest type that can not be computed here`;
  }
  const own = ds.find((each) => matchDs(apex, dnskey, each) === true);
  if (own === undefined) return `serves no DS of ${keyText}`;
  const nameOf = (of: Buffer) => digestNames.get(readDs(of).digestType)!;
  const [other] = counting;
  const missing = other === undefined ? dsRdata(apex, dnskey) : dsOfStrength(apex, dnskey, other);
  const why =
    readDs(own).digestType === sha1
      ? 'which validators ignore beside a better digest'
      : 'and validators go by the strongest digest, which names another key';
  return (
    `serves the DS of ${keyText} only with ${nameOf(own)}, ${why}: ` +
    `'${printRdata(rrtype.DS, missing)}' is missing`
  );
}

/** The DS of the key with the digest that another DS has. */
function dsOfStrength(apex: NameKey, dnskey: Buffer, other: Buffer): Buffer {
  return dsOfType(apex, dnskey, readDs(other).digestType) ?? dsRdata(apex, dnskey);
}
