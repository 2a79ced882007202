/** The configuration: whether the service could start with it. */
import { problemOfSocketPath } from '../../base/socket-path.ts';
import type { Context } from '../command.ts';
import { configFileOf } from '../config-file.ts';
import { isConfigError, type LoadedConfig } from '../services.ts';
import { type Findings, fail, ok } from './finding.ts';

const check = 'configuration';

/** Returns the configuration when it can be used. */
export async function* checkConfiguration(context: Context): Findings<LoadedConfig | undefined> {
  let config: LoadedConfig;
  try {
    config = await context.config();
  } catch (error) {
    if (!isConfigError(error)) throw error;
    const file = configFileOf(context.place, context.services);
    const where = file === undefined ? '' : ` (in ${file}, the environment or an argument)`;
    for (const { key, problem, allowed } of error.problems) {
      yield fail(check, `${key}: ${problem}${where}`, `allowed: ${allowed}`);
    }
    return undefined;
  }
  const tooLong = problemOfSocketPath(config.dataDir);
  if (tooLong !== undefined) {
    yield fail(check, `${tooLong.key}: ${tooLong.problem}`, `allowed: ${tooLong.allowed}`);
    return undefined;
  }
  const source = config.configFile ?? 'no file, so the built-in defaults and variables';
  yield ok(check, `usable: ${source}; data_dir ${config.dataDir}`);
  return config;
}
