/**
 * Every `fetch` of a test opens a connection of its own. One that is kept may be closed by a service that
 * stops, or that saw nothing on it for its time, at the very moment when it is used again; then a request
 * fails that the service never saw, which says nothing about the service.
 */
const marked = Symbol.for('zonebook.fresh-connections');
const scope = globalThis as typeof globalThis & { [marked]?: true };

// Files share their workers, and each of them comes by here.
if (scope[marked] === undefined) {
  scope[marked] = true;
  const native = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const headers = new Headers(
      init?.headers ?? (input instanceof Request ? input.headers : undefined),
    );
    if (!headers.has('connection')) headers.set('connection', 'close');
    return native(input, { ...init, headers });
  };
}
