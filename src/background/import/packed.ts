/**
 * The packed form (dns/record.ts) of a record that stands in a table as octets: the same octets as
 * packRecord makes of the object, without the object.
 */
import { fixedOctets, pointerToApex } from '../../dns/record.ts';
import type { ShownRecord } from './file-table.ts';

/** Octets in a key that stand before an escaped one (dns/name.ts). */
const escapeOctet = 1;
const classIn = 1;

/** Octets that the packed form has at most. */
export function packedRoom({ keyStart, rdataEnd }: ShownRecord): number {
  return rdataEnd - keyStart + fixedOctets;
}

/** Writes the packed form at `at`, where there is room; returns the octet after it. */
export function packShown(shown: ShownRecord, into: Buffer, at: number): number {
  const { octets, keyEnd, rdataEnd, type, ttl } = shown;
  let next = writeLabels(shown, into, at);
  const rdataOctets = rdataEnd - keyEnd;
  into[next++] = pointerToApex >> 8;
  into[next++] = pointerToApex & 0xff;
  into[next++] = type >> 8;
  into[next++] = type & 0xff;
  into[next++] = classIn >> 8;
  into[next++] = classIn;
  into[next++] = ttl >>> 24;
  into[next++] = (ttl >> 16) & 0xff;
  into[next++] = (ttl >> 8) & 0xff;
  into[next++] = ttl & 0xff;
  into[next++] = rdataOctets >> 8;
  into[next++] = rdataOctets & 0xff;
  for (let from = keyEnd; from < rdataEnd; from++) into[next++] = octets[from]!;
  return next;
}

/** The labels of a key, which has them from the root down, each with an octet 0 behind it. */
function writeLabels({ octets, keyStart, keyEnd }: ShownRecord, into: Buffer, at: number): number {
  let next = at;
  let labelEnd = keyEnd - 1;
  while (labelEnd > keyStart) {
    let labelStart = labelEnd;
    while (labelStart > keyStart && octets[labelStart - 1] !== 0) labelStart--;
    const lengthAt = next++;
    for (let from = labelStart; from < labelEnd; from++) {
      const octet = octets[from]!;
      into[next++] = octet === escapeOctet ? octets[++from]! - 1 : octet;
    }
    into[lengthAt] = next - lengthAt - 1;
    labelEnd = labelStart - 1;
  }
  return next;
}
