/** The field above every screen: what is typed in it is searched for a moment after the last key. */
import { useRef } from 'preact/hooks';
import { go, hrefOf, onlyHere, parameter, path } from '../router.ts';

const restMs = 250;
/** Characters from which on it is asked for while somebody types. */
const minCharacters = 2;

export function SearchBox() {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isOpen = path.value[0] === 'search';
  const search = (text: string, how: 'push' | 'replace') => {
    clearTimeout(timer.current);
    go(hrefOf(['search'], { q: text.trim() }), how);
  };
  const take = (text: string) => {
    clearTimeout(timer.current);
    if (text.trim().length < minCharacters) return;
    const begin = onlyHere(() => search(text, isOpen ? 'replace' : 'push'));
    timer.current = setTimeout(begin, restMs);
  };
  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const text = String(new FormData(event.currentTarget).get('q') ?? '');
          if (text.trim() !== '') search(text, isOpen ? 'replace' : 'push');
        }}
      >
        <input
          type="search"
          name="q"
          aria-label="Search everything"
          placeholder="Search"
          maxLength={255}
          autocomplete="off"
          value={isOpen ? parameter('q') : ''}
          onInput={(event) => take(event.currentTarget.value)}
        />
      </form>
    </search>
  );
}
