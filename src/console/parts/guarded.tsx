/** That the guard of a zone holds a write back, and the tick that lets exactly these deletions through. */
import type { Guard } from '../write.ts';
import { counted, visible } from './text.tsx';

export function Guarded({ guard: { deleted, of, limit, names } }: { readonly guard: Guard }) {
  return (
    <section class="warnings" aria-label="Guard">
      <p>
        It deletes {deleted.toLocaleString('en')} of {counted(of, 'record')}; the guard lets{' '}
        {limit.toLocaleString('en')} through.
      </p>
      {names.length > 0 && (
        <p class="name">{names.map(({ name, type }) => visible(`${name} ${type}`)).join(', ')}</p>
      )}
      <label>
        <input type="checkbox" name="allowed_deletes" value={String(deleted)} required /> Let these{' '}
        {counted(deleted, 'deletion')} through
      </label>
    </section>
  );
}
