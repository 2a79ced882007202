/** Why something is written: the fields for it, and what was typed there. */
import { needsReason } from '../permissions.ts';
import type { Why } from '../write.ts';

export const noWhy: Why = { reason: '', reference: '', allowedDeletes: '' };

/** What the form says that a write is made with. */
export function whyOf(form: HTMLFormElement): Why {
  const given = new FormData(form);
  const field = (name: string) => String(given.get(name) ?? '').trim();
  const allowedDeletes = field('allowed_deletes');
  return { reason: field('reason'), reference: field('reference'), allowedDeletes };
}

export function WhyFields({ said }: { readonly said: Why }) {
  return (
    <div class="why">
      <label>
        <span>{needsReason() ? 'Reason (required)' : 'Reason'}</span>
        <input
          name="reason"
          defaultValue={said.reason}
          maxLength={1000}
          autocomplete="off"
          required={needsReason()}
          pattern={needsReason() ? '.*\\S.*' : undefined}
          title="Why it is done"
        />
      </label>
      <label>
        <span>Reference</span>
        <input name="reference" defaultValue={said.reference} maxLength={200} autocomplete="off" />
      </label>
    </div>
  );
}
