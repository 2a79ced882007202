/** The login, over whatever the page shows: nothing that was typed there is lost. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Refusal } from '../parts/refusal.tsx';
import { logIn } from '../session.ts';

export function Login() {
  const dialog = useRef<HTMLDialogElement>(null);
  const show = () => dialog.current?.showModal();
  useLayoutEffect(show, []);
  const [problem, setProblem] = useState<Error>();
  const [isWaiting, setWaiting] = useState(false);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const token = String(new FormData(form).get('token') ?? '').trim();
    setWaiting(true);
    try {
      await logIn({ token });
    } catch (error) {
      setProblem(error as Error);
      setWaiting(false);
    }
  };

  return (
    <dialog
      class="login"
      ref={dialog}
      aria-labelledby="login"
      onCancel={(event) => event.preventDefault()}
      // A browser closes it all the same when Escape comes twice.
      onClose={show}
    >
      <h2 id="login">Log in to Zonebook</h2>
      {isSecureContext ? (
        <form method="dialog" onSubmit={submit}>
          <label>
            <span>Token</span>
            <input
              name="token"
              type="password"
              required
              autocomplete="current-password"
              autofocus
            />
          </label>
          {problem !== undefined && <Refusal error={problem} />}
          <button type="submit" class="primary" disabled={isWaiting}>
            Log in
          </button>
        </form>
      ) : (
        <p role="alert">
          Browsers keep a login only over HTTPS and from loopback. Give the service a certificate
          (api.tls_cert_file), or reach it through <code>ssh -L 3000:127.0.0.1:3000 HOST</code>.
        </p>
      )}
      <p class="muted">No token yet? On the host of the service:</p>
      <pre>
        {'zonebook console\n'}
        {'zonebook token create NAME --role admin'}
      </pre>
    </dialog>
  );
}
