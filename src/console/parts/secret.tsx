/** The secret of a new token, shown this once, or of a TSIG key: to copy, to download, and as configuration. */
import { useEffect, useState } from 'preact/hooks';
import { curlConfig, keySnippets } from '../grants.ts';
import { isKept, putAway, secret, type Secret } from '../secret.ts';
import { Copy } from './copy.tsx';
import { useModal } from './modal.ts';
import { visible } from './text.tsx';

export function SecretDialog({ shown }: { readonly shown: Secret }) {
  const [isAsking, setAsking] = useState(false);
  const { dialog, close, props } = useModal(putAway);
  const leave = () => {
    if (isKept.value) close();
    else setAsking(true);
  };
  const keep = () => {
    isKept.value = true;
    setAsking(false);
  };
  const { of, text } = shown;
  return (
    <dialog
      class="secret"
      aria-labelledby="secret"
      {...props}
      onCancel={(event) => {
        if (isKept.value) return;
        event.preventDefault();
        leave();
      }}
      onClose={() => {
        // A browser closes it at the second Escape whatever the page says.
        if (secret.value === undefined || isKept.value) return close();
        dialog.current?.showModal();
        setAsking(true);
      }}
    >
      <h2 id="secret">
        {'token' in of
          ? `The secret of token ${visible(of.token)}`
          : `The key ${visible(of.key.tsig_key.name)}`}
      </h2>
      {shown.isOnce && <p>It is shown this once, and can not be read again.</p>}
      <pre>{text}</pre>
      <p class="controls">
        <Copy text={text} what="the secret" onCopied={keep} />
        {'token' in of && <Download token={of.token} text={text} onTaken={keep} />}
      </p>
      {'key' in of &&
        keySnippets(of.key).map(({ program, note, text: lines }) => (
          <figure key={program} aria-label={program}>
            <figcaption>{`${program}: ${note}`}</figcaption>
            <pre>{lines.split('\n').map(visible).join('\n')}</pre>
            <Copy text={`${lines}\n`} what={`the lines for ${program}`} />
          </figure>
        ))}
      {isAsking && (
        <div class="failure" role="alert">
          <p>You have neither copied nor downloaded it. Without it the token is of no use.</p>
          <button
            type="button"
            onClick={() => {
              keep();
              close();
            }}
          >
            Leave without it
          </button>
        </div>
      )}
      <button type="button" class="primary" onClick={leave}>
        Close
      </button>
    </dialog>
  );
}

interface DownloadProps {
  readonly token: string;
  readonly text: string;
  readonly onTaken: () => void;
}

/** The file is made in the page: no request has the secret in it. */
function Download({ token, text, onTaken }: DownloadProps) {
  const [href, setHref] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([curlConfig(text)], { type: 'text/plain' }));
    setHref(made);
    return () => URL.revokeObjectURL(made);
  }, [text]);
  if (href === undefined) return null;
  return (
    <a class="button" href={href} download={`${token}.curlrc`} onClick={onTaken}>
      Download for curl --config
    </a>
  );
}
