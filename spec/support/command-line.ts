/**
 * The command line in this process: what it writes and its exit code, with a terminal, environment
 * and configuration of the test's own.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { runCli } from '../../src/cli/run.ts';
import type { CliServices } from '../../src/cli/environment.ts';
import { loadConfig, printConfig, settingsOf } from '../../src/daemon/config.ts';
import { examineDeployment, examineForStart } from '../../src/daemon/config-examination.ts';
import { createApp } from '../../src/http/app.ts';
import type { Services } from '../../src/http/services.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly env?: Record<string, string>;
  readonly stdin?: string;
  /** Done while standard input is waited for. */
  readonly meanwhile?: () => Promise<unknown>;
  readonly terminal?: boolean;
  /** Of the terminal; unknown when left out. */
  readonly columns?: number;
  readonly dataDir?: string;
  readonly serve?: CliServices['serve'];
}

export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { env = {}, stdin = '', terminal = false, columns, dataDir } = options;
  let out = '';
  let err = '';
  const code = await runCli(args, {
    version: '1.2.3',
    env,
    stdin: (async function* () {
      await options.meanwhile?.();
      yield Buffer.from(stdin);
    })(),
    stdout: {
      columns,
      write(text) {
        out += text;
      },
    },
    stderr: {
      write(text) {
        err += text;
      },
    },
    isTerminal: {
      stdin: terminal && options.stdin !== undefined,
      stdout: terminal,
      stderr: terminal,
    },
    async loadConfig(place) {
      const overrides = { dataDir: place.dataDir ?? dataDir };
      const config = loadConfig({ file: place.file, env, cwd: '/', overrides });
      return {
        configFile: config.configFile,
        dataDir: config.dataDir,
        text: printConfig(config),
        examine: () => examineDeployment(config),
        examineForStart: () => examineForStart(config),
        settings: settingsOf(config),
      };
    },
    serve: options.serve ?? (async () => 0),
  });
  return { code, out, err };
}

/** Serves an app over a local socket, or over TCP on loopback when `where` is a port. */
export function serveApp(services: Services, where: string | number): Promise<Server> {
  const app = createApp(services);
  const via = typeof where === 'string' ? 'local' : 'network';
  const listener = getRequestListener((request, env) => app.fetch(request, { ...env, via }), {
    overrideGlobalObjects: false,
  }) as RequestListener;
  const server = createServer(listener);
  return new Promise((resolve) => {
    const opened = () => resolve(server);
    if (typeof where === 'string') server.listen(where, opened);
    else server.listen(where, '127.0.0.1', opened);
  });
}
