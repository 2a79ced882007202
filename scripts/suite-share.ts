import { createHash } from 'node:crypto';

/** These take two thirds of the time of the suite: they start browsers, other servers and the service many times. */
const costly =
  /^spec\/(?:cli|console|dnssec|durability|import|operations|packaging|rfc2136|rfc7766|secondaries)\//;

const shares = 4;

/**
 * Of all files of the suite, by their paths in the project: those that `npm test` takes with this seed. Of the costly
 * ones it takes a quarter, and four seeds in a row take them all; of the others it takes all.
 */
export function shareOfSuite(paths: readonly string[], seed: number): string[] {
  return paths.filter((path) => !costly.test(path) || shareOf(path) === seed % shares);
}

function shareOf(path: string): number {
  return createHash('sha256').update(path).digest().readUInt32BE() % shares;
}
