/**
 * The command line: takes arguments, runs the command they mean, answers with the exit code.
 *
 * Everything a command can fail with ends here, as one line on standard error. No process is ended
 * and no global is touched, so that tests run it in their own process.
 */
import { Client, findTarget, urlOf, writeHeaders } from './client.ts';
import type { Context } from './command.ts';
import * as program from './commands/index.ts';
import {
  type CliServices,
  configFileOf,
  isConfigError,
  type ConfigLocation,
} from './environment.ts';
import { asFailure, type ExitCode, exitCode, sentenceOf, usageFailure } from './failure.ts';
import type { TextSink } from './environment.ts';
import { Output } from './output.ts';
import { onOneLine, withSafeTerminals } from './terminal.ts';
import { hintUndo } from './undo.ts';
import { type GlobalValues, parseArguments } from './parse.ts';

/** Columns of help on wide terminals and where there is no terminal. */
const helpColumns = 100;

export async function runCli(args: readonly string[], given: CliServices): Promise<number> {
  const services = withSafeTerminals(given);
  const { stdout, stderr, version } = services;
  const open: Client[] = [];
  let location: ConfigLocation = {};
  try {
    const columns = Math.min(stdout.columns ?? helpColumns, helpColumns);
    const parsed = parseArguments(args, { ...program, version, columns });
    if (parsed.kind === 'text') {
      stdout.write(`${parsed.text}\n`);
      return exitCode.ok;
    }
    const { command, values, globals } = parsed;
    location = { file: globals.config, dataDir: globals.dataDir };
    if (
      command.where === 'host' &&
      (globals.url ?? globals.token ?? globals.caFile) !== undefined
    ) {
      throw usageFailure('this command works on the files of this host and takes no --url');
    }
    const context = createContext(services, globals, location, open);
    const code = (await command.run(values, context)) ?? exitCode.ok;
    const wantsHint = context.output.format === 'table' && services.isTerminal.stderr;
    if (wantsHint && services.env.ZONEBOOK_HINTS !== 'off') {
      for (const client of open) await hintUndo(client, stderr);
    }
    return code === exitCode.ok ? sayPropagated(open, context.output, stderr) : code;
  } catch (error) {
    const { code, line } = failureOf(error, configFileOf(location, services));
    stderr.write(`zonebook: ${line}\n`);
    return code;
  } finally {
    for (const client of open) client.close();
  }
}

/** What became of `--wait`, on standard error for people. */
function sayPropagated(clients: readonly Client[], output: Output, stderr: TextSink): ExitCode {
  const results = clients.flatMap(({ isPropagated }) => isPropagated ?? []);
  if (results.includes(false)) {
    stderr.write(
      "zonebook: it is done, but not every secondary serves it yet; 'zonebook zone propagation' tells more\n",
    );
    return exitCode.notPropagated;
  }
  if (results.length > 0 && output.format === 'table') stderr.write('every secondary serves it\n');
  return exitCode.ok;
}

function createContext(
  services: CliServices,
  globals: GlobalValues,
  location: ConfigLocation,
  open: Client[],
): Context {
  const config = () => services.loadConfig(location);
  return {
    services,
    output: new Output(services, globals.output),
    location,
    program,
    isRemote: urlOf(globals, services) !== undefined,
    config,
    async client() {
      const why = writeHeaders(globals, services.env);
      const client = new Client(await findTarget(globals, services), why);
      open.push(client);
      return client;
    },
  };
}

function failureOf(error: unknown, configFile: string | undefined): { code: number; line: string } {
  const failure = asFailure(error);
  if (failure !== undefined) {
    const line = onOneLine(failure.message);
    return { code: failure.exitCode, line: failure.hint ? `${line}; ${failure.hint}` : line };
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
