/** Endpoints: a route of the contract together with the handler that serves it. */
import { Problem } from '../base/problem.ts';
import type * as contract from '../contract/route.ts';
import type { Checked } from '../contract/validate.ts';
import type { Command, OutcomeOf } from '../domain/command.ts';
import type { Zone } from '../domain/zone.ts';
import type { SubmitOptions } from '../engine/submission.ts';
import type { Answer } from './answer.ts';
import type { Caller } from './authenticate.ts';
import type { Expected } from './entity-tag.ts';
import type { HandlerServices } from './services.ts';
import type { CallerView } from './view/view.ts';

/** A request that passed every check of its shape. */
export class CheckedRequest<Parameter extends string, Query, Body> {
  readonly params: Readonly<Record<Parameter, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  /** What is stored, as far as the caller may know of it. */
  readonly view: CallerView;
  readonly #requestId: string;
  readonly #engine: HandlerServices['engine'];
  /** What If-Match asks for: any of these. */
  readonly #ifMatch: readonly Expected[] | undefined;

  constructor(
    parts: {
      params: Record<Parameter, string>;
      query: Query;
      body: Body;
      ifMatch?: readonly Expected[] | undefined;
    },
    caller: Caller,
    view: CallerView,
    requestId: string,
    engine: HandlerServices['engine'],
  ) {
    this.params = parts.params;
    this.query = parts.query;
    this.body = parts.body;
    this.#ifMatch = parts.ifMatch;
    this.caller = caller;
    this.view = view;
    this.#requestId = requestId;
    this.#engine = engine;
  }

  /** Hands a command to the engine on the caller's behalf. */
  submit<C extends Command>(command: C, dryRun: boolean): Promise<OutcomeOf<C>> {
    return this.#engine.submit(command, this.submitOptions(dryRun));
  }

  /** What the engine is told of this request. */
  submitOptions(dryRun: boolean): SubmitOptions {
    const { source, actor } = this.caller;
    const options = { source, actor, requestId: this.#requestId, dryRun };
    return this.#ifMatch === undefined ? options : { ...options, ifMatch: this.#ifMatch };
  }

  /** Refuses early what the engine would refuse, where much would be read before it is asked. */
  requireMatch(zone: Zone | undefined): void {
    const expected = this.#ifMatch;
    if (expected === undefined) return;
    if (expected.some(({ zoneId, serial }) => zone?.id === zoneId && zone.serial === serial))
      return;
    const now = zone === undefined ? 'is not there' : `is at serial ${zone.serial} now`;
    throw new Problem('PRECONDITION_FAILED', `the zone ${now}; read it again`);
  }
}

type AnyRequest = CheckedRequest<string, unknown, unknown>;

export interface Endpoint {
  readonly route: contract.Route;
  handle(request: AnyRequest, services: HandlerServices): Answer | Promise<Answer>;
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
    services: HandlerServices,
  ) => Answer | Promise<Answer>,
): Endpoint {
  return { route: route as unknown as contract.Route, handle: handle as Endpoint['handle'] };
}
