/**
 * The one expected error of record data: a value or RDATA that breaks a rule of its type.
 *
 * The message is a clause for people that names the rule and shows what was given; listeners make
 * INVALID_RECORD_VALUE, FORMERR or a line of an import report of it.
 */
export class RdataError extends Error {
  override readonly name = 'RdataError';
}
