/** Secondaries, what they transferred and what they serve (interface 2.6 and 4.4). */
import {
  comparedProbe,
  servedCheck,
  secondary as secondarySchema,
  secondaryCheck,
  secondaryRoutes,
  secondaryState,
  secondaryStates,
  secondaryTransfers,
} from '../contract/secondaries.ts';
import { limits } from '../base/limits.ts';
import { json } from './answer.ts';
import { endpoints } from './endpoint.ts';
import { presenter, presentList } from './fields.ts';

const presentSecondary = presenter(secondarySchema);
const presentCheck = presenter(secondaryCheck);
const presentTransfers = presenter(secondaryTransfers);
const presentServed = presenter(servedCheck);
const presentState = presenter(secondaryState);
const presentZonesBehind = presenter(secondaryStates.entries.zones);
export const presentProbe = presenter(comparedProbe);

/** The addresses that stand for all of a host. */
const everywhere = ['0.0.0.0', '::'];

export const secondaryEndpoints = endpoints(secondaryRoutes, {
  listSecondaries: (request) =>
    json(200, presentList(request.view.secondaries.list(request.page), request, presentSecondary)),

  async listSecondaryStates(request, { prober, options }) {
    const listed = request.view.secondaries.list(request.page);
    const { states, zones } = await prober.known(listed.items);
    const { address, port } = prober.listens;
    return json(200, {
      ...presentList({ ...listed, items: states }, request, presentState),
      zones: presentZonesBehind(zones),
      catalog_zone_name: options.catalogZoneName,
      primary: { address: everywhere.includes(address) ? null : address, port },
    });
  },

  async createSecondary(request) {
    const { secondary } = await request.submit({ kind: 'create-secondary', ...request.given });
    return json(201, { secondary: presentSecondary(secondary) });
  },

  getSecondary: ({ params, view }) =>
    json(200, { secondary: presentSecondary(view.secondaries.get(params.name)) }),

  async updateSecondary(request) {
    const { name } = request.params;
    const command = { kind: 'update-secondary', name, ...request.given } as const;
    const { secondary } = await request.submit(command);
    return json(200, { secondary: presentSecondary(secondary) });
  },

  async deleteSecondary(request) {
    const { name } = request.params;
    const { secondary } = await request.submit({ kind: 'delete-secondary', name });
    return json(200, { message: `secondary '${secondary.name}' deleted` });
  },

  async checkSecondary({ params, query, view }, { prober, jobs }) {
    const secondary = view.secondaries.managed(params.name);
    if (query.zone !== undefined) {
      const zone = view.zones.whole(query.zone);
      const report = await jobs.servedChecks.check(secondary, zone);
      return json(
        200,
        presentServed({
          zone: zone.name,
          content: report.result,
          refused: report.isRefused,
          ...report,
        }),
      );
    }
    const found = await prober.check(secondary);
    const differing = jobs.servedChecks.differingAt(secondary.address);
    const contentDiffers = view.zones.wholeNames(differing).slice(0, limits.servedRrsets);
    return json(200, presentCheck({ secondary, ...found, contentDiffers }));
  },

  async listTransfers({ params, query, view }) {
    const { zone_name: zoneName, limit } = query;
    const { secondary, summary, entries } = await view.secondaries.transfers(
      params.name,
      zoneName,
      limit,
    );
    const { name: secondaryName, address } = secondary;
    return json(200, presentTransfers({ secondaryName, address, summary, transfers: entries }));
  },
});
