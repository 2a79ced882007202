/** `--wait`: what the answers to writes say of the secondaries. */
import type { TextSink } from './environment.ts';
import { type ExitCode, exitCode } from './failure.ts';
import type { Output } from './output.ts';

/** Whether every secondary serves a change; null where the service could not wait for that. */
export type Propagated = boolean | null;

/** What holds of several changes. */
export function ofAll(...given: readonly (Propagated | undefined)[]): Propagated | undefined {
  return ([false, null, true] as const).find((each) => given.includes(each));
}

/** What became of `--wait`, on standard error for people. */
export function sayPropagated(
  results: readonly (Propagated | undefined)[],
  output: Output,
  stderr: TextSink,
): ExitCode {
  const all = ofAll(...results);
  if (all === false || all === null) {
    const why =
      all === false
        ? 'not every secondary serves it yet'
        : 'the service could not wait for the secondaries: too many requests wait, or its log tells why';
    const hint = output.hint("'zonebook zone propagation' tells more");
    stderr.write(`zonebook: it is done, but ${why}; ${hint}\n`);
    return exitCode.notPropagated;
  }
  if (all && output.format === 'table') stderr.write('every registered secondary serves it\n');
  return exitCode.ok;
}
