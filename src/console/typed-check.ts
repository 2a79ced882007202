/** What the service says of a write while it is typed: its dry run, a moment after the last key. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem, type FieldError, type Warning } from './api.ts';
import { dryRun, warningsOf, type Write } from './write.ts';

const restMs = 300;

export interface TypedCheck {
  /** What is wrong, by the field that is to blame; by '' what is about none. */
  readonly errors: Readonly<Record<string, string>>;
  readonly warnings: readonly Warning[];
}

const nothing: TypedCheck = { errors: {}, warnings: [] };

/** @param isWhole Whether enough is typed to be asked about. What the form begins with never is. */
export function useTypedCheck(write: Write, isWhole: boolean): TypedCheck {
  const [said, setSaid] = useState(nothing);
  const key = JSON.stringify([write.path, write.body]);
  const first = useRef(key);
  useEffect(() => {
    setSaid(nothing);
    if (!isWhole || key === first.current) return;
    let isWanted = true;
    const ask = async () => {
      const found = await dryRun(write).then(
        (outcome) => ({ errors: {}, warnings: warningsOf(outcome) }),
        (error: Error) => ({ errors: errorsOf(error), warnings: [] }),
      );
      if (isWanted) setSaid(found);
    };
    const timer = setTimeout(() => void ask(), restMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [key, isWhole]);
  return said;
}

const inBody = /^\/(?:zones\/\d+\/\w+\/\d+\/)?(name|type|ttl|value)/;
/** The path of the request, which nobody has typed. */
const pathInText = /^(?:zones[[\d\].\w]*|name|type|ttl|value): /;

/** Only of refusals of what was typed: whoever can not be asked now says it in the preview. */
function errorsOf(error: Error): TypedCheck['errors'] {
  if (!(error instanceof Problem) || ![400, 403, 409, 422].includes(error.status)) return {};
  const { errors = [{ message: error.message }] } = error.answer as {
    readonly errors?: readonly Pick<FieldError, 'pointer' | 'message'>[];
  };
  return Object.fromEntries(
    errors.map(({ pointer = '', message }) => [
      inBody.exec(pointer)?.[1] ?? '',
      message.replace(pathInText, ''),
    ]),
  );
}
