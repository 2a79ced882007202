/** Conditions of list queries: clauses joined by AND with their bound values. */

type Bound = string | number | Buffer;

export class Conditions {
  readonly #clauses: string[] = [];
  readonly values: Bound[] = [];

  /** Adds `clause` when `value` is given; its `?` stands for the value. */
  add(clause: string, value: Bound | undefined): this {
    if (value === undefined) return this;
    this.#clauses.push(clause);
    for (const _ of clause.matchAll(/\?/g)) this.values.push(value);
    return this;
  }

  /** Equal, least and most of one column. */
  addRange(
    column: string,
    equal: number | undefined,
    least: number | undefined,
    most: number | undefined,
  ): this {
    return this.add(`${column} = ?`, equal)
      .add(`${column} >= ?`, least)
      .add(`${column} <= ?`, most);
  }

  get isEmpty(): boolean {
    return this.#clauses.length === 0;
  }

  /** `WHERE ...`, or nothing. */
  get where(): string {
    return this.isEmpty ? '' : `WHERE ${this.#clauses.join(' AND ')}`;
  }
}

/** The pattern for `LIKE ? ESCAPE '\'` that finds `text` anywhere, `%` and `_` literally. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
}
