/** Endpoints: routes of the contract together with the handlers that serve them, and the requests these get. */
import type { PathParameter, Route, UnnamedRoute } from '../contract/route.ts';
import type { Checked } from '../contract/validate.ts';
import { requireReason } from '../domain/access/require.ts';
import type { Rights } from '../domain/access/rights.ts';
import type { Expectation } from '../domain/change-zones.ts';
import type { Command, OutcomeOf } from '../domain/command.ts';
import type { Zone } from '../domain/zone.ts';
import type { Why } from '../domain/why.ts';
import { requireMatch, type SubmitOptions } from '../writer/submission.ts';
import type { Page, Position } from '../projection/page.ts';
import type { Answer } from './answer.ts';
import type { Caller } from './authenticate.ts';
import type { Cursors, ListName } from './cursor.ts';
import { type Given, givenOf } from './fields.ts';
import type { Client } from './login.ts';
import type { HandlerServices } from './services.ts';
import type { CallerView } from './view/view.ts';

/** The exchange that a request is the beginning of, for an answer that goes on for long. */
export interface Exchange {
  /** A header of the request by its name in small letters. */
  header(name: string): string | undefined;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal | undefined;
  /** Aborted as well when the client leaves before it has its answer. */
  readonly ended: () => AbortSignal | undefined;
  /** Whose it is, where callers share something bounded: a token's, or an address's where none is asked for. */
  readonly owner: string;
  /** Whether its caller is let in where a token is needed; asked where everybody may ask. */
  readonly isKnown: () => Promise<boolean>;
  /** Undefined for a caller without a token. */
  readonly tokenName: string | undefined;
  /** Ends the connection, whatever is still to be sent. */
  cut(): void;
}

/** What is said of a write besides what is to be written. */
export interface Said {
  readonly ifMatch?: Expectation | undefined;
  readonly why?: Why | undefined;
  readonly allowDeletes?: number | undefined;
}

/** A request that passed every check of its shape. */
export class CheckedRequest<Parameter extends string, Query, Body> {
  readonly params: Readonly<Record<Parameter, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The page of a list that is asked for. */
  readonly page: Page;
  readonly caller: Caller;
  /** What is stored, as far as the caller may know of it. */
  readonly view: CallerView;
  /** The same by the rights of now, for what is done some time after the request came. */
  readonly viewNow: () => CallerView;
  /** Refused when its token or session has gone since. */
  readonly rightsNow: () => Rights;
  /** Undefined when its token or session has gone since. */
  readonly heldRights: () => Rights | undefined;
  readonly exchange: Exchange;
  /** True when nothing is to be written, only reported. */
  readonly dryRun: boolean;
  readonly requestId: string;
  /** Where the caller is. */
  readonly client: () => Client;
  /** True when the answer leaves out what its route names for that (`leftOut`). */
  readonly isMinimal: boolean;
  readonly #writer: HandlerServices['writer'];
  readonly #cursors: Cursors;
  readonly #logins: HandlerServices['logins'];
  readonly #route: string;
  /** What If-Match asks for. */
  readonly #ifMatch: Expectation | undefined;
  readonly #why: Why | undefined;
  readonly #allowDeletes: number | undefined;
  /** Zones by their ids, as the request left them, where its answer waits for their secondaries. */
  readonly #changed: Map<number, Zone> | undefined;

  constructor(
    parts: {
      /** The id of what is asked for. */
      route: string;
      page: Page;
      params: Record<Parameter, string>;
      query: Query;
      body: Body;
      isMinimal?: boolean;
      changed?: Map<number, Zone> | undefined;
      viewNow: () => CallerView;
      client: () => Client;
      rightsNow: () => Rights;
      heldRights: () => Rights | undefined;
      exchange: Exchange;
    } & Said,
    caller: Caller,
    view: CallerView,
    requestId: string,
    { writer, cursors, logins }: Pick<HandlerServices, 'writer' | 'cursors' | 'logins'>,
  ) {
    this.#route = parts.route;
    this.page = parts.page;
    this.params = parts.params;
    this.query = parts.query;
    this.body = parts.body;
    this.#ifMatch = parts.ifMatch;
    this.#why = parts.why;
    this.#allowDeletes = parts.allowDeletes;
    this.isMinimal = parts.isMinimal ?? false;
    this.#changed = parts.changed;
    this.caller = caller;
    this.view = view;
    this.viewNow = parts.viewNow;
    this.client = parts.client;
    this.rightsNow = parts.rightsNow;
    this.heldRights = parts.heldRights;
    this.exchange = parts.exchange;
    const { body, query } = parts as { body: MayBeDry; query: MayBeDry };
    this.dryRun = body.dry_run ?? query.dry_run ?? false;
    this.requestId = requestId;
    this.#writer = writer;
    this.#cursors = cursors;
    this.#logins = logins;
  }

