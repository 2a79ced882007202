/** What a parameter of a route takes, as its schema says: a text, a number, a switch, a list, an object or a choice. */

/** What is read of a schema of valibot: what it wraps, the parts of its pipe, the values of a choice. */
export interface SchemaPart {
  readonly type: string;
  readonly wrapped?: SchemaPart;
  readonly pipe?: readonly SchemaPart[];
  readonly kind?: string;
  readonly options?: readonly unknown[];
  readonly description?: string;
  readonly metadata?: { readonly type?: string; readonly enum?: readonly string[] };
}

function* partsOf(schema: SchemaPart): Generator<SchemaPart> {
  if (schema.pipe !== undefined) {
    for (const part of schema.pipe) yield* partsOf(part);
    return;
  }
  yield schema;
  if (schema.wrapped !== undefined) yield* partsOf(schema.wrapped);
}

interface Shape {
  readonly kind: 'text' | 'whole' | 'flag' | 'list' | 'object' | 'choice';
  /** Of a choice. */
  readonly values: readonly string[];
  readonly isNeeded: boolean;
  readonly description: string | undefined;
}

const kinds: Readonly<Record<string, Shape['kind']>> = {
  number: 'whole',
  boolean: 'flag',
  array: 'list',
  strict_object: 'object',
  picklist: 'choice',
};

export function shapeOf(schema: SchemaPart | undefined): Shape | undefined {
  if (schema === undefined) return undefined;
  const parts = [...partsOf(schema)];
  const isNeeded = !parts.some(({ type }) => type === 'optional' || type === 'nullish');
  const metadata = Object.assign({}, ...parts.map((part) => part.metadata ?? {}));
  const description = asMeaning(parts.findLast((part) => part.description)?.description);
  if (metadata.enum !== undefined) {
    return { kind: 'choice', values: metadata.enum, isNeeded, description };
  }
  // A parameter is a text that becomes something else: the last schema says what, unless it is a time.
  const last = parts.findLast((part) => part.kind === 'schema');
  const kind = metadata.type === 'string' ? 'text' : (kinds[last?.type ?? ''] ?? 'text');
  const values = kind === 'choice' ? (last?.options as readonly string[]) : [];
  return { kind, values, isNeeded, description };
}

/** A sentence as help has it: without capital and full stop. */
function asMeaning(sentence: string | undefined): string | undefined {
  return sentence?.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase()).replace(/\.$/, '');
}
