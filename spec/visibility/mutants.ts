/**
 * Every check by which reads hide something, each taken away by one change of text.
 *
 * What is not here makes no difference to anybody: that zones without any readable record are passed over, for
 * speed; that a 412 does not tell the serial of a zone that was already found to be hidden; and that actions of all
 * zones are not looked for in grants of one, which can not have them.
 */

export interface Mutant {
  readonly file: string;
  /** Stands in the file just once. */
  readonly from: string;
  readonly to: string;
  /** The same check, made elsewhere too: taken away with it, as each of them is enough. */
  readonly also?: readonly Mutant[];
}

const admission = 'src/http/admission.ts';
const view = 'src/http/view';
const rights = 'src/domain/access/rights.ts';
const none = '';

function of(file: string, ...changes: readonly (readonly [from: string, to: string])[]): Mutant[] {
  return changes.map(([from, to]) => ({ file, from, to }));
}

/** What admission asks already, before a body is read (src/http/admission.ts). */
const admitted = {
  zone: of(admission, ['else requireInZone(asked.rights, admission.action, zone);', none]),
  wholeZone: of(admission, ['requireWhole(asked.rights, admission.action, zone);', '{}']),
  everywhere: of(admission, ['requireEverywhere(rights, admission.action);', none]),
  record: of(admission, [
    'requireOnRecord(rights, admission.action, zone, record.owner, record.type);',
    none,
  ]),
  named: of(admission, [
    "if (!kind.sees(rights)) throw missing(kind, kind.nameIn(params.name ?? ''));",
    none,
  ]),
} as const;

function alsoAsked(also: readonly Mutant[], some: readonly Mutant[]): Mutant[] {
  return some.map((mutant) => ({ ...mutant, also }));
}

