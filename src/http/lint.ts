/** What is probably a mistake in a zone (query/lint-queries.ts). */
import { Problem } from '../base/problem.ts';
import { lintRoutes } from '../contract/lint.ts';
import { isNameKey } from '../dns/name.ts';
import type { LintPosition } from '../query/lint-queries.ts';
import { json } from './answer.ts';
import { endpoints } from './endpoint.ts';

export const lintEndpoints = endpoints(lintRoutes, {
  async getZoneLint({ params, query, view }) {
    const { items, next } = await view.zones.lint(
      params.name,
      positionOf(query.cursor),
      query.limit,
    );
    return json(200, { items, next_cursor: next && cursorOf(next) });
  },
});

function cursorOf({ owner, rank }: LintPosition): string {
  return Buffer.from(JSON.stringify([owner, rank])).toString('base64url');
}

/** Null for the beginning. */
function positionOf(cursor: string | undefined): LintPosition | null {
  if (cursor === undefined) return null;
  try {
    const [owner, rank] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (typeof owner === 'string' && isNameKey(owner) && typeof rank === 'string') {
      return { owner, rank };
    }
  } catch {
    // Refused below.
  }
  throw new Problem('INVALID_INPUT', "query parameter 'cursor' is not one that a page answered");
}
