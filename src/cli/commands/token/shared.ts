/** How tokens are shown: never with their secret, which only creating one prints. */
import type { Token } from '../../answers.ts';
import type { Output } from '../../output.ts';

const headings = ['name', 'role', 'expires_at', 'last_used_at', 'created_at', 'description'];

export function tokenTable(tokens: readonly Token[], output: Output): string {
  const rows = tokens.map((token) => [
    token.name,
    token.role_name,
    token.expires_at ?? 'never',
    token.last_used_at,
    token.created_at,
    token.description,
  ]);
  return output.table(headings, rows);
}

export function tokenFields(token: Token, output: Output): string {
  return output.fields([
    ['name', token.name],
    ['id', token.id],
    ['role', token.role_name],
    ['created_at', token.created_at],
    ['expires_at', token.expires_at ?? 'never'],
    ['last_used_at', token.last_used_at],
    ['description', token.description],
  ]);
}
