/** In the head of each screen: with how many zones secondaries are behind; nothing while they are with none. */
import { useEffect, useState } from 'preact/hooks';
import { get, type Listed, type Zone } from '../api.ts';
import { counted } from '../counted.ts';
import { useLoaded } from '../loading.ts';
import { hrefOf } from '../router.ts';

const everyMs = 60_000;

export function Lagging() {
  const [round, setRound] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setRound((count) => count + 1);
    }, everyMs);
    return () => clearInterval(timer);
  }, []);
  const { value } = useLoaded(
    (signal) => get<Listed<Zone>>('/zones', { lagging: 'true', limit: 1 }, signal),
    [round],
  );
  const zones = value?.pagination.total ?? 0;
  if (zones === 0) return null;
  return (
    <a class="state bad" href={hrefOf(['zones'], { lagging: 'true', at: undefined })}>
      {counted(zones, 'zone')} lagging
    </a>
  );
}
