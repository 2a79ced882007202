/** `doctor`: looks at everything a service needs, and says what to do where something is wrong. */
import { defineCommand } from '../command.ts';
import type { CheckResult, Result } from '../doctor/check-result.ts';
import { exitCode, usageFailure } from '../failure.ts';
import { whole } from '../field.ts';
import { onOneLine, type Paint } from '../paint.ts';

/** Zones that secondaries and parents are asked for when nothing is said. */
const usualZones = 20;

/** Columns of the names of checks: `secondary ns2` fits. */
const checkColumns = 16;

export const doctor = defineCommand({
  usage: 'doctor',
  summary: 'Look at everything the service needs, and say what to do where something is wrong',
  notes:
    'Each line is OK, FAIL or SKIP; with any FAIL the exit code is 1. Nothing is changed; secondaries\n' +
    'get a NOTIFY, and parents of signed zones are asked for their DS. On the host of the service all\n' +
    'is looked at; with --url what can be seen from outside.',
  examples: [
    ['zonebook doctor', 'on the host of the service, running or not'],
    ['zonebook doctor --zones 1000', 'ask every secondary for more of the zones'],
    ['zonebook doctor -o json --url https://zonebook.example.net', 'from elsewhere, for a program'],
  ],
  options: {
    zones: whole(`zones to ask secondaries and parents for, ${usualZones} when left out`),
  },
  async run({ zones = usualZones }, context) {
    if (zones < 1) throw usageFailure('--zones is 1 or more');
    // It reads the database and asks name servers: loaded here, so that other commands start without it.
    const { examine } = await import('../doctor/examination.ts');
    const { output } = context;
    const findings: CheckResult[] = [];
    for await (const finding of examine(context, zones)) {
      findings.push(finding);
      if (output.format === 'table') output.write(lineOf(finding, output.paint));
    }
    const count = (wanted: Result) => findings.filter(({ result }) => result === wanted).length;
    const failed = count('FAIL');
    const totals = { ok: count('OK'), failed, skipped: count('SKIP') };
    await output.show({ healthy: failed === 0, ...totals, findings }, () => {
      const { paint } = output;
      const sum = `${totals.ok} ok, ${failed} failed, ${totals.skipped} skipped`;
      return failed === 0 ? paint.green(sum) : paint.red(sum);
    });
    return failed === 0 ? exitCode.ok : exitCode.failure;
  },
});

/** One line, and below it what to do. */
function lineOf({ check, result, message, what_to_do }: CheckResult, paint: Paint): string {
  const style = { OK: paint.green, FAIL: paint.red, SKIP: paint.yellow }[result];
  const name = check.padEnd(checkColumns);
  const line = `${style(result.padEnd(4))}  ${name}  ${onOneLine(message)}`;
  return what_to_do === null
    ? line
    : `${line}\n      ${' '.repeat(checkColumns)}  -> ${onOneLine(what_to_do)}`;
}
