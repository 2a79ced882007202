/**
 * Mutants that were read and found to be the same program, or to change only what nobody is promised. Each names
 * the line of code as it stands, so that it is looked at again when that changes.
 */
export interface AcceptedMutant {
  readonly file: string;
  /** The whole line, without the space around it. */
  readonly line: string;
  /** What the mutation puts in. */
  readonly to: string;
  readonly because: string;
}

export const accepted: readonly AcceptedMutant[] = [];
