/**
 * GPOS: a place on earth before LOC (RFC 1712 3): longitude, latitude, altitude, each a decimal number in
 * a character-string. The RFC's own example has latitude first, so the first may be up to 180 either way.
 */
import { rrtype } from '../rrtype.ts';
import { RdataError } from './error.ts';
import { characterString, matching } from './fields/string.ts';
import { rdataFormat } from './format.ts';

const decimal = matching(/^[+-]?(\d+(\.\d*)?|\.\d+)$/, 'is a decimal number');
const greatestDegrees = 180;

export const gpos = rdataFormat(
  rrtype.GPOS,
  [
    characterString('longitude', decimal),
    characterString('latitude', decimal),
    characterString('altitude', decimal),
  ],
  { isLater: true, isPortable: false, check: checkDegrees },
);

function checkDegrees(rdata: Buffer): void {
  const second = rdata[0]! + 1;
  for (const at of [0, second]) {
    const text = rdata.toString('latin1', at + 1, at + 1 + rdata[at]!);
    if (Math.abs(Number(text)) > greatestDegrees) {
      throw new RdataError(`GPOS degrees are at most ${greatestDegrees}, not '${text}'`);
    }
  }
}
