/** The edits of a zone that are collected, and the way to make them. */
import { useEffect, useRef } from 'preact/hooks';
import { basketOf, fill, previewBasket } from '../basket.ts';
import type { Item } from '../collected.ts';
import { counted } from '../counted.ts';
import { isReachable } from '../reconnect.ts';
import type { CollectedRecord } from '../write.ts';
import { Value, valueText, visible } from './text.tsx';

export function Basket({ zone }: { readonly zone: string }) {
  const list = useRef<HTMLDetailsElement>(null);
  const items = basketOf(zone);
  const refused = items.filter(({ error }) => error !== undefined).length;
  useEffect(() => {
    const first = list.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (!list.current || !first) return;
    list.current.open = true;
    first.focus();
  }, [items]);
  if (items.length === 0) return null;
  return (
    <section class="basket" aria-label="Basket">
      <div>
        <span role="status">
          {counted(items.length, 'edit')} in the basket, not made yet
          {refused > 0 && `; ${refused} refused`}.
        </span>
        <button
          type="button"
          class="primary"
          disabled={!isReachable.value}
          onClick={() => previewBasket(zone)}
        >
          Preview {counted(items.length, 'edit')}
        </button>
        <button type="button" class="quiet" onClick={() => fill(zone, [])}>
          Empty the basket
        </button>
      </div>
      <details ref={list}>
        <summary>What is in it</summary>
        <ul>
          {items.map((item) => (
            <Collected
              key={JSON.stringify([item.before, item.after])}
              item={item}
              remove={() =>
                fill(
                  zone,
                  items.filter((each) => each !== item),
                )
              }
            />
          ))}
        </ul>
      </details>
    </section>
  );
}

function Collected({ item, remove }: { readonly item: Item; readonly remove: () => void }) {
  const { before, after, error } = item;
  const { name, type } = (after ?? before)!;
  return (
    <li tabIndex={-1} aria-invalid={error !== undefined}>
      <table class="diff">
        <caption class="unseen">
          Edit of {visible(name)} {type}
        </caption>
        <tbody>
          {before !== undefined && <Line change="removed" sign="−" record={before} />}
          {after !== undefined && <Line change="added" sign="+" record={after} />}
        </tbody>
      </table>
      <button
        type="button"
        class="quiet"
        aria-label={`Take out the edit of ${visible(name)} ${type}`}
        onClick={remove}
      >
        Take out
      </button>
      {error !== undefined && <p class="field-error">{visible(error)}</p>}
    </li>
  );
}

interface LineProps {
  readonly change: 'added' | 'removed';
  readonly sign: string;
  readonly record: CollectedRecord;
}

function Line({ change, sign, record: { name, type, ttl, value } }: LineProps) {
  return (
    <tr class={change}>
      <td class="sign">
        <span aria-hidden="true">{sign}</span>
        <span class="unseen">{change}</span>
      </td>
      <td class="name">{visible(name)}</td>
      <td class="type">{type}</td>
      <td class="number">{ttl ?? ''}</td>
      <td>
        <Value text={valueText(value, null)} />
      </td>
    </tr>
  );
}
