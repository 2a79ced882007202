/**
 * Tab-separated values: an answer as lines for programs that take text apart, like cut and awk.
 *
 * The first line has the names of the fields, which are those of the JSON. A list has a line for each of its items, any
 * other answer one line. What is in an object is named with a dot (`zone.serial`); in a list, and where an answer has
 * more than one list, it stands as JSON. Null is empty, and a tab, line feed, carriage return or backslash is escaped.
 */
type Row = Readonly<Record<string, unknown>>;

/** The names under which answers have their list. */
const lists = ['items', 'zones', 'records', 'findings'];

/** Lines that each end in a line feed; empty for an empty list, whose fields are not known. */
export function tsvOf(answer: unknown): string {
  const rows = rowsOf(answer);
  const [first] = rows;
  if (first === undefined) return '';
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [names.map(escaped).join('\t'), ...rows.map((row) => tsvLine(names, row)), ''].join('\n');
}

/** One line without its end; fields that a row lacks are empty. */
export function tsvLine(names: readonly string[], row: Row): string {
  return names.map((name) => escaped(textOf(row[name]))).join('\t');
}

function rowsOf(answer: unknown): readonly Row[] {
  if (!isObject(answer)) return [{ value: answer }];
  const named = lists.filter((name) => Array.isArray(answer[name]));
  const [list] = named;
  if (list === undefined || named.length > 1) return [flat(answer)];
  return (answer[list] as unknown[]).map((item) => (isObject(item) ? item : { [list]: item }));
}

/** What is in its objects under their names, with dots. */
function flat(object: Row, prefix = ''): Row {
  const entries = Object.entries(object).flatMap(([name, value]) =>
    isObject(value)
      ? Object.entries(flat(value, `${prefix}${name}.`))
      : [[`${prefix}${name}`, value] as const],
  );
  return Object.fromEntries(entries);
}

function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const escapes: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\\': '\\\\',
};

function escaped(text: string): string {
  return text.replace(/[\t\n\r\\]/g, (character) => escapes[character]!);
}
