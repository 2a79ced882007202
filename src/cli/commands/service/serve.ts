/** `serve`: runs the service in the foreground. */
import { defineCommand } from '../../command.ts';
import { flag } from '../../field.ts';

export const serve = defineCommand({
  usage: 'serve',
  summary: 'Run the service in the foreground',
  notes:
    'SIGTERM and SIGINT stop it, SIGHUP re-reads logging, notify and zone defaults. It ends with exit\n' +
    'code 70 when the thread that writes is lost: start it again, what was acknowledged is there.\n' +
    'A database that was taken back (copied, or reset with its machine) is refused with exit code 6:\n' +
    'secondaries may hold serials that it never saw. --recover begins a new epoch: every zone and the\n' +
    'catalog go on 65,536 serials beyond what is known to have been served, enabled secondaries being\n' +
    'asked, and secondaries transfer whole zones. It begins one at each start, so give it once.\n' +
    'A missing or empty database beside its key file or epoch file is refused too; --new makes one, and\n' +
    'does nothing where there is a database.\n' +
    'A key file that others than its owner and group can read is refused unless --insecure-key-file is given.',
  examples: [
    ['zonebook serve', 'with ./zonebook.toml if there is one, data in ./data'],
    ['zonebook serve --config /etc/zonebook.toml', 'with another configuration'],
    ['zonebook serve --recover', 'after an older copy of the database was put back'],
  ],
  options: {
    recover: flag('the database was taken back: begin a new epoch'),
    new: flag('make a new database where one is missing'),
    'insecure-key-file': flag('start although others can read the key file'),
  },
  where: 'host',
  run: ({ recover, new: isNew, 'insecure-key-file': insecureKeyFile }, { services, place }) =>
    services.serve({
      configFile: place.file,
      dataDir: place.dataDir,
      recover,
      isNew,
      insecureKeyFile,
    }),
});
