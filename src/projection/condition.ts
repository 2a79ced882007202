/** Conditions of list queries: clauses joined by AND with their bound values. */

export type Bound = string | number | Buffer;

/** True in the zones of a list of ids; bound as one value, so that it may be of any length. */
export const amongZones = 'zone.id IN (SELECT value FROM json_each(?))';

export function jsonOfIds(ids: Iterable<number>): string {
  return JSON.stringify([...ids]);
}

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
