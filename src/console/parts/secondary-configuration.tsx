/** What stands in the configuration of a secondary, to copy: filled in as far as the page knows it. */
import { useState } from 'preact/hooks';
import { get, type Secondary, type SecondaryStates } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { may } from '../permissions.ts';
import { Copy } from './copy.tsx';
import { visible } from './text.tsx';

/** What stands for an address that nobody knows here. */
const anyAddress = '192.0.2.1';

/** The lines for each server; without a key the secondary is known by its address. */
function snippetsOf(zone: string, host: string, port: number, key: string) {
  const from = `${host}@${port}`;
  const nsdKey = key || 'NOKEY';
  return Object.entries({
    BIND: `zone "${zone}" {
  type secondary;
  file "${zone}.db";
  primaries { ${host} port ${port}${key ? ` key "${key}"` : ''}; };
};
`,
    'Knot DNS': `remote:
  - id: zonebook
    address: ${from}
${key ? `    key: ${key}\n` : ''}acl:
  - id: notify-from-zonebook
    remote: zonebook
    action: notify
zone:
  - domain: ${zone}
    master: zonebook
    acl: notify-from-zonebook
`,
    NSD: `zone:
  name: "${zone}"
  zonefile: "${zone}.zone"
  request-xfr: ${from} ${nsdKey}
  allow-notify: ${host} ${nsdKey}
`,
    PowerDNS: `pdnsutil create-secondary-zone ${zone} ${host.includes(':') ? `[${host}]` : host}:${port}
${key ? `pdnsutil activate-tsig-key ${zone} ${key} secondary\n` : ''}`,
  });
}

interface ConfigurationProps {
  /** The one that the lines are for; any when left out. */
  readonly zone?: string;
  /** Those that may have a key. */
  readonly secondaries?: readonly Secondary[];
}

export function SecondaryConfiguration({
  zone = 'example.com',
  secondaries = [],
}: ConfigurationProps) {
  const [typed, setTyped] = useState(zone);
  const keys = [...new Set([...secondaries.map((each) => each.notify_key_name ?? ''), ''])];
  const [key, setKey] = useState(keys[0] ?? '');
  const { value } = useLoaded(async (signal) => {
    if (!may(undefined, 'secondary:read', 'secondary:manage')) return undefined;
    const { primary } = await get<SecondaryStates>('/secondary-states', { limit: 1 }, signal);
    return primary;
  }, []);
  // Where it listens to all, that by which this page was found.
  const address = value?.address ?? (/^[\d.]+$/.test(location.hostname) ? location.hostname : null);
  return (
    <details class="configuration">
      <summary>What the configuration of a secondary says</summary>
      <p class="muted">
        {!address && `${anyAddress} stands for the address of this service. `}
        {value === undefined && '5300 stands for its port. '}
        {address?.startsWith('127.') && 'Only the host of the service itself reaches 127.0.0.1. '}
        {key && 'The lines of the key itself, which go above these, are at Access.'}
      </p>
      <label>
        Zone <input value={typed} onInput={(event) => setTyped(event.currentTarget.value.trim())} />
      </label>{' '}
      {keys.length > 1 && (
        <label>
          Key{' '}
          <select value={key} onChange={(event) => setKey(event.currentTarget.value)}>
            {keys.map((each) => (
              <option key={each} value={each}>
                {visible(each) || 'none'}
              </option>
            ))}
          </select>
        </label>
      )}
      {snippetsOf(typed, address ?? anyAddress, value?.port ?? 5300, key).map(([server, text]) => (
        <section key={server} aria-label={server}>
          <h3>{server}</h3>
          <pre>{text.split('\n').map(visible).join('\n')}</pre>
          <Copy text={text} what={`the lines for ${server}`} />
        </section>
      ))}
    </details>
  );
}
