/** A text with the numbers of its lines, and what is wrong with them: each error leads to its line. */
import { useRef } from 'preact/hooks';
import { counted } from '../counted.ts';
import { visible } from './text.tsx';

interface LinedTextProps {
  readonly label: string;
  readonly text: string;
  /** Each may begin with the line that it is about: `line 7: `. */
  readonly errors: readonly string[];
  /** Undefined for a text that can only be read. */
  readonly change: ((text: string) => void) | undefined;
  /** For Ctrl-Enter. */
  readonly submit: () => void;
  /** Lines that are in sight. */
  readonly rows?: number;
}

function lineOf(error: string): number | undefined {
  const found = /^line (\d+)\b/.exec(error)?.[1];
  return found === undefined ? undefined : Number(found);
}

export function LinedText({ label, text, errors, change, submit, rows = 24 }: LinedTextProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const numbers = useRef<HTMLPreElement>(null);
  const lines = text.split('\n');
  const wrong = new Set(errors.map(lineOf));
  const scroll = () => {
    numbers.current!.scrollTop = area.current!.scrollTop;
  };
  const goTo = (line: number) => {
    const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
    const { current } = area;
    current!.focus();
    current!.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
    current!.scrollTop = (current!.scrollHeight / lines.length) * Math.max(0, line - rows / 2);
  };
  return (
    <>
      <div class="lined">
        <pre ref={numbers} aria-hidden="true">
          {lines.map((_, index) => `${wrong.has(index + 1) ? '● ' : ''}${index + 1}`).join('\n')}
        </pre>
        <textarea
          class="zone-file"
          ref={area}
          aria-label={label}
          aria-invalid={errors.length > 0}
          value={text}
          readOnly={change === undefined}
          rows={rows}
          wrap="off"
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => change?.(event.currentTarget.value)}
          onScroll={scroll}
          onKeyDown={(event) => event.key === 'Enter' && event.ctrlKey && submit()}
        />
      </div>
      {errors.length > 0 && (
        <section class="failure" role="alert" aria-label="Errors">
          <p>{counted(errors.length, 'error')}: nothing can be applied.</p>
          <ul>
            {errors.map((error) => {
              const line = lineOf(error);
              return (
                <li key={error}>
                  {line === undefined ? (
                    visible(error)
                  ) : (
                    <button type="button" class="quiet" onClick={() => goTo(line)}>
                      {visible(error)}
                    </button>
                  )}
                </li>
              );
            })}
          </ul>
        </section>
      )}
    </>
  );
}
