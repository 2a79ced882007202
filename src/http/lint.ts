/** What is probably a mistake in a zone (query/lint-queries.ts). */
import { lintRoutes } from '../contract/lint.ts';
import { isNameKey } from '../dns/name.ts';
import { foreignPosition, type Position } from '../projection/page.ts';
import type { LintPosition } from '../query/lint-queries.ts';
import { json } from './answer.ts';
import { endpoints } from './endpoint.ts';

export const lintEndpoints = endpoints(lintRoutes, {
  async getZoneLint(request) {
    const { params, query, view } = request;
    const after = lintPositionOf(request.positionAfter);
    const { items, next } = await view.zones.lint(params.name, after, query.limit);
    const position = next && [next.owner, next.rank];
    return json(200, { items, next_cursor: request.cursorOf(position) });
  },
});

/** Null for the beginning. */
function lintPositionOf(position: Position | undefined): LintPosition | null {
  if (position === undefined) return null;
  const [owner, rank] = position;
  if (typeof owner === 'string' && isNameKey(owner) && typeof rank === 'string') {
    return { owner, rank };
  }
  throw foreignPosition();
}
