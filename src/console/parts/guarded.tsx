/** That the guard of a zone holds a write back, and the tick that lets exactly these deletions through. */
import type { Guard } from '../write.ts';
import { counted } from '../counted.ts';
import { visible } from './text.tsx';

const heldBack = 'The guard of the zone holds it back';

export function Guarded({ guard: { deleted, of, limit, names } }: { readonly guard: Guard }) {
  const text =
    of === null || limit === null
      ? `it deletes ${counted(deleted, 'record')}`
      : deleted > limit
        ? `it deletes ${deleted.toLocaleString('en')} of ${counted(of, 'record')}, more than ${limit.toLocaleString('en')}`
        : 'it changes what is protected';
  return (
    <section class="warnings" aria-label="Guard">
      <p role="alert">
        {heldBack}: {text}.
      </p>
      {names.length > 0 && (
        <p class="name">{names.map(({ name, type }) => visible(`${name} ${type}`)).join(', ')}</p>
      )}
      <label>
        <input type="checkbox" name="allowed_deletes" value={String(deleted)} required /> Let
        exactly {counted(deleted, 'deletion')} through
      </label>
    </section>
  );
}
