/**
 * What the command line is given by the program around it: the terminal, the variables, and the things that
 * only the daemon can do. Tests replace each with a few lines. What arguments name is read here, too.
 */
import { isUtf8 } from 'node:buffer';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Author } from '../domain/why.ts';
import { CliFailure, exitCode, sentenceOf } from './failure.ts';

/** Where text goes: standard output and standard error. */
export interface TextSink {
  write(text: string): unknown;
  /** Columns of the terminal, when it is one. */
  readonly columns?: number | undefined;
}

export interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly isTerminal: {
    readonly stdin?: boolean;
    readonly stdout: boolean;
    readonly stderr: boolean;
  };
}

/** Where the configuration comes from: `--config` and `--data-dir`. */
export interface ConfigLocation {
  readonly file?: string | undefined;
  readonly dataDir?: string | undefined;
}

export interface LoadedConfig {
  /** The file that was read; undefined when there was none. */
  readonly configFile: string | undefined;
  readonly dataDir: string;
  /** The effective configuration as TOML. */
  readonly text: string;
  /** Looks at the files that it names and at its listeners together; throws as loadConfig does. */
  examine(): void;
  /** The same, for what alone keeps a service from starting. */
  examineForStart(): void;
  /** Every setting by its path, like `api.listen_port`. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** One thing that makes a configuration unusable. */
export interface ConfigResult {
  readonly key: string;
  readonly problem: string;
  readonly allowed: string;
}

export interface CliServices extends Environment {
  readonly version: string;
  /** Throws an error named ConfigError, with its findings as `problems`. */
  loadConfig(location: ConfigLocation): Promise<LoadedConfig>;
  /** Runs the service until it is stopped; resolves with the exit code. */
  serve(options: {
    configFile?: string | undefined;
    dataDir?: string | undefined;
    /** The database was taken back: begin a new epoch. */
    recover?: boolean | undefined;
    /** Who says so, and why. */
    author?: Author | undefined;
    /** Make a database though other files say that there was one. */
    isNew?: boolean | undefined;
    /** Take a key file that others can read. */
    insecureKeyFile?: boolean | undefined;
    /** Of the service manager: NOTIFY_SOCKET. */
    notifySocket?: string | undefined;
    /** How the program was called: ZONEBOOK_COMMAND. */
    calledAs?: string | undefined;
  }): Promise<number>;
}

/** An unusable configuration, known by its name: the class itself belongs to the daemon. */
export function isConfigError(
  error: unknown,
): error is Error & { readonly problems: readonly ConfigResult[] } {
  return error instanceof Error && error.name === 'ConfigError' && 'problems' in error;
}

/** The terminal and the variables of this process, and standard output as far as it can be written. */
export function processEnvironment(): Environment & { readonly output: WatchedOutput } {
  const { stdin, stdout, stderr } = process;
  const output = new WatchedOutput(stdout);
  // Nobody can hear of it.
  stderr.on('error', () => {});
  return {
    env: process.env,
    stdin,
    stdout: output,
    stderr,
    output,
    isTerminal: {
      stdin: stdin.isTTY === true,
      stdout: stdout.isTTY === true,
      stderr: stderr.isTTY === true,
    },
  };
}

/** Standard output, which tells of its errors only after it has taken a text. */
export class WatchedOutput implements TextSink {
  readonly #stream: NodeJS.WriteStream;
  /** Why a text is lost; undefined when none is. */
  #problem: string | undefined;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // A reader that has seen enough (`zonebook zone ls | head`) is no failure.
      if (error.code === 'EPIPE') return;
      this.#problem = sentenceOf(Object.assign(error, { path: 'standard output' }));
    });
  }

  get columns(): number | undefined {
    return this.#stream.columns;
  }

  write(text: string): void {
    const problem = this.takeProblem();
    if (problem !== undefined) throw new CliFailure(exitCode.failure, problem);
    this.#stream.write(text);
  }

  /** Why a text is lost, once. */
  takeProblem(): string | undefined {
    const problem = this.#problem;
    this.#problem = undefined;
    return problem;
  }
}

/**
 * Which configuration file a command reads, for messages that have to name it. Undefined when there is none:
 * then all that can be wrong are variables and arguments.
 */
export function configFileOf({ file }: ConfigLocation, { env }: CliServices): string | undefined {
  const named = file ?? (env.ZONEBOOK_CONFIG || undefined) ?? 'zonebook.toml';
  const path = resolve(named);
  return existsSync(path) ? path : undefined;
}

/** The text of what an argument names: a file, or standard input when it is a hyphen. */
export async function readAll(file: string, { stdin }: Environment): Promise<string> {
  if (file !== '-') return readText(file);
  return (await readPieces(stdin)).toString('utf8');
}

/** The text of a file as it is; a failure when it is not UTF-8, as other bytes would be lost. */
export async function readUtf8(file: string, { stdin }: Environment): Promise<string> {
  const bytes = file === '-' ? await readPieces(stdin) : await readBytes(file);
  const format = binaryFormat(bytes);
  if (isUtf8(bytes) && format === undefined) return bytes.toString('utf8');
  const name = file === '-' ? 'standard input' : file;
  if (format !== undefined) {
    throw new CliFailure(
      exitCode.failure,
      `${name}: is a zone in BIND's format ${format}, not a master file`,
      `named-compilezone -f ${format} -F text -o FILE ZONE BINARYFILE writes it as text`,
    );
  }
  throw new CliFailure(
    exitCode.failure,
    `${name}: line ${firstLineBeyondUtf8(bytes)} is not UTF-8`,
    'bytes above 127 can be written as \\DDD; iconv -f latin1 -t utf8 converts a file in Latin-1',
  );
}

/** BIND's formats raw (2) and map (3, up to 9.16) begin with their number in 32 bits. */
function binaryFormat(bytes: Buffer): 'raw' | 'map' | undefined {
  const number = bytes.length < 4 ? 0 : bytes.readUInt32BE(0);
  return number === 2 ? 'raw' : number === 3 ? 'map' : undefined;
}

function firstLineBeyondUtf8(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    if (!isUtf8(bytes.subarray(start, end))) break;
    start = end;
  }
  return line;
}

async function readPieces(stdin: Environment['stdin']): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stdin) pieces.push(Buffer.from(piece as string));
  return Buffer.concat(pieces);
}

export async function readText(file: string): Promise<string> {
  return (await readBytes(file)).toString('utf8');
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : message;
    throw new CliFailure(exitCode.failure, `${file}: ${reason}`);
  }
}
