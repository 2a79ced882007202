/** The head of the chain: its last event. */

/** The place and time of an event. */
export interface Position {
  readonly seq: number;
  readonly at: number;
}

export interface Head extends Position {
  readonly hash: Buffer;
}

export const headQuery = 'SELECT seq, at, hash FROM event ORDER BY seq DESC LIMIT 1';
