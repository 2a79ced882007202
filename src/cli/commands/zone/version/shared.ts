/** What commands on versions share. */
import { usageFailure } from '../../../exit-code.ts';

export function parseSerial(written: string): number {
  if (/^\d{1,10}$/.test(written)) return Number(written);
  throw usageFailure(`'${written}' is no serial`, 'zone version list shows the serials of a zone');
}
