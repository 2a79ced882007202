/**
 * Why a zone could not be fetched. The message is a clause without its subject, which is the server:
 * `refused the transfer (REFUSED)`.
 */
export class TransferError extends Error {
  override readonly name = 'TransferError';
}
