/** A field whose text becomes a parameter of the address a moment after the last key. */
import { useRef } from 'preact/hooks';
import { go, hrefWith, parameter } from '../router.ts';

const restMs = 250;

export function FilterField({ name, label }: { readonly name: string; readonly label: string }) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const take = (text: string) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      go(hrefWith({ [name]: text.trim(), offset: undefined }), 'replace');
    }, restMs);
  };
  return (
    <label class="filter">
      <span>{label}</span>
      <input
        type="search"
        value={parameter(name)}
        onInput={(event) => take(event.currentTarget.value)}
      />
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
