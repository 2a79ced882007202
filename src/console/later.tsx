/** Screens in a file of their own (screens/more.ts): asked for when one is opened, or when the browser is idle. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';

type More = typeof import('./screens/more.ts');

const more = signal<More>();
const hasFailed = signal(false);
let loading: Promise<void> | undefined;

function load(): Promise<void> {
  loading ??= import('./screens/more.ts').then(
    (screens) => {
      more.value = screens;
      hasFailed.value = false;
    },
    () => {
      hasFailed.value = true;
      loading = undefined;
    },
  );
  return loading;
}

/** Once the first screen is there: a service that goes away later takes no screen along. */
export function loadWhenIdle(): void {
  requestIdleCallback(() => void load());
}

/** A screen of that file. */
export function later<Props extends object = object>(name: keyof More): ComponentType<Props> {
  return function Later(props: Props) {
    const Screen = more.value?.[name] as ComponentType<Props> | undefined;
    if (Screen !== undefined) return <Screen {...props} />;
    if (!hasFailed.value) void load();
    return hasFailed.value ? <Failed /> : <p aria-busy="true">Loading…</p>;
  };
}

/** Either the service is away, or it is another version by now, which has other files. */
function Failed() {
  return (
    <p role="alert" class="bar failure">
      This screen could not be loaded.{' '}
      <button type="button" onClick={() => location.reload()}>
        Load the page again
      </button>
    </p>
  );
}
