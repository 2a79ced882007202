/**
 * The series that a PromQL expression asks for: names of metrics with the matchers of their labels.
 *
 * It reads what the files of this repository use: selectors, functions, aggregations, vector matching.
 */
export interface Matcher {
  readonly label: string;
  readonly operator: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

export interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
}

const token =
  /\s+|(?<string>"(?:[^"\\]|\\.)*")|(?<word>[A-Za-z_:][A-Za-z0-9_:]*)|(?<range>\[[^\]]*\])|(?<matchers>\{[^}]*\})|(?<other>[^\s])/gy;

/** Words that stand between operands or open a list of labels. */
const operators = new Set(['and', 'or', 'unless', 'bool', 'offset']);
const listOpeners = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);

export function selectorsOf(expression: string): Selector[] {
  const tokens = [...expression.matchAll(token)].filter(({ 0: text }) => text.trim() !== '');
  const selectors: Selector[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const word = tokens[index]!.groups?.word;
    if (word === undefined || operators.has(word)) continue;
    const next = tokens[index + 1];
    if (listOpeners.has(word)) {
      // Labels in parentheses follow.
      while (tokens[index]?.[0] !== ')') index++;
    } else if (next?.[0] !== '(' && !isUnitOf(tokens[index - 1]?.[0], word)) {
      const isAggregation = next?.groups?.word !== undefined && listOpeners.has(next.groups.word);
      if (isAggregation) continue;
      selectors.push({ metric: word, matchers: matchersOf(next?.groups?.matchers) });
    }
  }
  return selectors;
}

/** The `m` of `5m`. */
function isUnitOf(before: string | undefined, word: string): boolean {
  return before !== undefined && /^[0-9]$/.test(before) && /^(ms|[smhdwy])$/.test(word);
}

function matchersOf(text: string | undefined): Matcher[] {
  const found = (text ?? '').matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"/g);
  return [...found].map(([, label, operator, value]) => ({
    label: label!,
    operator: operator as Matcher['operator'],
    value: value!,
  }));
}
