/** What is wrong with a configuration: every key at once, each with what it takes instead. */
export interface ConfigProblem {
  /** The key as in TOML, the variable it came from, or the file when that cannot be read. */
  readonly key: string;
  readonly problem: string;
  readonly allowed: string;
}

/** The configuration is unusable; ends the program with exit code 6. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map((each) => `${each.key}: ${each.problem}; allowed: ${each.allowed}`);
    super(`the configuration is unusable\n${lines.map((line) => `  ${line}`).join('\n')}`);
    this.problems = problems;
  }
}
