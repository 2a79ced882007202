/** Settings of a zone that get other values. */
import type { Zone } from '../api.ts';
import { settingChanges } from '../zone-settings.ts';
import { visible } from './text.tsx';

const signs = { removed: '−', added: '+' } as const;

export function SettingsDiff({ before, after }: { readonly before: Zone; readonly after: Zone }) {
  const changes = settingChanges(before, after);
  if (changes.length === 0) return <p class="muted">No settings differ.</p>;
  return (
    <table class="diff">
      <caption class="unseen">Settings that change</caption>
      <thead class="unseen">
        <tr>
          <th scope="col">Change</th>
          <th scope="col">Setting</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {changes.flatMap(({ label, from, to }) =>
          (['removed', 'added'] as const).map((change) => (
            <tr key={`${label} ${change}`} class={change}>
              <td class="sign">
                <span aria-hidden="true">{signs[change]}</span>
                <span class="unseen">{change}</span>
              </td>
              <td class="name">{label}</td>
              <td>{visible(change === 'removed' ? from : to)}</td>
            </tr>
          )),
        )}
      </tbody>
    </table>
  );
}
