/**
 * The expected errors of reading record data and messages. Their message is a clause for people.
 */

/** A value or RDATA that breaks a rule of its type; listeners make INVALID_RECORD_VALUE, FORMERR or a line of it. */
export class RdataError extends Error {
  override readonly name = 'RdataError';
}

/** Bytes that are no message, name or section; the listener answers with FORMERR. */
export class WireError extends Error {
  override readonly name = 'WireError';
}
