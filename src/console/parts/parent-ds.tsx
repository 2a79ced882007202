/** What the parent is to serve, in each form that a registrar asks for, and what it serves now. */
import type { Delegation, DnssecStatus } from '../api.ts';
import { absolute } from '../moment.ts';
import { Copy } from './copy.tsx';
import { Table } from './table.tsx';
import { Ago, visible } from './text.tsx';

interface ParentDsProps extends ParentProps {
  readonly status: DnssecStatus;
}

export function ParentDs({ status, ...parent }: ParentDsProps) {
  const { zone_name: zone, ds_records: records, keys } = status;
  return (
    <section aria-label="DS for the parent">
      <h2>DS for the parent</h2>
      <DsWait status={status} />
      {records.length === 0 && <p class="muted">None yet.</p>}
      {records.map((ds) => {
        const line = `${zone}. IN DS ${ds.presentation}`;
        const key = keys.find(({ key_tag: tag }) => tag === ds.key_tag);
        return (
          <article key={ds.presentation} class="card" aria-label={`DS ${ds.key_tag}`}>
            <pre>{line}</pre>
            <Copy text={line} what={`the DS ${ds.key_tag}`}>
              Copy the line
            </Copy>
            <dl class="facts">
              <Part name="Key tag" text={String(ds.key_tag)} />
              <Part name="Algorithm" text={String(ds.algorithm)} />
              <Part name="Digest type" text={String(ds.digest_type)} />
              <Part name="Digest" text={ds.digest} />
              {key !== undefined && <Part name="DNSKEY" text={key.dnskey} />}
            </dl>
          </article>
        );
      })}
      <Parent {...parent} />
    </section>
  );
}

function Part({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code class="value">{text}</code> <Copy text={text} what={name} />
      </dd>
    </div>
  );
}

/** Before caches know the signatures, a DS would make the zone bogus for those who have it unsigned. */
function DsWait({ status: { keys, next_steps: steps } }: { readonly status: DnssecStatus }) {
  const step = steps.find(({ action }) => action === 'publish_cds');
  const isFirst = keys.every(({ state }) => state !== 'retired');
  if (step === undefined || Date.parse(step.at) <= Date.now() || !isFirst) return null;
  return (
    <p>
      Do not give it to the registrar before {absolute(step.at)}: caches hold the zone unsigned.
    </p>
  );
}

interface ParentProps {
  /** What the parent servers said; undefined when they were not asked. */
  readonly answer: DnssecStatus | Error | undefined;
  readonly isAsking: boolean;
  readonly askParent: () => void;
}

/** The parent servers are asked on demand. */
function Parent({ answer, isAsking, askParent }: ParentProps) {
  const delegation = answer instanceof Error ? null : answer?.delegation;
  return (
    <div aria-busy={isAsking}>
      <p>
        <button type="button" disabled={isAsking} onClick={askParent}>
          Ask the parent now
        </button>
      </p>
      <div role="status">
        {answer instanceof Error && <p class="failure">{visible(answer.message)}</p>}
        {delegation != null && <Servers delegation={delegation} />}
      </div>
    </div>
  );
}

function Servers({ delegation }: { readonly delegation: Delegation }) {
  const { keys, servers, checked_at: at } = delegation;
  const own = new Set(keys.map(({ key_tag: tag }) => tag));
  const isEverywhere = keys.length > 0 && keys.every(({ ds_published: has }) => has);
  return (
    <>
      <p class={isEverywhere ? 'state good' : 'state bad'}>
        {isEverywhere
          ? 'Every server of the parent has the DS.'
          : 'Not every server of the parent has the DS.'}{' '}
        Asked <Ago time={at} />.
      </p>
      {keys.map(
        ({ id, ds_missing: missing }) => missing !== null && <p key={id}>{visible(missing)}</p>,
      )}
      <Table
        caption="What the servers of the parent say"
        columns={[
          { label: 'Server', cell: ({ address }) => address },
          {
            label: 'DS of keys',
            cell: ({ ds_key_tags: tags }) => (tags === null ? 'not known' : servedText(tags, own)),
          },
          { label: 'Error', cell: ({ error }) => visible(error ?? '') },
        ]}
        items={servers}
        keyOf={({ address }) => address}
      />
    </>
  );
}

function servedText(tags: readonly number[], own: ReadonlySet<number>): string {
  if (tags.length === 0) return 'none';
  return tags.map((tag) => (own.has(tag) ? String(tag) : `${tag} (not of this zone)`)).join(', ');
}
