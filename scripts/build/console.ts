/** The files of the console as the executable has them: the script as short as it gets, and all of them compressed. */
import { brotliCompressSync, constants } from 'node:zlib';
import zopfli from '@gfx/zopfli';
import { minify } from 'terser';
import { assetsOfConsole, bundleConsole } from '../../src/http/console-files.ts';

/** By the names of the assets. */
export async function consoleAssets(root: string): Promise<Record<string, Buffer>> {
  const { page, files } = await bundleConsole(root, shrunk);
  const all = { ...files };
  for (const [name, content] of Object.entries(files)) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    all[`${name}.br`] = brotliCompressSync(content, { params });
    all[`${name}.gzip`] = Buffer.from(await zopfli.gzipAsync(content, { numiterations: 15 }));
  }
  return assetsOfConsole({ page, files: all });
}

async function shrunk(script: string): Promise<string> {
  const { code } = await minify(script, {
    module: true,
    ecma: 2020,
    compress: { passes: 2 },
    format: { comments: false },
  });
  return code!;
}
