/** `zone diff`: what a zone would have to change to be like a master file or another zone; it changes nothing. */
import type { ZoneDiff } from '../answers.ts';
import { defineCommand } from '../command.ts';
import { asPresented, differenceText, withCounts } from '../difference.ts';
import { readUtf8 } from '../environment.ts';
import { usageFailure } from '../failure.ts';
import { domainName, text } from '../field.ts';
import { requestOf, type Values } from '../from-contract.ts';
import { moment } from '../moment.ts';

const request = requestOf({
  usage: 'diff <name> [file]',
  route: 'diffZone',
  fields: {
    file: text('master file, or - for standard input'),
    content: null,
    other: domainName(text('zone to compare with, instead of a file')),
    otherAt: moment(text('the other zone as it was then')),
  },
});

export const zoneDiff = defineCommand({
  ...request,
  usage: 'diff <name> [file]',
  summary: 'Show what a zone would have to change to be like a master file or another zone',
  notes:
    'Nothing is changed. The SOA and DNSSEC records are left out. zone apply makes the change.',
  examples: [
    ['$0 example.com example.com.zone', 'how far is it from the file?'],
    ['$0 example.com - --at yesterday', 'and how far was it, from standard input'],
    ['$0 example.com --other example.net', 'two zones, owners relative to them'],
  ],
  presents: 'difference',
  async run(values, context) {
    const { name, file, other } = values as Record<string, string | undefined>;
    if ((file === undefined) === (other === undefined)) {
      throw usageFailure('name a file, or give --other', "see 'zonebook zone diff --help'");
    }
    const content = file === undefined ? undefined : await readUtf8(file, context.services);
    const { file: _, ...given } = values as Record<string, unknown>;
    const client = await context.client();
    const ask = (sent: Values) => {
      const { path, body = {} } = request.send({ ...sent, content });
      return client.postFile<ZoneDiff>(path, body, () => {});
    };
    const { output } = context;
    const sent = asPresented(given, output);
    const found = await ask(sent);
    // Counted between the same serials, whatever was written meanwhile.
    const then = {
      at: String(found.from_serial),
      ...(other && { otherAt: String(found.to_serial) }),
    };
    const counted = await withCounts(found, sent, output, (all) => ask({ ...all, ...then }));
    const source = file === '-' ? 'standard input' : (file ?? other);
    const title = `from ${name} (serial ${found.from_serial}) to ${source}`;
    await output.show(found, () => differenceText(title, counted, output));
    const { added, changed, removed } = found.diff.summary;
    context.foresee(added + changed + removed > 0);
    return undefined;
  },
});
