/** What the service said of a text that it checked as a whole: its errors, a refusal, or the difference it makes. */
import type { ComponentChildren } from 'preact';
import { Problem, type Warning } from '../api.ts';
import type { Outcome } from '../write.ts';
import { DiffTable } from './diff.tsx';
import { Refusal } from './refusal.tsx';
import { visible } from './text.tsx';

export interface Checked {
  readonly outcome?: Outcome;
  /** Of lines of the text. */
  readonly errors?: readonly string[];
  readonly refusal?: Error;
}

/** What is wrong with lines of a text; undefined for another refusal. */
export function lineErrorsOf({ status, answer }: Problem): readonly string[] | undefined {
  return status === 422 && Array.isArray(answer.errors) ? answer.errors : undefined;
}

/** What a dry run said. */
export async function checkedBy(dryRun: Promise<Outcome>): Promise<Checked> {
  try {
    return { outcome: await dryRun };
  } catch (error) {
    const errors = error instanceof Problem ? lineErrorsOf(error) : undefined;
    return errors === undefined ? { refusal: error as Error } : { errors };
  }
}

interface CheckResultProps {
  readonly checked: Checked;
  /** Over the difference. */
  readonly title: string;
  /** Words for the refusal, and what can be done about it. */
  readonly refused?: { readonly text: string; readonly children: ComponentChildren } | undefined;
}

export function CheckResult({ checked, title, refused }: CheckResultProps) {
  const { outcome, refusal } = checked;
  if (refusal !== undefined) return <Refusal error={refusal} {...refused} />;
  if (outcome?.diff == null) return null;
  return (
    <section aria-label="Difference">
      <h2>{title}</h2>
      <DiffTable diff={outcome.diff} limit={1000} />
      <Warnings warnings={outcome.warnings ?? []} />
    </section>
  );
}

export function Warnings({ warnings }: { readonly warnings: readonly Warning[] }) {
  if (warnings.length === 0) return null;
  return (
    <section class="warnings" aria-label="Warnings">
      <ul>
        {warnings.map((warning) => (
          <li key={JSON.stringify(warning)}>
            {visible([warning.name, warning.type, warning.message].filter(Boolean).join(' '))}
          </li>
        ))}
      </ul>
    </section>
  );
}
