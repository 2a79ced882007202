import { createHash } from 'node:crypto';

/** These take two thirds of the time of the suite: they start browsers, other servers and the service many times. */
const costly =
  /^spec\/(?:cli|console|dnssec|durability|import|operations|packaging|rfc2136|rfc7766|secondaries)\//;

const shares = 4;

/**
 * Whether `npm test` takes the file of this path in the project with this seed: of the costly ones it takes a quarter,
 * so that four seeds in a row take them all; of the others it takes all.
 */
export function isInShare(path: string, seed: number): boolean {
  return !costly.test(path) || shareOf(path) === seed % shares;
}

function shareOf(path: string): number {
  return createHash('sha256').update(path).digest().readUInt32BE() % shares;
}
