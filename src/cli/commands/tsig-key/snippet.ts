/**
 * A TSIG key as other programs read it: a statement for named.conf, sections for knot.conf and
 * nsd.conf, and the file for `dig -k` and `nsupdate -k`, which has the form of named.
 *
 * Refuses names with other characters than host names have: each program escapes them in its own
 * way, or not at all, and the text must stay one key.
 */
import type { TsigKeyWithSecret } from '../../answers.ts';
import { CliFailure, exitCode } from '../../exit-code.ts';

export const snippetForms = ['named', 'knot', 'nsd', 'key-file'] as const;
export type SnippetForm = (typeof snippetForms)[number];

export function snippetOf(form: SnippetForm, answer: TsigKeyWithSecret): string {
  const { secret } = answer;
  const { name, algorithm } = answer.tsig_key;
  if (!/^[a-z0-9._-]+$/.test(name)) {
    const reason = 'configurations of other programs can not be trusted to read it';
    throw new CliFailure(exitCode.failure, `the name '${name}' has unusual characters: ${reason}`);
  }
  switch (form) {
    case 'named':
    case 'key-file':
      return `key "${name}" {\n  algorithm ${algorithm};\n  secret "${secret}";\n};\n`;
    case 'knot':
      return `key:\n  - id: "${name}"\n    algorithm: ${algorithm}\n    secret: "${secret}"\n`;
    case 'nsd':
      return `key:\n  name: "${name}"\n  algorithm: ${algorithm}\n  secret: "${secret}"\n`;
  }
}
