/** The names of fields: in JSON `default_ttl`, in the program `defaultTtl`. A rule instead of lists of both. */

/** `default_ttl` as `defaultTtl`. */
export type CamelCase<Name> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** `defaultTtl` as `default_ttl`. */
export type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

export function camelCase<Name extends string>(name: Name): CamelCase<Name> {
  const camel = name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return camel as CamelCase<Name>;
}

export function snakeCase<Name extends string>(name: Name): SnakeCase<Name> {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as SnakeCase<Name>;
}
