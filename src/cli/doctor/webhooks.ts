/** Webhooks: that none is suspended, and that the receiver of each accepts what it gets. */
import type { Webhook } from '../answers.ts';
import type { Client } from '../client.ts';
import { everyPage, fetchPages } from '../page.ts';
import { type CheckResults, fail, ok, skip } from './check-result.ts';

export async function* checkWebhooks(client: Client): CheckResults {
  const { items } = await fetchPages<Webhook>(client, '/webhooks', {}, everyPage);
  if (items.length === 0) yield skip('webhooks', 'there are none');
  for (const { name, state, behind, failing_since: since, error } of items) {
    const check = `webhook ${name}`;
    if (state === 'suspended') {
      const advice = `mend its receiver, then 'zonebook webhook update ${name}' with its --url wakes it`;
      yield fail(check, `it is suspended, ${behind} events behind`, advice);
    } else if (since !== null) {
      const advice = `'zonebook webhook test ${name}' tells what its receiver says`;
      yield fail(check, `it fails since ${since}: ${error ?? 'unknown'}`, advice);
    } else {
      yield ok(check, `${behind} events behind`);
    }
  }
}
