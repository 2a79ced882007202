/** `config check`: whether the configuration can be used; exit code 6 when not. */
import { defineCommand } from '../../command.ts';
import { isConfigError } from '../../services.ts';

export const configCheck = defineCommand({
  usage: 'check',
  summary: 'Check the configuration: file, environment and arguments',
  examples: [['zonebook config check --config zonebook.toml', 'everything wrong with it at once']],
  notes:
    'Beside each key by itself it looks at the files of TLS, at whether two listeners want one port, and for\n' +
    'ports that are 0, with which the service starts and nobody knows where it listens.',
  where: 'host',
  async run(_, context) {
    try {
      const { configFile, dataDir, examine } = await context.config();
      examine();
      const answer = { usable: true, config_file: configFile ?? null, data_dir: dataDir };
      await context.output.show(answer, () => {
        return `the configuration is usable (${configFile ?? 'built-in defaults'})`;
      });
    } catch (error) {
      if (isConfigError(error) && context.output.format !== 'table') {
        await context.output.show({ usable: false, problems: error.problems }, () => '');
      }
      throw error;
    }
  },
});
