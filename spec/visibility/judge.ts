/** Asks what callers may be answered, and compares with the model. */
import type { Route } from '../../src/contract/route.ts';
import { pathParameters } from '../../src/contract/route.ts';
import { adminAnswer, type Asked, urlOf } from './asked.ts';
import type { Random } from './random.ts';
import { type Row, rows } from './rows.ts';
import { type Answered, answeredOf, type Caller, type World } from './world.ts';

/** Every choice of at most three of some names. */
export function choices(names: readonly string[]): (readonly string[])[] {
  const chosen: (readonly string[])[] = [[]];
  for (const [first, one] of names.entries()) {
    chosen.push([one]);
    for (let second = first + 1; second < names.length; second++) {
      chosen.push([one, names[second]!]);
      for (let third = second + 1; third < names.length; third++) {
        chosen.push([one, names[second]!, names[third]!]);
      }
    }
  }
  return chosen;
}

/** Of the cursor only that there is one: it says which query it is of. */
function listRow({ steady = (one) => one, expected, ...row }: Row): Row {
  return {
    ...row,
    // The cursors among the filters are of no page, which is judged before anything is looked up.
    expected: (asked) => (asked.query.has('cursor') ? adminAnswer(asked) : expected(asked)),
    steady(answer) {
      const { body } = answer;
      if (typeof body.next_cursor !== 'string') return steady(answer);
      return steady({ ...answer, body: { ...body, next_cursor: 'more' } });
    },
  };
}

export class Judge {
  readonly #world: World;
  readonly #random: Random;
  /** Answers that were compared, by their status. */
  readonly compared = new Map<number, number>();

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  /** Tries a route as a caller: `most` choices of its filters, all of them when it is infinite. */
  async try(route: Route, caller: Caller, most: number): Promise<void> {
    const row = rows[route.id]!;
    const filters = row.filters?.(this.#world) ?? {};
    const subjects = row.subjects?.(this.#world) ?? [[]];
    const combinations = choices(Object.keys(filters));
    const isLong = most === Number.POSITIVE_INFINITY;
    const few = Math.max(most, subjects.length > 1 ? 12 : 0);
    if (subjects.length === 1) {
      for (const names of this.#random.sample(combinations, most)) {
        await this.#tryOne(route, row, caller, subjects[0]!, names, filters);
      }
      return;
    }
    // Few combinations, and many things to try them on: each of either at least once.
    const pairs = subjects.flatMap((subject) =>
      combinations.map((names) => [subject, names] as const),
    );
    for (const [subject, names] of this.#random.sample(pairs, isLong ? pairs.length : few)) {
      await this.#tryOne(route, row, caller, subject, names, filters);
    }
  }

  async #tryOne(
    route: Route,
    row: Row,
    caller: Caller,
    params: readonly string[],
    names: readonly string[],
    filters: Readonly<Record<string, readonly string[]>>,
  ): Promise<void> {
    const given = new Set([...(row.always ?? []), ...names]);
    const query = new Map([...given].map((name) => [name, this.#random.one(filters[name]!)]));
    let path: string = route.path;
    for (const [index, name] of pathParameters(route.path).entries()) {
      path = path.replace(`{${name}}`, encodeURIComponent(params[index]!));
    }
    const asked: Asked = { world: this.#world, caller, params, path, query };
    const url = urlOf(path, query);
    const { secret } = caller;
    const answer = await this.#world.ask(url, secret);
    const isList = 'offset' in route.query.entries;
    await this.#compare(isList ? listRow(row) : row, asked, url, answer);
    if (isList && typeof answer.body.next_cursor === 'string') {
      await this.#follow(row, asked, answer.body.next_cursor);
    }
    if (!route.tagged) return;
    // A tag that matches anything must not tell that there is something.
    const headers = { authorization: `Bearer ${secret}`, 'if-none-match': '*' };
    const known = await answeredOf(await this.#world.service.request(url, { headers }));
    const expected = await row.expected(asked);
    const unchanged = { ...expected, status: 304, body: '' };
    same(expected.status === 200 ? unchanged : expected, known, `${url} If-None-Match`, caller);
  }

  /** The page behind a cursor has the rows that follow by their number: nobody writes meanwhile. */
  async #follow(row: Row, asked: Asked, cursor: string): Promise<void> {
    const { path, query, caller } = asked;
    const { offset = 0, limit = 50, ...others } = Object.fromEntries(query);
    const counted = new Map([...query, ['offset', String(Number(offset) + Number(limit))]]);
    const url = urlOf(path, new Map(Object.entries({ ...others, limit: String(limit), cursor })));
    const answer = await this.#world.ask(url, caller.secret);
    if (answer.status === 200) answer.body.pagination.offset = Number(counted.get('offset'));
    await this.#compare(listRow(row), { ...asked, query: counted }, url, answer);
  }

  async #compare(row: Row, asked: Asked, url: string, answer: Answered): Promise<void> {
    const { steady = (one) => one } = row;
    same(steady(await row.expected(asked)), steady(answer), url, asked.caller);
    this.compared.set(answer.status, (this.compared.get(answer.status) ?? 0) + 1);
  }
}

function same(expected: Answered, answer: Answered, url: string, caller: Caller): void {
  const [wanted, given] = [expected, answer].map((one) => JSON.stringify(one));
  if (wanted === given) return;
  const who = `${caller.name} ${JSON.stringify(caller.grants)}`;
  throw new Error(`GET ${url} as ${who}\nexpected ${wanted}\nanswered ${given}`);
}