  /** The fields of the body by the names of the program; null is not given. */
  get given(): Given<Body> {
    return givenOf(this.body as Body & object);
  }

  /** What the next page of the same list is asked with. */
  cursorOf(next: Position | null | undefined): string | null {
    return next ? this.#cursors.of(this.#list, next) : null;
  }

  /** Where the page before ended, of a list that has no offset. */
  get positionAfter(): Position | undefined {
    return this.#cursors.positionAfter(this.#list);
  }

  get #list(): ListName {
    const { params, query } = this;
    return { route: this.#route, params, query: query as object };
  }

  /** What the answer of a change begins with. */
  get applied() {
    return { applied: !this.dryRun, dry_run: this.dryRun };
  }

  /** The status of something new; a dry run makes nothing. */
  get created(): 200 | 201 {
    return this.dryRun ? 200 : 201;
  }

  /** Submits a command to the writer on the caller's behalf. */
  async submit<C extends Command>(command: C): Promise<OutcomeOf<C>> {
    const outcome = await this.#writer.submit(command, this.submitOptions);
    const { zone, zones = [] } = outcome as MayHaveZones;
    this.changed(...(zone === undefined ? zones.map((each) => each.zone) : [zone]));
    return outcome;
  }

  /** Notes zones that the request changed: its answer may be asked to wait for their secondaries. */
  changed(...zones: readonly (Zone | undefined)[]): void {
    if (this.dryRun) return;
    for (const zone of zones) if (zone !== undefined) this.#changed?.set(zone.id, zone);
  }

  /** What the writer has to know of this request. */
  get submitOptions(): SubmitOptions {
    const { source, actor, localUser, rights, session } = this.caller;
    const { requestId, dryRun } = this;
    const why = this.#why;
    // The writer asks as well: here much would be read before.
    requireReason(rights, { why, dryRun });
    return {
      source,
      actor,
      localUser,
      session: session && this.#logins.submittedBy(session),
      requestId,
      why,
      allowDeletes: this.#allowDeletes,
      dryRun,
      ifMatch: this.#ifMatch,
    };
  }

  /** Refuses early what the writer would refuse, where much would be read before it is asked. */
  requireMatch(zone: Zone | undefined): void {
    if (this.#ifMatch !== undefined) requireMatch(this.#ifMatch, zone);
  }
}

/** What outcomes of commands about zones have. */
interface MayHaveZones {
  readonly zone?: Zone;
  readonly zones?: readonly { readonly zone: Zone }[];
}

interface MayBeDry {
  readonly dry_run?: boolean | null;
}

type AnyRequest = CheckedRequest<string, unknown, unknown>;

export interface Endpoint {
  readonly route: Route;
  handle(request: AnyRequest, services: HandlerServices): Answer | Promise<Answer>;
}

/** The request that a route lets through: its path and its schemas give it its types. */
export type RequestOf<Served> =
  Served extends UnnamedRoute<infer Path, infer Query, infer Body>
    ? CheckedRequest<PathParameter<Path>, Checked<Query>, Checked<Body>>
    : never;

type Handlers<Routes> = {
  readonly [Id in keyof Routes]: (
    request: RequestOf<Routes[Id]>,
    services: HandlerServices,
  ) => Answer | Promise<Answer>;
};

/** Ties the routes of a resource to their handlers, of which none may be missing. */
export function endpoints<Routes extends Readonly<Record<string, Route>>>(
  routes: Routes,
  handlers: Handlers<Routes>,
): readonly Endpoint[] {
  return Object.entries(routes).map(([id, route]) => {
    return { route, handle: handlers[id as keyof Routes] as unknown as Endpoint['handle'] };
  });
}
