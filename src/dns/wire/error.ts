/**
 * The one expected error of reading DNS messages: the octets are no message, name or section.
 *
 * The message is a clause for logs; the door answers FORMERR.
 */
export class WireError extends Error {
  override readonly name = 'WireError';
}
