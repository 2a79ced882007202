/** Pages of lists: a bounded number of rows, and how many there are in all. */
export interface Page {
  /** 1..1000. */
  readonly limit: number;
  readonly offset: number;
}

export interface Listed<T> {
  readonly items: readonly T[];
  readonly total: number;
}
