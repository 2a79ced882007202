/** Offers the PTR of an address where the caller may make one: in the closest zone that the name of the address is in. */
import { useEffect } from 'preact/hooks';
import { get, type Listed, type Zone } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { may } from '../permissions.ts';
import { reverseName } from '../reverse.ts';
import { visible } from './text.tsx';

interface ReverseProps {
  readonly type: string;
  readonly address: string;
  /** The reverse zone that is chosen; '' for none. */
  readonly chosen: string;
  readonly choose: (zone: string) => void;
}

export function Reverse({ type, address, chosen, choose }: ReverseProps) {
  const name = reverseName(type, address.trim());
  const { value: zone = '', isWaiting } = useLoaded(
    async (signal) => {
      if (name === undefined) return '';
      const query = { encloses: name, limit: 100 };
      const { items } = await get<Listed<Zone>>('/zones', query, signal);
      const names = items.map((each) => each.name).sort((a, b) => b.length - a.length);
      return names[0] ?? '';
    },
    [name],
  );
  const isOffered = name !== undefined && zone !== '' && may(zone, 'record:create');
  // Another address may be in another zone, or in none.
  useEffect(() => {
    if (chosen !== '' && !isWaiting) choose(isOffered ? zone : '');
  }, [zone, isOffered, isWaiting]);
  if (!isOffered) return null;
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={chosen !== ''}
        onChange={({ currentTarget: { checked } }) => choose(checked ? zone : '')}
      />{' '}
      also PTR in {visible(zone)}
    </label>
  );
}
