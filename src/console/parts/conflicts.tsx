/** What changed again since the change that is to be undone, and the choice to take that back too. */
import { type Conflicts, forced } from '../undo.ts';
import { pending, type Write } from '../write.ts';
import { DiffTable } from './diff.tsx';
import { visible } from './text.tsx';

export function ConflictList({
  write,
  conflicts,
}: {
  readonly write: Write;
  readonly conflicts: Conflicts;
}) {
  const { records, settings } = conflicts;
  const takeAll = () => {
    pending.value = forced(write, conflicts);
  };
  const summary = { added: 0, changed: records.length, removed: 0 };
  return (
    <section class="warnings" aria-label="Conflicts">
      <p role="alert">This has changed again since. To undo it would take the later change away:</p>
      {records.length > 0 && <DiffTable diff={{ entries: [...records], summary }} limit={200} />}
      {settings.length > 0 && (
        <ul>
          {settings.map(({ setting, from, to }) => (
            <li key={setting}>
              {setting}: {visible(JSON.stringify(from))} would become {visible(JSON.stringify(to))}
            </li>
          ))}
        </ul>
      )}
      <button type="button" onClick={takeAll}>
        Undo it all the same
      </button>
    </section>
  );
}
