/** The keys of a zone as bars over time, each leading to what its state means. The table beside it says it in words. */
import type { DnssecStatus } from '../api.ts';
import { counted } from '../counted.ts';
import { drawnKeys, type KeySpans, type KeyState } from '../key-spans.ts';
import { absolute } from '../moment.ts';

/** Units of the drawing. */
const width = 1000;
const height = 16;

const textOf = (ms: number) => absolute(new Date(ms).toISOString());

export function KeyDrawing({ status }: { readonly status: DnssecStatus }) {
  const nowMs = Date.now();
  const { from, to, keys, marks } = drawnKeys(status.keys, status.next_steps, nowMs);
  const at = (ms: number) => ((ms - from) / (to - from)) * width;
  const line = (ms: number, kind: string) => (
    <rect key={`${kind} ${ms}`} class={kind} x={at(ms) - 1} width={2} height={height} />
  );
  if (keys.length === 0) return null;
  return (
    <>
      <section class="key-lives" aria-label="Keys over time">
        {keys.map((key) => {
          const ds = dsText(key, status);
          return (
            <div key={key.tag}>
              <span>
                {key.tag} {key.role.toUpperCase()}
              </span>
              <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none">
                <title>Key {key.tag}</title>
                {key.spans.map((span, index) => {
                  const place = {
                    x: at(span.from),
                    width: Math.max(2, at(span.to) - at(span.from)),
                  };
                  const isActive = span.state === 'active';
                  const since = index === 0 ? '' : ` from ${textOf(span.from)}`;
                  return (
                    <a
                      key={span.from}
                      href={`#key-${span.state}`}
                      aria-label={`Key ${key.tag}: ${span.state}${since}${ds && `, ${ds}`}`}
                    >
                      <rect class="place" height={height} {...place} />
                      <rect
                        class={span.state}
                        y={isActive ? 2 : 5}
                        height={isActive ? height - 4 : height - 10}
                        {...place}
                      />
                    </a>
                  );
                })}
                {marks.map((ms) => line(ms, 'mark'))}
                {line(nowMs, 'now')}
              </svg>
              {ds !== '' && <small>{ds}</small>}
            </div>
          );
        })}
        <p class="ends" aria-hidden="true">
          <span>{textOf(from)}</span>
          <span class="states">
            <i class="published" /> published <i class="active" /> active <i class="retired" />{' '}
            retired <i class="now" /> now
          </span>
          <span>{textOf(to)}</span>
        </p>
      </section>
      <Meanings />
    </>
  );
}

/** How many servers of the parent have its DS; '' while they were not asked, and for a key that needs none. */
function dsText({ tag }: KeySpans, { delegation }: DnssecStatus): string {
  if (delegation?.keys.find((key) => key.key_tag === tag) === undefined) return '';
  const { servers } = delegation;
  const having = servers.filter(({ ds_key_tags: tags }) => tags?.includes(tag)).length;
  return `DS at ${having} of ${counted(servers.length, 'parent')}`;
}

/** The states of RFC 7583 3.1, as far as this service tells them apart. */
const meanings: Readonly<Record<KeyState, string>> = {
  published:
    'In the zone, and not signing yet; one of an algorithm that is new to the zone signs at once. RFC 7583: Published ' +
    'until no cache can lack it any more, then Ready. A CSK or KSK then waits for its DS at each parent server.',
  active: 'It signs (RFC 7583: Active).',
  retired:
    'Another key signs. It stays until no cache and no parent server relies on it (RFC 7583: Retired, then Dead).',
};

function Meanings() {
  return (
    <details class="files">
      <summary>What the states mean</summary>
      <dl>
        {Object.entries(meanings).map(([state, text]) => (
          <div key={state} id={`key-${state}`}>
            <dt>{state}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
