/**
 * What commands take that can say what would change: `--dry-run`, `--exit-code` for those who only ask whether
 * anything would, and `--all` where a long diff would be cut. They are added to a command by what it is, so that none
 * lacks one, and read here for all of them.
 */
import { type ExitCode, exitCode, usageFailure } from './failure.ts';
import { type Fields, flag } from './field.ts';

/** The meaning of --dry-run, wherever something is changed. */
export const dryRun = 'check it and say what would change; change nothing';

const allField = flag('show every line of the diff; a terminal shows the first 100');
const ifDryRun = flag(
  'with --dry-run: end with 8 when something would change, with 0 when nothing',
);
const ifDifferent = flag('end with 8 when there is a difference, with 0 when there is none');

/** What is asked of a command. */
interface Described {
  readonly positionals?: Fields;
  readonly options?: Fields;
  readonly presents?: 'change' | 'difference';
}

/** Whether `-all` is a value rather than a mistyped `--all`: many an SPF ends in it. */
export function takesRecordValues({ positionals, options, presents }: Described): boolean {
  return presents === 'change' && 'value' in { ...positionals, ...options };
}

/** The options that a command has besides its own. */
export function addedOptions({ options = {}, presents }: Described): Fields {
  const canTry = 'dryRun' in options;
  return {
    ...(presents === undefined ? {} : { all: allField }),
    ...(canTry
      ? { exitCode: ifDryRun }
      : presents === 'difference'
        ? { exitCode: ifDifferent }
        : {}),
  };
}

type Values = Readonly<Record<string, unknown>>;

/** What was said of the answer rather than to the command. */
export interface Asked {
  /** Whether the exit code is to say if anything would change. */
  readonly exitCode: boolean;
  /** Whether nothing is to be cut: without an option to say so, nothing ever is. */
  readonly all: boolean;
}

/** Takes apart what is for the command and what is for its answer. */
export function askedOf(command: Described, values: Values): [own: Values, asked: Asked] {
  const { options = {} } = command;
  const isCompared = values.exitCode === true;
  if (isCompared && 'dryRun' in options && values.dryRun !== true) {
    throw usageFailure('--exit-code goes with --dry-run', 'without it the change would be made');
  }
  const added = addedOptions(command);
  const own = Object.entries(values).filter(([name]) => !(name in added));
  const all = values.all === true || !('all' in options);
  return [Object.fromEntries(own), { exitCode: isCompared, all }];
}

/** With `--exit-code`; a command that does not say whether anything would change is a bug. */
export function changeCode(wouldChange: boolean | undefined): ExitCode {
  if (wouldChange === undefined) throw new Error('the command does not say what would change');
  return wouldChange ? exitCode.wouldChange : exitCode.ok;
}
