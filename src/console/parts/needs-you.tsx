/** What the service knows to be wrong, each leading to where it says what to do; nothing where nothing is. */
import { getText } from '../api.ts';
import { metricsOf, troublesOf } from '../health.ts';
import { useLoaded } from '../loading.ts';
import { hrefOf } from '../router.ts';
import { visible } from './text.tsx';

export function NeedsYou() {
  const { value } = useLoaded(async (signal) => {
    return troublesOf(metricsOf(await getText('/metrics', {}, signal)));
  }, []);
  if (value === undefined || value.length === 0) return null;
  return (
    <section aria-label="Needs you">
      <ul class="troubles">
        {value.map(({ what }) => (
          <li key={what} class="judged">
            <a href={hrefOf(['health'])}>{visible(what)}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
