/** Who is logged in, and coming and going. */
import { signal } from '@preact/signals';
import { ask, get, loginCount, needsLogin, type Self } from './api.ts';
import { forgetBaskets } from './basket.ts';
import { readPermissions } from './permissions.ts';

export const self = signal<Self | undefined>(undefined);

/** Reads who is logged in; asks for a login when nobody is. */
async function readSelf(): Promise<void> {
  try {
    const [answer] = await Promise.all([get<Self>('/session'), readPermissions()]);
    self.value = answer;
    needsLogin.value = false;
  } catch {
    needsLogin.value = true;
  }
}

/** Logs in with a token, or with a code of `zonebook console`. Throws the refusal. */
export async function logIn(given: { readonly token: string } | { readonly code: string }) {
  await ask('POST', '/session', { body: given });
  loginCount.value++;
  await readSelf();
}

export async function logOut(): Promise<void> {
  await ask('DELETE', '/session');
  // Drafts are nobody else's.
  forgetBaskets();
  sessionStorage.clear();
  self.value = undefined;
  needsLogin.value = true;
}

const codeInFragment = /^#login=([\w-]+)$/;

/** Uses the code of the link that opened the page, and takes it out of the address. */
export async function startSession(): Promise<void> {
  const code = codeInFragment.exec(location.hash)?.[1];
  if (code === undefined) return readSelf();
  history.replaceState(null, '', location.pathname + location.search);
  try {
    await logIn({ code });
  } catch {
    // It was used, or is too old: whoever has a session goes on, others log in.
    await readSelf();
  }
}
