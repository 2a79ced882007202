/** `serve`: runs the service in the foreground. */
import { defineCommand } from '../../command.ts';

export const serve = defineCommand({
  usage: 'serve',
  summary: 'Run the service in the foreground',
  notes: 'SIGTERM and SIGINT stop it, SIGHUP re-reads logging, notify and zone defaults.',
  examples: [
    ['zonebook serve', 'with ./zonebook.toml if there is one, data in ./data'],
    ['zonebook serve --config /etc/zonebook.toml', 'with another configuration'],
  ],
  where: 'host',
  run: (_, { services, place }) =>
    services.serve({ configFile: place.file, dataDir: place.dataDir }),
});
