/** A zone file under work: checked by the service as a whole, its errors by their lines, its difference beside it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem, readVersion, type Version, type Zone, zonePath } from '../api.ts';
import { type Draft, dropDraft, keepDraft } from '../draft.ts';
import { useLatest } from '../latest.ts';
import { holdsWhole, mayWhole } from '../permissions.ts';
import { dryRun, isOutdatedBy, pending, type Write } from '../write.ts';
import { type Checked, checkedBy, CheckResult } from './checked.tsx';
import { LinedText } from './lined-text.tsx';

interface TextEditorProps {
  readonly zone: Zone;
  /** The zone as it is. */
  readonly base: Draft;
  /** What was typed before the page was loaded. */
  readonly draft: Draft | undefined;
  /** Drops what was typed, and reads the zone again. */
  readonly again: () => void;
}

const outdatedText =
  'The zone has changed since this text was read. To apply it would take that away.';

const restMs = 400;

export function TextEditor({ zone, base, draft, again }: TextEditorProps) {
  const [{ serial, etag }, setVersion] = useState<Version>(draft ?? base);
  const [text, setText] = useState(draft?.text ?? base.text);
  const [checked, hear] = useLatest<Checked & { readonly text: string }>();
  const isDraft = text !== base.text;
  useDraft(zone.name, isDraft ? { text, serial, etag } : undefined);
  const write: Write = {
    title: `Make ${zone.name} equal to the text`,
    button: 'Apply the text',
    method: 'POST',
    path: zonePath(zone.name, '/import'),
    body: { content: text, mode: 'replace' },
    zone: zone.name,
    etag,
    onDone: again,
  };
  const checkAgainst = async (tag: Promise<string>) => ({
    text,
    ...(await checkedBy(tag.then((known) => dryRun({ ...write, etag: known })))),
  });
  const check = () => hear(checkAgainst(Promise.resolve(etag)));
  // It is compared with the zone as it is now, and applied to that.
  const rebase = () => {
    const read = readVersion(zone.name).then((version) => {
      setVersion(version);
      return version.etag;
    });
    hear(checkAgainst(read));
  };
  const said = checked?.text === text ? checked : undefined;
  const isOutdated = said?.refusal instanceof Problem && isOutdatedBy(said.refusal);
  const compareButton = (
    <button type="button" onClick={rebase}>
      Compare it with the zone as it is now
    </button>
  );
  const canWrite = holdsWhole(zone.name, 'record:create', 'record:delete');
  return (
    <>
      <p class="muted">
        {isDraft ? `A draft, from serial ${serial}.` : `Serial ${serial}.`} The SOA is the one of
        the zone, whatever the text says.
      </p>
      <div class={said === undefined ? '' : 'beside'}>
        <div>
          <LinedText
            label={`Zone file of ${zone.name}`}
            text={text}
            errors={said?.errors ?? []}
            change={canWrite ? setText : undefined}
            submit={check}
          />
          {canWrite && (
            <p class="controls">
              <button type="button" onClick={check}>
                Check
              </button>
              {said?.outcome !== undefined && isDraft && mayWhole(zone.name, 'record:create') && (
                <button
                  type="button"
                  class="primary"
                  onClick={() => {
                    pending.value = write;
                  }}
                >
                  Apply…
                </button>
              )}
              {isDraft && (
                <button type="button" onClick={again}>
                  Discard the draft
                </button>
              )}
            </p>
          )}
        </div>
        {said !== undefined && (
          <div>
            <CheckResult
              checked={said}
              title="What it would change"
              refused={isOutdated ? { text: outdatedText, children: compareButton } : undefined}
            />
          </div>
        )}
      </div>
    </>
  );
}

/** Keeps what is typed a moment after the last key; undefined is what needs not to be kept. */
function useDraft(zone: string, draft: Draft | undefined): void {
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    const keep = () => (draft === undefined ? dropDraft(zone) : keepDraft(zone, draft));
    const timer = setTimeout(keep, restMs);
    return () => clearTimeout(timer);
  }, [zone, draft?.text, draft?.etag]);
}
