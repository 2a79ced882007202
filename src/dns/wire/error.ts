/**
 * The one expected error of reading DNS messages: the bytes are no message, name or section.
 *
 * The message is a clause for logs; the listener answers with FORMERR.
 */
export class WireError extends Error {
  override readonly name = 'WireError';
}