export const mutants: readonly Mutant[] = [
  ...of(`${view}/zones.ts`, ['zone.name === name && this.rights.sees(id)', 'zone.name === name']),
  ...alsoAsked(
    admitted.zone,
    of(`${view}/zones.ts`, ['requireInZone(this.rights, action, zone);', none]),
  ),
  ...alsoAsked(
    admitted.wholeZone,
    of(`${view}/zones.ts`, ["requireWhole(this.rights, 'record:read', zone);", none]),
  ),
  ...alsoAsked(
    admitted.record,
    of(`${view}/zones.ts`, [
      "requireOnRecord(this.rights, 'record:read', zone, record.owner, record.type);",
      none,
    ]),
  ),
  ...alsoAsked(
    admitted.zone,
    of(
      `${view}/versions.ts`,
      [
        "this.#zones.with('zone:read', named);\n    return this.stored",
        'this.#zones.get(named);\n    return this.stored',
      ],
      [
        "this.#zones.with('zone:read', zoneName);\n    return { ...zone",
        'this.#zones.get(zoneName);\n    return { ...zone',
      ],
      [
        "this.stored.versions.tags(this.#zones.with('zone:read', zoneName))",
        'this.stored.versions.tags(this.#zones.get(zoneName))',
      ],
    ),
  ),
  ...alsoAsked(
    admitted.named,
    of('src/domain/access/visibility.ts', [
      '(kind.sees(rights) ? byName(name) : undefined)',
      'byName(name)',
    ]),
  ),
  ...alsoAsked(
    admitted.everywhere,
    of('src/domain/decide-zone.ts', ["requireEverywhere(context.rights, 'zone:delete');", none]),
  ),
  ...alsoAsked(
    [
      ...admitted.zone,
      ...of('src/domain/decide-forget.ts', ["requireInZone(rights, 'zone:delete', zone);", none]),
    ],
    of('src/http/history.ts', [
      "= view.zones.with('zone:delete', params.name)",
      '= view.zones.get(params.name)',
    ]),
  ),
  ...of(
    `${view}/zones.ts`,
    ['return zone !== undefined && this.rights.sees(zone.id) ? zone : undefined;', 'return zone;'],
    ['this.rights.visibleZones()', "'all'"],
    ["requireEverywhere(this.rights, 'zone:create');", none],
  ),
  ...of(
    `${view}/zones.ts`,
    [' || !this.rights.seesRecord(zone.id, record.owner, record.type)', none],
    ["requireOnRecord(this.rights, 'record:read', zone, owner, type);", none],
  ),
  ...of(
    `${view}/administration.ts`,
    ['if (!this.kind.sees(this.rights)) return nothingListed;', none],
    ['this.#requireRead();\n    return this.rows', 'return this.rows'],
    ['this.#requireRead();\n    return row;', 'return row;'],
  ),
  ...of(
    `${view}/administration.ts`,
    [
      'this.#manages ? this.stored.access.listRoles(page) : nothingListed',
      'this.stored.access.listRoles(page)',
    ],
    ['if (!this.#manages) return nothingListed;', none],
    [
      'this.#manages ? this.stored.access.listTsigKeys(roleId, page) : nothingListed',
      'this.stored.access.listTsigKeys(roleId, page)',
    ],
    ['!this.#manages && !this.#holdsAllOf(key.roleId)', 'false'],
  ),
  ...of(
    'src/query/record-filter.ts',
    ['if (!this.#part.isAll && !this.#part.has(cursor.owner, cursor.type)) return false;', none],
    ['this.#part.isAll && this.#asksNothing', 'this.#asksNothing'],
  ),
  ...of('src/query/history-filter.ts', [
    'if (!this.#readable.isAll && !this.#readable.has(cursor.owner, cursor.type)) continue;',
    none,
  ]),
  ...of(
    'src/query/history-queries.ts',
    ['stored !== undefined && sees(rights, stored)', 'stored !== undefined'],
    ['deleted && sees(rights, deleted) ? deleted', 'deleted ? deleted'],
    ['stored === undefined && deleted', 'deleted'],
  ),
  ...of(
    'src/query/record-scope.ts',
    ["this.isAll || this.#holds(keyOf('any', ''), type)", 'this.isAll || this.#types.size > 0'],
    ["names.kind === 'any' && types === undefined", "names.kind === 'any'"],
    ['scopes.some(({ names, types }) => names', 'scopes.every(({ names, types }) => names'],
  ),
  ...of(
    rights,
    ['return !isRecordAction(action) || (grant', 'return true || (grant'],
    [
      'return this.#anyIn(zoneId, (grant) => grant.actions.has(action));',
      'return this.sees(zoneId);',
    ],
    [
      '!grant.actions.has(action) || !matchesName(grant.names, owner)',
      '!matchesName(grant.names, owner)',
    ],
    [
      '!grant.actions.has(action) || !matchesName(grant.names, owner)',
      '!grant.actions.has(action)',
    ],
    ['type === undefined ? grant.types === undefined : matchesType(grant.types, type);', 'true;'],
    ['() => this.#everywhere.filter(allows)', '() => this.#everywhere'],
    ['this.#named(zoneId).filter(allows);', 'this.#named(zoneId);'],
    ['return this.#ofZone.get(zoneId) ?? none;', 'return [...this.#ofZone.values()].flat();'],
    ["this.isFull || this.#everywhere.length > 0 ? 'all' : this.namedZones()", "'all'"],
    ['coversPattern(mine.names, names) &&', none],
    [
      'const reaching = this.#grants.filter((mine) => mine.zoneId === null || mine.zoneId === zoneId);',
      'const reaching = this.#grants;',
    ],
  ),
  ...of('src/domain/access/pattern.ts', ['name.endsWith(`\\0${first}`)', 'name.endsWith(first)']),
  ...of('src/query/record-scope.ts', [
    'start = lastLabelStart(owner, start);',
    'start = start - 1;',
  ]),
  ...of(
    'src/domain/external-dns.ts',
    ['neededActions.every((action)', 'neededActions.some((action)'],
    ["names.kind === 'subtree' ? names.name : emptyName", 'emptyName'],
  ),
  ...of('src/query/external-dns-queries.ts', [
    "return rights.onRecord('record:read', zone.id, owner, type);",
    'return true;',
  ]),
  ...of('src/query/record-writer.ts', [
    'readableActions.filter((action) => rights.onRecord(action, zone.id, owner, type))',
    'readableActions',
  ]),
  ...of('src/domain/zone-change.ts', [
    'zone !== undefined && rights.sees(zone.id)',
    'zone !== undefined',
  ]),
  ...of('src/query/search-queries.ts', [
    'part.has(owner, type) && text.isFoundAs(',
    'text.isFoundAs(',
  ]),
  ...of(
    `${view}/zones.ts`,
    [
      "stored.length === limit || !this.rights.everywhere('zone:create')",
      'stored.length === limit',
    ],
    [
      'return readsAll ? found : { ...found, completeTo: null, deletedFrom: null };',
      'return found;',
    ],
  ),
  ...of('src/http/zones.ts', ['seesAccess(rights) ? zone.rolesLost : null', 'zone.rolesLost']),
  ...of('src/query/blame-queries.ts', ['(readable.isAll || readable.has(owner, type)) &&', none]),
  ...of(
    'src/domain/lint.ts',
    [
      "isStorable(type) && this.#rights.onRecord('record:read', id, owner, type);",
      'isStorable(type);',
    ],
    ['zone === undefined || !this.#rights.sees(zone.id)', 'zone === undefined'],
    ["if (!this.#rights.onRecord('record:read', id, emptyName, rrtype.NS)) return [];", none],
    ["if (!this.#rights.onRecord('record:read', parent.zone.id, cut, rrtype.NS)) return [];", none],
  ),
  ...of(`${view}/explain.ts`, [
    'isManager ? access.tokenByName(name)?.id : undefined',
    'access.tokenByName(name)?.id',
  ]),
];
