/**
 * The command line: takes arguments, runs the command they mean, answers with the exit code.
 *
 * Everything a command can fail with ends here, as one line on standard error. No process is ended
 * and no global is touched, so that tests run it in their own process.
 */
import { namedAsCalled } from '../base/called-as.ts';
import { authorOf } from './author.ts';
import { Client, findTarget, urlOf, writeHeaders } from './client.ts';
import type { Command, Context } from './command.ts';
import * as program from './commands/index.ts';
import { withContext } from './contexts.ts';
import {
  type CliServices,
  type ConfigLocation,
  configFileOf,
  isConfigError,
} from './environment.ts';
import { asFailure, exitCode, type ProblemBody, sentenceOf, usageFailure } from './failure.ts';
import { Output } from './output.ts';
import { type GlobalValues, parseArguments } from './parse.ts';
import { askedOf, changeCode } from './preview.ts';
import { sayPropagated } from './propagated.ts';
import { onOneLine, withSafeTerminals } from './terminal.ts';
import { hintUndo } from './undo.ts';

/** Columns of help on wide terminals and where there is no terminal. */
const helpColumns = 100;

export async function runCli(args: readonly string[], given: CliServices): Promise<number> {
  const services = withSafeTerminals(given);
  const { stdout, stderr, version } = services;
  const calledAs = services.env.ZONEBOOK_COMMAND;
  const open: Client[] = [];
  let location: ConfigLocation = {};
  try {
    const columns = Math.min(stdout.columns ?? helpColumns, helpColumns);
    const parsed = parseArguments(args, { ...program, version, columns, calledAs });
    if (parsed.kind === 'text') {
      stdout.write(`${parsed.text}\n`);
      return exitCode.ok;
    }
    const { command } = parsed;
    const [values, asked] = askedOf(command, parsed.values);
    const asksService = command.where === undefined || command.where === 'service';
    const globals = asksService ? await withContext(parsed.globals, services) : parsed.globals;
    location = { file: globals.config, dataDir: globals.dataDir };
    if (!asksService) refuseUnused(globals, command, values);
    let wouldChange: boolean | undefined;
    const context: Context = {
      ...createContext(services, globals, location, open),
      output: new Output(services, globals.output, asked),
      preview: new Output(services, globals.output, { ...asked, sink: 'stderr' }),
      foresee: (found) => {
        wouldChange = found;
      },
    };
    const code = (await command.run(values, context)) ?? exitCode.ok;
    if (asked.exitCode && code === exitCode.ok) return changeCode(wouldChange);
    const wantsHint = context.output.format === 'table' && services.isTerminal.stderr;
    if (wantsHint && services.env.ZONEBOOK_HINTS !== 'off') {
      for (const client of open) await hintUndo(client, context.output, stderr);
    }
    if (code !== exitCode.ok) return code;
    const propagated = open.map(({ isPropagated }) => isPropagated);
    return sayPropagated(propagated, context.output, stderr);
  } catch (error) {
    const failure = asCalled(failureOf(error, configFileOf(location, services)), calledAs);
    stderr.write(asksForJson(args) ? jsonOf(failure) : `zonebook: ${failure.line}\n`);
    return failure.code;
  } finally {
    for (const client of open) client.close();
  }
}

/** Refuses what would be dropped without a word by a command that asks no service. */
function refuseUnused(
  globals: GlobalValues,
  { where, journals }: Command,
  values: Parameters<Command['run']>[0],
): void {
  const { url, token, tokenFile, caFile, reason, reference, allowDeletes, wait } = globals;
  if (where === 'host' && (url ?? token ?? tokenFile ?? caFile) !== undefined) {
    throw usageFailure('this command works on the files of this host and takes no --url');
  }
  if ((allowDeletes ?? wait) !== undefined) {
    const name = allowDeletes === undefined ? '--wait' : '--allow-deletes';
    throw usageFailure(`${name} is for a change by the service, which this command does not ask`);
  }
  if ((reason ?? reference) === undefined || journals?.(values)) return;
  const name = reason === undefined ? '--reference' : '--reason';
  throw usageFailure(`this writes nothing to the journal, so it takes no ${name}`);
}

function createContext(
  services: CliServices,
  globals: GlobalValues,
  location: ConfigLocation,
  open: Client[],
): Omit<Context, 'output' | 'preview' | 'foresee'> {
  const config = () => services.loadConfig(location);
  return {
    services,
    location,
    target: globals,
    program,
    isRemote: urlOf(globals, services) !== undefined,
    config,
    author: () => authorOf(globals, services.env),
    async client() {
      const why = writeHeaders(globals, services.env);
      const client = new Client(await findTarget(globals, services), why);
      open.push(client);
      return client;
    },
  };
}

/** How a command ends that failed. */
interface Ending {
  readonly code: number;
  readonly line: string;
  /** The same without what to do about it. */
  readonly message?: string;
  readonly hint?: string | undefined;
  readonly problem?: ProblemBody | undefined;
}

/** True when JSON is asked for explicitly: the arguments may be what is wrong. */
function asksForJson(args: readonly string[]): boolean {
  const joined = ['--output=json', '-o=json'];
  return args.some(
    (word, at) =>
      joined.includes(word) || (word === 'json' && /^(?:-o|--output)$/.test(args[at - 1] ?? '')),
  );
}

/** With what to do about it as the caller types it. */
function asCalled({ line, hint, ...ending }: Ending, calledAs: string | undefined): Ending {
  const named = hint && namedAsCalled(hint, calledAs);
  return { ...ending, line: namedAsCalled(line, calledAs), hint: named };
}

/** `{error, code, ...}` as the service says it, with the exit code; what it did not say has no code. */
function jsonOf({ code, line, message, hint, problem }: Ending): string {
  const body = problem ?? { error: message ?? line };
  return `${JSON.stringify({ ...body, hint, exit_code: code })}\n`;
}

function failureOf(error: unknown, configFile: string | undefined): Ending {
  const failure = asFailure(error);
  if (failure !== undefined) {
    const { exitCode: code, hint, problem } = failure;
    const first = onOneLine(failure.message);
    // The first stands in the message.
    const more = (problem?.errors ?? []).slice(1).map(({ message }) => `  ${onOneLine(message)}`);
    const line = [hint ? `${first}; ${hint}` : first, ...more].join('\n');
    return { code, line, message: first, hint, problem };
  }
  if (isConfigError(error)) {
    // One line for each key: they are all named at once, behind the file that may have them.
    const [headline = '', ...lines] = error.message.split('\n');
    const named = configFile === undefined ? headline : `${headline}: ${configFile}`;
    return { code: exitCode.configurationUnusable, line: [named, ...lines].join('\n') };
  }
  if (error instanceof Error && 'code' in error) {
    return { code: exitCode.failure, line: onOneLine(sentenceOf(error)) };
  }
  // Not foreseen, so a bug: whoever reports it needs to say where.
  const line = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: exitCode.failure, line: `this should not have happened: ${line}` };
}
