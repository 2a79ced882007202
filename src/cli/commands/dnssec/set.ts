/** `dnssec set`: PUT /zones/{name}/dnssec. */
import type { DnssecStatus } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { list, required, text } from '../../field.ts';
import { domainName, serverAddress } from '../../name-field.ts';
import { addressesOf, dnssecPath, statusText } from './shared.ts';

export const dnssecSet = defineCommand({
  usage: 'set <zone>',
  summary: 'Move a signed zone to another policy, or name other servers of its parent',
  notes:
    'A policy of another algorithm starts an algorithm roll; one of another way of denial replaces\n' +
    'the chain at once. The key layout has to be the same.',
  examples: [
    ['zonebook dnssec set example.com --policy small', 'another algorithm, denial or days'],
    ['zonebook dnssec set example.com --parent-ns 192.0.2.1 --parent-ns 192.0.2.2', 'all of them'],
  ],
  positionals: { zone: domainName(required('name of the zone')) },
  options: {
    policy: text('DNSSEC policy to sign under'),
    parentNs: serverAddress(
      list('name servers of the parent zone, in place of those known; may be repeated'),
    ),
  },
  async run({ zone, policy, parentNs }, context) {
    const addresses = addressesOf(parentNs);
    const body = {
      policy_name: policy,
      parent_ns_addrs: addresses.length === 0 ? undefined : addresses,
    };
    const client = await context.client();
    const answer = await client.put<DnssecStatus>(dnssecPath(zone), body);
    await context.output.show(answer, () => statusText(answer, context.output));
  },
});
