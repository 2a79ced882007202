/**
 * Preferences of a request (RFC 7240): `Prefer: return=minimal, wait=30`. Case of names does not matter, and
 * the first of a name counts. What is not known, or malformed, is no preference: nothing is refused for it.
 */
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** What stands between two commas that are in no quotes. */
const part = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;
const preference = new RegExp(
  String.raw`^[ \t]*(${token})[ \t]*(?:=[ \t]*(?:"((?:[^"\\]|\\.)*)"|(${token})))?[ \t]*(?:;|$)`,
);

/** Values by name; empty for a preference without one. */
export function parsePrefer(header: string | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const text of header?.match(part) ?? []) {
    const [, name, quoted, value = ''] = preference.exec(text) ?? [];
    const key = name?.toLowerCase();
    if (key === undefined || found.has(key)) continue;
    found.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? value);
  }
  return found;
}
