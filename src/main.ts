/**
 * The program: arguments to the command line, its exit code to the process; nothing else.
 *
 * The daemon is loaded by the commands that need it, so that clients start fast.
 */
import { giveMemoryBack } from './base/allocator.ts';
import { type CliServices, processEnvironment } from './cli/environment.ts';
import { version } from './daemon/version.ts';

const { output, ...environment } = processEnvironment();

const services: CliServices = {
  ...environment,
  version,
  async loadConfig({ file, dataDir }) {
    const [{ loadConfig, printConfig, settingsOf }, examination] = await Promise.all([
      import('./daemon/config.ts'),
      import('./daemon/config-examination.ts'),
    ]);
    const config = loadConfig({ file, overrides: { dataDir } });
    return {
      configFile: config.configFile,
      dataDir: config.dataDir,
      text: printConfig(config),
      examine: () => examination.examineDeployment(config),
      examineForStart: () => examination.examineForStart(config),
      settings: settingsOf(config),
    };
  },
  async serve(options) {
    const { serve } = await import('./daemon/serve.ts');
    return serve(options);
  },
};

/** The version alone needs nothing of the command line: scripts ask for it, and should not wait. */
async function main(args: readonly string[]): Promise<number> {
  if (args.length === 1 && args[0] === '--version') {
    services.stdout.write(`${version}\n`);
    return 0;
  }
  if (args.includes('serve')) giveMemoryBack();
  const { runCli } = await import('./cli/run.ts');
  return runCli(args, services);
}

// The last text may turn out to be lost when all is done.
process.once('exit', (code) => {
  const problem = output.takeProblem();
  if (problem === undefined) return;
  const what =
    code === 0 ? `it is done, but not all of the answer could be output: ${problem}` : problem;
  services.stderr.write(`zonebook: ${what}\n`);
  process.exitCode = code || 1;
});

// Without an await at the top level, which the executable's kind of module does not know.
void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
