/** `zone apply --owner` and `zone drift`: what a team wants of a zone, and how far the zone is from it. */
import type { Desired, Drift } from '../answers.ts';
import { counted, diffLines, done } from '../changes.ts';
import { type Client, segment } from '../client.ts';
import type { Context } from '../command.ts';
import { confirm } from '../confirm.ts';
import { exitCode } from '../failure.ts';
import { required } from '../field.ts';
import { passOn } from '../from-contract.ts';
import type { Output } from '../output.ts';

/** What a team wants of a zone. */
interface Wanted {
  readonly name: string;
  readonly owner: string;
  readonly content: string;
  readonly dryRun: boolean | undefined;
  readonly yes: boolean | undefined;
}

/** What was looked at is done, or nothing: the second call names the plan of the first. */
export async function applyDesired(
  { name, owner, content, dryRun, yes }: Wanted,
  client: Client,
  context: Context,
): Promise<number> {
  const path = `/zones/${segment(name)}/desired?owner=${encodeURIComponent(owner)}`;
  const tried = await client.post<Desired>(path, { content, dry_run: true });
  if (dryRun === true) {
    await context.output.show(tried, () => desiredText(tried, context.output));
    context.foresee(!tried.unchanged);
    return exitCode.ok;
  }
  if (!tried.unchanged) {
    const text = `change zone ${name}`;
    const preview = () => desiredText(tried, context.preview);
    await confirm({ text, preview, isAnswered: yes }, context);
  }
  const answer = await client.post<Desired>(path, { content, plan_hash: tried.plan_hash });
  await context.output.show(answer, () => desiredText(answer, context.output));
  return exitCode.ok;
}

function desiredText(answer: Desired, output: Output): string {
  const { zone_name: name, owner, serial, owned, diff } = answer;
  const who = `${owner} owns ${counted(owned, 'RRset')}`;
  if (answer.unchanged) return `nothing changes in zone ${name}: ${who}`;
  const what = diff.entries.length > 0 ? `zone ${name} to serial ${serial}` : `owners in ${name}`;
  const moves = [
    ...answer.taken_over.map((rrset) => `${owner} takes over ${rrset.name} ${rrset.type}`),
    ...answer.released.map((rrset) => `${owner} releases ${rrset.name} ${rrset.type}`),
  ];
  return [`${done(answer, 'change')} ${what}: ${who}`, ...diffLines(diff, output), ...moves].join(
    '\n',
  );
}

export const zoneDrift = passOn<Drift>({
  usage: 'drift <name>',
  route: 'getDrift',
  summary: 'Show what differs from what a team last applied to a zone',
  notes: 'Lines with + are there and were not wanted, lines with - were wanted.',
  examples: [['$0 example.com --owner shop', 'what did somebody change by hand?']],
  fields: { owner: required('the team') },
  presents: 'difference',
  show({ zone_name: name, owner, owned, drifted, diff }, output) {
    const headline = `${drifted} of ${counted(owned, 'RRset')} of ${owner} differ in zone ${name}`;
    return [headline, ...diffLines(diff, output)].join('\n');
  },
});
