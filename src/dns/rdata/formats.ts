/**
 * All record types with a format of their own. A new type is a row in one of the tables, or a table of its
 * own when it has rules of its own, and its number in rrtype.ts.
 */
import { rrtype } from '../rrtype.ts';
import { a6Types } from './a6.ts';
import { aplTypes } from './apl.ts';
import { dataTypes } from './data-types.ts';
import type { FormatRow, RdataFormat } from './format.ts';
import { gatewayTypes } from './gateway.ts';
import { hipTypes } from './hip.ts';
import { hostTypes } from './host-types.ts';
import { keyTypes } from './key-types.ts';
import { locTypes } from './loc.ts';
import { naptrTypes } from './naptr.ts';
import { serviceTypes } from './svcb.ts';
import { textTypes } from './text-types.ts';
import { wksTypes } from './wks.ts';

/** Types without data: they exist in messages only. */
type MetaMnemonic = 'OPT' | 'TKEY' | 'TSIG' | 'IXFR' | 'AXFR' | 'MAILB' | 'MAILA' | 'ANY';

const rows: Readonly<Record<Exclude<keyof typeof rrtype, MetaMnemonic>, FormatRow>> = {
  ...hostTypes,
  ...textTypes,
  ...keyTypes,
  ...dataTypes,
  ...serviceTypes,
  ...a6Types,
  ...aplTypes,
  ...gatewayTypes,
  ...hipTypes,
  ...locTypes,
  ...naptrTypes,
  ...wksTypes,
};

const formats = new Map<number, RdataFormat>();
for (const [mnemonic, row] of Object.entries(rows)) {
  const type = rrtype[mnemonic as keyof typeof rows];
  formats.set(type, { type, mnemonic, ...row });
}

/** Types that were stored in generic form before they had a format. */
export const laterTypes: ReadonlySet<number> = new Set(
  [...formats.values()].filter(({ isLater }) => isLater).map(({ type }) => type),
);

/** The format of a type; undefined for types that have only the generic form. */
export function rdataFormatOf(type: number): RdataFormat | undefined {
  return formats.get(type);
}
