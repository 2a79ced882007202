/** The field above every screen: what is typed in it is searched for a moment after the last key. */
import { go, hrefOf, parameter, path } from '../router.ts';
import { useTyped } from './filter.tsx';

/** Characters from which on it is asked for while somebody types. */
const minCharacters = 2;

export function SearchBox() {
  const isOpen = path.value[0] === 'search';
  const search = (text: string) =>
    go(hrefOf(['search'], { q: text.trim() }), isOpen ? 'replace' : 'push');
  const { field, stop } = useTyped(isOpen ? parameter('q') : '', search, minCharacters);
  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          stop();
          const text = String(new FormData(event.currentTarget).get('q') ?? '');
          if (text.trim() !== '') search(text);
        }}
      >
        <input
          type="search"
          name="q"
          aria-label="Search everything"
          placeholder="Search"
          maxLength={255}
          autocomplete="off"
          {...field}
        />
      </form>
    </search>
  );
}
