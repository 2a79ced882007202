/** `dnssec enable`: POST /zones/{name}/dnssec. */
import type { DnssecStatus } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { list, required, text } from '../../field.ts';
import { domainName, serverAddress } from '../../name-field.ts';
import { dnssecPath, neededAddresses, statusText } from './shared.ts';

export const dnssecEnable = defineCommand({
  usage: 'enable <zone>',
  summary: 'Sign a zone, and show the DS records for its parent',
  notes:
    'The servers of the parent zone are asked for the DS before anything is done that relies on it:\n' +
    'before a new key takes over, before an old one goes, before the zone stops being signed.',
  examples: [
    ['zonebook dnssec enable example.com --parent-ns 192.0.2.1:53', 'under the built-in policy'],
    [
      'zonebook dnssec enable example.com --parent-ns a.nic.example,b.nic.example --policy split',
      'under another one',
    ],
  ],
  positionals: { zone: domainName(required('name of the zone')) },
  options: {
    parentNs: serverAddress(
      list('name servers of the parent zone, host or host:port; may be repeated'),
    ),
    policy: text('DNSSEC policy; default when left out'),
  },
  async run({ zone, parentNs, policy }, context) {
    const body = { parent_ns_addrs: neededAddresses(parentNs), policy_name: policy };
    const client = await context.client();
    const answer = await client.post<DnssecStatus>(dnssecPath(zone), body);
    await context.output.show(answer, () => statusText(answer, context.output));
  },
});
