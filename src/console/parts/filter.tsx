/** A field whose text becomes a parameter of the address a moment after the last key. */
import { useRef, useState } from 'preact/hooks';
import { go, hrefWith, onlyHere, parameter } from '../router.ts';

const restMs = 250;

interface Typed {
  readonly text: string;
  /** What the address had then. */
  readonly over: string;
  readonly isTaken: boolean;
}

/**
 * What a field shows: the text of the address, or what is typed until `take` puts it there, whatever is drawn then.
 * What was typed stays where the address has it without spaces at its ends: more may be typed behind them.
 *
 * @param least Characters without which it is not taken.
 * @returns The field, and what ends the wait where it is taken at once.
 */
export function useTyped(text: string, take: (typed: string) => void, least = 0) {
  const [typed, setTyped] = useState<Typed>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const onInput = (event: InputEvent) => {
    const { value } = event.currentTarget as HTMLInputElement;
    setTyped({ text: value, over: text, isTaken: false });
    clearTimeout(timer.current);
    if (value.trim().length < least) return;
    const takeHere = onlyHere(() => take(value));
    timer.current = setTimeout(() => {
      takeHere();
      setTyped({ text: value, over: text, isTaken: true });
    }, restMs);
  };
  const { isTaken = true, over, text: shown = text } = typed ?? {};
  const isShown = isTaken ? shown.trim() === text.trim() : over === text;
  const stop = () => clearTimeout(timer.current);
  return { field: { value: isShown ? shown : text, onInput }, stop };
}

export function FilterField({ name, label }: { readonly name: string; readonly label: string }) {
  const { field } = useTyped(parameter(name), (typed) =>
    go(hrefWith({ [name]: typed.trim(), offset: undefined }), 'replace'),
  );
  return (
    <label class="filter">
      <span>{label}</span>
      <input type="search" {...field} />
    </label>
  );
}

/** What part of a difference is shown. */
export function PartFields() {
  return (
    <>
      <FilterField name="name" label="Name" />
      <FilterField name="type" label="Type" />
      <FilterField name="value" label="Part of a value" />
    </>
  );
}
