/**
 * Who runs a command and why, as its options and variables say: sent to the service, or written to the journal on its
 * host.
 */
import { userInfo } from 'node:os';
import { type Author, localUserIn, type Why, whyText } from '../domain/why.ts';

type Given = Readonly<Record<keyof Why, string | undefined>>;
type Env = Readonly<Record<string, string | undefined>>;

/** What is said of a write: by the option, else by its variable; not checked, and undefined when empty. */
export function saidWhy({ reason, reference }: Given, env: Env): Given {
  return {
    reason: (reason ?? env.ZONEBOOK_REASON) || undefined,
    reference: (reference ?? env.ZONEBOOK_REFERENCE) || undefined,
  };
}

/** Who runs this, as `NAME:UID`; behind sudo who called it. */
export function localUser(): string {
  const { SUDO_USER, SUDO_UID } = process.env;
  if (SUDO_USER && SUDO_UID) return `${SUDO_USER}:${SUDO_UID}`;
  try {
    const { username, uid } = userInfo();
    return `${username}:${uid}`;
  } catch {
    // The id has no name here, as in some containers.
    return `uid:${process.getuid?.() ?? 0}`;
  }
}

/** Of a command that writes to the journal itself. INVALID_INPUT for what the service would refuse. */
export function authorOf(given: Given, env: Env): Author {
  const said = saidWhy(given, env);
  const textOf = (field: keyof Why) => {
    const name = given[field] === undefined ? `ZONEBOOK_${field.toUpperCase()}` : `--${field}`;
    return said[field] === undefined ? null : whyText(field, name, said[field]);
  };
  const why = { reason: textOf('reason'), reference: textOf('reference') };
  const isSaid = why.reason !== null || why.reference !== null;
  return { localUser: localUserIn(localUser()), why: isSaid ? why : undefined };
}
