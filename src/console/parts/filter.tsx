/** A field whose text becomes a parameter of the address a moment after the last key. */
import { useRef, useState } from 'preact/hooks';
import { go, hrefWith, onlyHere, parameter } from '../router.ts';

const restMs = 250;

/** What a field shows: the text of the address, or what is typed until `take` puts it there, whatever is drawn then. */
export function useTyped(text: string, take: (typed: string) => void) {
  const [typed, setTyped] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const onInput = (event: InputEvent) => {
    const { value } = event.currentTarget as HTMLInputElement;
    setTyped(value);
    clearTimeout(timer.current);
    const takeHere = onlyHere(() => take(value));
    timer.current = setTimeout(() => {
      takeHere();
      setTyped(undefined);
    }, restMs);
  };
  return { value: typed ?? text, onInput };
}

export function FilterField({ name, label }: { readonly name: string; readonly label: string }) {
  const field = useTyped(parameter(name), (typed) =>
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
