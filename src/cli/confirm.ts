/**
 * Asking before something is done: on a terminal, with what would happen above the question. `--yes` answers it. Where
 * nobody can be asked, what can be undone is done, and what can not be is refused.
 */
import type { Context } from './command.ts';
import type { Environment } from './environment.ts';
import { CliFailure, exitCode, usageFailure } from './failure.ts';
import { flag } from './field.ts';
import { onOneLine } from './terminal.ts';

/** The option of every command that asks. */
export const yesOption = { yes: flag('do it without asking') };

export interface Question {
  /** Without its question mark. */
  readonly text: string;
  /** What would happen; asked for only where the question is put. */
  readonly preview?: () => string | Promise<string>;
  /** True for what can not be undone. */
  readonly isFinal?: boolean;
  /** That of `--yes`. */
  readonly isAnswered: boolean | undefined;
}

/** Resolves when it is to be done; fails when it is not. */
export async function confirm(question: Question, { services }: Context): Promise<void> {
  if (question.isAnswered === true) return;
  const { stderr, isTerminal } = services;
  if (isTerminal.stdin !== true || !isTerminal.stderr) {
    if (question.isFinal !== true) return;
    throw usageFailure(`${question.text}? It can not be undone`, 'give --yes to do it');
  }
  const preview = await question.preview?.();
  if (preview !== undefined) stderr.write(`${preview}\n`);
  stderr.write(`${onOneLine(question.text)}? [y/N] `);
  const answer = await readLine(services);
  if (!/^y(es)?$/i.test(answer)) throw new CliFailure(exitCode.failure, 'nothing is changed');
}

/** One line of standard input, which is closed then: nothing is asked twice. */
async function readLine({ stdin }: Environment): Promise<string> {
  let text = '';
  for await (const piece of stdin) {
    text += piece.toString();
    if (text.includes('\n')) break;
  }
  return text.split('\n', 1)[0]!.trim();
}
