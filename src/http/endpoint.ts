/** Endpoints: a route of the contract together with the handler that serves it. */
import type * as contract from '../contract/route.ts';
import type { Checked } from '../contract/validate.ts';
import type { Command, OutcomeOf } from '../domain/command.ts';
import type { Answer } from './answer.ts';
import type { Caller } from './authenticate.ts';
import type { Services } from './services.ts';

/** A request that passed every check of its shape. */
export class CheckedRequest<Parameter extends string, Query, Body> {
  readonly params: Readonly<Record<Parameter, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  readonly #requestId: string;
  readonly #engine: Services['engine'];

  constructor(
    parts: { params: Record<Parameter, string>; query: Query; body: Body },
    caller: Caller,
    requestId: string,
    engine: Services['engine'],
  ) {
    this.params = parts.params;
    this.query = parts.query;
    this.body = parts.body;
    this.caller = caller;
    this.#requestId = requestId;
    this.#engine = engine;
  }

  /** Hands a command to the engine on the caller's behalf. */
  submit<C extends Command>(command: C, dryRun: boolean): Promise<OutcomeOf<C>> {
    const { source, actor } = this.caller;
    return this.#engine.submit(command, { source, actor, requestId: this.#requestId, dryRun });
  }
}

type AnyRequest = CheckedRequest<string, unknown, unknown>;

export interface Endpoint {
  readonly route: contract.Route;
  handle(request: AnyRequest, services: Services): Answer | Promise<Answer>;
}

/** Ties a handler to its route; the route's schemas give the handler its types. */
export function endpoint<
  Path extends string,
  Query extends contract.ObjectSchema,
  Body extends contract.ObjectSchema,
>(
  route: contract.Route<Path, Query, Body>,
  handle: (
    request: CheckedRequest<contract.PathParameter<Path>, Checked<Query>, Checked<Body>>,
    services: Services,
  ) => Answer | Promise<Answer>,
): Endpoint {
  return { route: route as unknown as contract.Route, handle: handle as Endpoint['handle'] };
}
