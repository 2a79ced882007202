/**
 * `zone apply` and `zone edit`: a zone becomes what a master file says. What would change comes first, and is asked for
 * on a terminal; it is done only while the zone is at the serial that was looked at (If-Match).
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImportReport } from '../answers.ts';
import { type Client, segment } from '../client.ts';
import { type Context, defineCommand } from '../command.ts';
import { confirm, yesOption } from '../confirm.ts';
import { expectNow } from '../expected.ts';
import { readText, readUtf8 } from '../environment.ts';
import { CliFailure, exitCode, usageFailure } from '../failure.ts';
import { domainName, flag, required, text } from '../field.ts';
import type { Output } from '../output.ts';
import { dryRun } from '../preview.ts';
import { onOneLine } from '../terminal.ts';
import { writeNewFile } from '../new-file.ts';
import { applyDesired } from './zone-desired.ts';
import { importChanges, reportText } from './zone-file.ts';

const name = domainName(required('name of the zone'));
const options = { dryRun: flag(dryRun), ...yesOption };
const soaNote = 'The SOA of the zone stays as it is; zone update changes it.';

/** What is to become of a zone, and from where. */
interface Wanted {
  readonly name: string;
  readonly source: string;
  readonly content: string;
  readonly dryRun: boolean | undefined;
  readonly yes: boolean | undefined;
}

/** The client expects the zone as it is: so what is tried and what is done is the same. */
async function replaceZone(wanted: Wanted, client: Client, context: Context): Promise<number> {
  const path = `/zones/${segment(wanted.name)}/import`;
  const send = (isDry: boolean) => {
    const body = { content: wanted.content, mode: 'replace', dry_run: isDry };
    return client.postFile<ImportReport>(path, body, () => {});
  };
  const textOf = (report: ImportReport, output: Output) =>
    reportText(wanted.name, wanted.source, report, output);
  const tried = await send(true);
  context.foresee(importChanges(tried));
  if (tried.errors.length > 0 || wanted.dryRun === true || !importChanges(tried)) {
    await context.output.show(tried, () => textOf(tried, context.output));
    return tried.errors.length > 0 ? exitCode.failure : exitCode.ok;
  }
  const text = `change zone ${wanted.name}`;
  await confirm(
    { text, preview: () => textOf(tried, context.preview), isAnswered: wanted.yes },
    context,
  );
  const report = await send(false);
  await context.output.show(report, () => textOf(report, context.output));
  return report.errors.length > 0 ? exitCode.failure : exitCode.ok;
}

export const zoneApply = defineCommand({
  usage: 'apply <name> <file>',
  summary: 'Make a zone what a master file says, after showing what would change',
  notes: soaNote,
  examples: [
    ['$0 example.com example.com.zone', 'look, then answer'],
    ['$0 example.com example.com.zone --dry-run', 'only look'],
    ['generate | $0 example.com - --yes', 'from another program'],
    ['$0 example.com shop.zone --owner shop', 'only the RRsets of a team'],
  ],
  positionals: { name, file: required('master file, or - for standard input') },
  options: {
    ...options,
    owner: text('team whose RRsets become what the file says; all others stay'),
  },
  presents: 'change',
  async run({ file, owner, ...given }, context) {
    const content = await readUtf8(file, context.services);
    const client = await context.client();
    if (owner !== undefined) return applyDesired({ ...given, owner, content }, client, context);
    await expectNow(`/zones/${segment(given.name)}`, client);
    const source = file === '-' ? 'standard input' : file;
    return replaceZone({ ...given, source, content }, client, context);
  },
});

export const zoneEdit = defineCommand({
  usage: 'edit <name>',
  summary: 'Edit a zone as a master file, in VISUAL or EDITOR',
  notes: `${soaNote} A file that is not applied is kept, and named.`,
  examples: [['$0 example.com', 'write, look, then answer']],
  positionals: { name },
  options,
  presents: 'change',
  async run(given, context) {
    const editor = editorOf(context);
    const client = await context.client();
    const { serial } = await expectNow(`/zones/${segment(given.name)}`, client);
    let before = '';
    const decoder = new TextDecoder();
    await client.getText(
      `/zones/${segment(given.name)}/export`,
      { serial: serial ?? undefined },
      (piece) => {
        before += decoder.decode(piece, { stream: true });
      },
    );
    const folder = await mkdtemp(join(tmpdir(), 'zonebook-edit-'));
    const source = join(folder, 'zone');
    try {
      await writeNewFile(source, before);
    } catch (error) {
      await rm(folder, { recursive: true });
      throw error;
    }
    let isDone = false;
    try {
      const content = await edited(source, editor);
      if (content === before && given.dryRun !== true) {
        throw new CliFailure(exitCode.failure, 'nothing is changed');
      }
      const code = await replaceZone({ ...given, source, content }, client, context);
      isDone = code === exitCode.ok && given.dryRun !== true;
      return code;
    } finally {
      if (isDone || (await readText(source)) === before) await rm(folder, { recursive: true });
      else context.services.stderr.write(`${onOneLine(source)} has your text\n`);
    }
  },
});

function editorOf({ services: { env, isTerminal } }: Context): string {
  const editor = env.VISUAL || env.EDITOR || (isTerminal.stdin === true ? 'vi' : undefined);
  if (editor !== undefined) return editor;
  throw usageFailure('there is no terminal for an editor', 'set VISUAL or EDITOR to a program');
}

/** The file once its editor has ended. */
async function edited(file: string, editor: string): Promise<string> {
  const { status } = spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  if (status === 0) return readText(file);
  throw new CliFailure(exitCode.failure, `the editor '${editor}' ended with a failure`);
}
