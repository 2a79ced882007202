/** How far the journal was verified: each event holds the hash of the one before it. */
import { getText } from '../api.ts';
import { counted } from '../counted.ts';
import { chainOf, metricsOf } from '../health.ts';
import { useLoaded } from '../loading.ts';
import { absolute } from '../moment.ts';
import { hrefOf } from '../router.ts';

/** Nothing where the metrics are switched off. */
export function ChainState() {
  const { value } = useLoaded(async (signal) => {
    const text = await getText('/metrics', {}, signal).catch(() => undefined);
    return text === undefined ? null : { chain: chainOf(metricsOf(text)) };
  }, []);
  if (value == null) return null;
  const { chain } = value;
  if (chain === undefined) {
    return <p class="muted">The chain of hashes was not verified since the service started.</p>;
  }
  const { at, events, findings } = chain;
  if (findings > 0) {
    return (
      <p class="failure">
        The verification of {absolute(at)} found {counted(findings, 'fault')}:{' '}
        <a href={hrefOf(['health'])}>Health</a> says what to do.
      </p>
    );
  }
  return (
    <p class="muted">
      The chain of hashes is verified until event {events.toLocaleString('en')}, {absolute(at)}.
    </p>
  );
}
