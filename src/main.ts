/**
 * The program: arguments to the command line, its exit code to the process; nothing else.
 *
 * The daemon is loaded by the commands that need it, so that clients start fast.
 */
import { runCli } from './cli/run.ts';
import type { CliServices } from './cli/services.ts';
import { processSurroundings } from './cli/surroundings.ts';
import { version } from './daemon/version.ts';

const services: CliServices = {
  ...processSurroundings(),
  version,
  async loadConfig({ file, dataDir }) {
    const [{ loadConfig }, { printConfig, valueAt }, { configKeys }] = await Promise.all([
      import('./daemon/config.ts'),
      import('./daemon/config-print.ts'),
      import('./daemon/config-keys.ts'),
    ]);
    const config = loadConfig({ file, overrides: { dataDir } });
    return {
      configFile: config.configFile,
      dataDir: config.dataDir,
      text: printConfig(config),
      settings: Object.fromEntries(configKeys.map(({ path }) => [path, valueAt(config, path)])),
    };
  },
  async serve(options) {
    const { serve } = await import('./daemon/serve.ts');
    return serve(options);
  },
};

// Without an await at the top level, which the executable's kind of module does not know.
void runCli(process.argv.slice(2), services).then((code) => {
  process.exitCode = code;
});
