import { describe, expect, it } from 'vitest';
import { fieldOf, readEach, readFields, within } from './item-errors.ts';
import { limits } from './limits.ts';
import { DetailedProblem, ListedProblem, Problem } from './problem.ts';

const bad = (field: string) => new Problem('INVALID_INPUT', `${field}: is bad`);
const refuse = (field: string) => () => {
  throw bad(field);
};

function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('the field of a message', () => {
  it.each([
    ['ttl: 5 is odd', ['ttl']],
    ['records[3].ttl: 5 is odd', ['records', '3', 'ttl']],
    ['zones[0].set[12].values[1]: x: y', ['zones', '0', 'set', '12', 'values', '1']],
    ["zone 'a' has: nothing", undefined],
    ['request body: must be an object', undefined],
    ['records[x].ttl: no', undefined],
    ['Name: no', undefined],
    ['', undefined],
  ])('%s', (message, field) => {
    expect(fieldOf(message)).toEqual(field);
  });
});

describe('fields', () => {
  it('are read, each by its own', () => {
    expect(readFields({ one: () => 1, two: () => 'two' })).toEqual({ one: 1, two: 'two' });
  });

  it('are all judged; the first that is wrong stands in front', () => {
    const error = thrownBy(() =>
      readFields({ one: refuse('b'), two: () => 2, three: refuse('a') }),
    );
    expect(error).toBeInstanceOf(ListedProblem);
    expect(error).toMatchObject({
      message: 'b: is bad',
      errors: [{ message: 'b: is bad' }, { message: 'a: is bad' }],
    });
  });

  it('give a single Problem as it is, and a bug at once', () => {
    const problem = bad('a');
    expect(
      thrownBy(() =>
        readFields({
          one: () => 1,
          two: () => {
            throw problem;
          },
        }),
      ),
    ).toBe(problem);
    const bug = new TypeError('x');
    const broken = () => {
      throw bug;
    };
    expect(thrownBy(() => readFields({ one: refuse('a'), two: broken }))).toBe(bug);
  });
});

describe('items', () => {
  it('are judged up to the limit', () => {
    let judged = 0;
    const items = Array.from({ length: limits.reportedErrors + 50 });
    const error = thrownBy(() =>
      readEach(items, (_, index) => {
        judged++;
        throw bad(`a[${index}]`);
      }),
    ) as ListedProblem;
    expect([judged, error.errors.length]).toEqual([limits.reportedErrors, limits.reportedErrors]);
    expect(error.errors.at(-1)!.message).toBe('a[99]: is bad');
  });

  it('keep what has details of its own', () => {
    const held = new DetailedProblem('GUARDED', 'held', { deleted: 5 });
    const throwing = (error: unknown) => {
      throw error;
    };
    expect(thrownBy(() => readEach([held, bad('a')], throwing))).toBe(held);
    const first = bad('a');
    expect(thrownBy(() => readEach([first, held], throwing))).toBe(first);
  });

  it('name their place before the field, also in lists', () => {
    const inner = thrownBy(() => readFields({ one: refuse('ttl'), two: refuse('name') }));
    expect(within('records[1]', inner)).toMatchObject({
      message: 'records[1].ttl: is bad',
      errors: [{ message: 'records[1].ttl: is bad' }, { message: 'records[1].name: is bad' }],
    });
    const whole = new Problem('RECORD_CONFLICT', 'a CNAME stands alone: www');
    expect(within('zones[0]', whole)).toMatchObject({
      message: 'zones[0]: a CNAME stands alone: www',
    });
    const bug = new TypeError('x');
    expect(within('a', bug)).toBe(bug);
  });
});
