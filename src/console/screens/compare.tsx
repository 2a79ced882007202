/** Two moments of a zone beside each other, or two zones. */
import type { Zone } from '../api.ts';
import type { Sides } from '../difference.ts';
import { mayWhole } from '../permissions.ts';
import { CompareFile } from '../parts/compare-file.tsx';
import { Difference } from '../parts/difference.tsx';
import { Moments } from '../parts/moments.tsx';
import { go, hrefWith, parameter } from '../router.ts';

export function Compare({ zone }: { readonly zone: Zone }) {
  const sides: Sides = {
    zone: zone.name,
    other: parameter('with'),
    from: parameter('from') || parameter('at'),
    to: parameter('to'),
  };
  const key = JSON.stringify(sides);
  return (
    <section aria-label="Compare">
      <SidesForm key={key} zone={zone} sides={sides} />
      {sides.from === '' && sides.other === '' ? (
        <p class="muted">Give a serial, a tag, a time or a zone to compare with.</p>
      ) : (
        <Difference key={`${key} ${zone.serial}`} zone={zone} sides={sides} />
      )}
      {mayWhole(zone.name, 'record:read') && <CompareFile zone={zone} />}
    </section>
  );
}

interface SidesFormProps {
  readonly zone: Zone;
  readonly sides: Sides;
}

function SidesForm({ zone, sides: { from, to, other } }: SidesFormProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const side = (name: string) => String(given.get(name) ?? '').trim();
    const named = side('with').replace(/\.$/, '').toLowerCase();
    const other = named === zone.name ? '' : named;
    go(hrefWith({ from: side('from'), to: side('to'), with: other, at: undefined }));
  };
  const moment = { list: 'moments', autocomplete: 'off', spellcheck: false } as const;
  return (
    <form class="filters" onSubmit={submit}>
      <label class="filter">
        <span>A: serial, tag:NAME or time</span>
        <input name="from" defaultValue={from} placeholder="2026-11-20T14:00:00Z" {...moment} />
      </label>
      <label class="filter">
        <span>A: of which zone (this one when empty)</span>
        <input name="with" defaultValue={other} autocomplete="off" spellcheck={false} />
      </label>
      <label class="filter">
        <span>B: the same (now when empty)</span>
        <input name="to" defaultValue={to} {...moment} />
      </label>
      <button type="submit">Compare</button>
      <Moments zone={zone} id="moments" />
    </form>
  );
}
