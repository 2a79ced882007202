/**
 * What the command line is given by the program around it: the terminal, the environment, and the
 * two things only the daemon can do. Tests stand in for each with a few lines.
 */

/** Where text goes: standard output and standard error. */
export interface TextSink {
  write(text: string): unknown;
  /** Columns of the terminal, when it is one. */
  readonly columns?: number | undefined;
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly isTerminal: { readonly stdout: boolean; readonly stderr: boolean };
}

/** Where the configuration comes from: `--config` and `--data-dir`. */
export interface Place {
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
  /** Every setting by its path, like `api.listen_port`. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** One thing that makes a configuration unusable. */
export interface ConfigFinding {
  readonly key: string;
  readonly problem: string;
  readonly allowed: string;
}

export interface CliServices extends Surroundings {
  readonly version: string;
  /** Throws an error named ConfigError, with its findings as `problems`. */
  loadConfig(place: Place): Promise<LoadedConfig>;
  /** Runs the service until it is stopped; resolves with the exit code. */
  serve(options: {
    configFile?: string | undefined;
    dataDir?: string | undefined;
    /** The database was taken back: begin a new epoch. */
    recover?: boolean | undefined;
    /** Make a database though other files say that there was one. */
    isNew?: boolean | undefined;
    /** Take a key file that others can read. */
    insecureKeyFile?: boolean | undefined;
  }): Promise<number>;
}

/** An unusable configuration, told by its name: the class itself belongs to the daemon. */
export function isConfigError(
  error: unknown,
): error is Error & { readonly problems: readonly ConfigFinding[] } {
  return error instanceof Error && error.name === 'ConfigError' && 'problems' in error;
}
