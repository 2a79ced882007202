/**
 * The console: one page for every address below its path, and the files that it names. The page does what the HTTP
 * interface does, with the rights of its session; nothing here knows of zones.
 */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { Memory } from '../base/memory.ts';
import { Problem } from '../base/problem.ts';
import type { Answer } from './answer.ts';
import { basePlaceholder, type ConsoleFiles, consoleFilesOnce } from './console-files.ts';
import { headerOf, type HttpContext } from './request-source.ts';

/** Nothing but this service is asked, and no text of a record ever becomes markup. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const pageHeaders = {
  'Content-Security-Policy': contentPolicy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), clipboard-write=(self)',
};

const fileHeaders = { 'Cache-Control': 'max-age=31536000, immutable', Vary: 'Accept-Encoding' };

const mediaTypes: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
};

type Encoding = 'br' | 'gzip';

export class ConsolePages {
  /** Where it is served. */
  readonly #base: string;
  readonly #files: () => Promise<ConsoleFiles>;
  readonly #compressed = new Memory<string, Buffer>();

  constructor(base: string, files: () => Promise<ConsoleFiles> = consoleFilesOnce()) {
    this.#base = base;
    this.#files = files;
  }

  /** The answer to a path at or below that of the console. */
  async answer(context: HttpContext): Promise<Answer> {
    const { page, files } = await this.#found();
    const name = context.req.path.slice(this.#base.length + 1);
    const content = Object.hasOwn(files, name) ? files[name] : undefined;
    if (content === undefined) {
      return {
        status: 200,
        mediaType: 'text/html; charset=utf-8',
        body: page.replaceAll(basePlaceholder, this.#base),
        headers: pageHeaders,
      };
    }
    const mediaType = mediaTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain';
    const encoding = encodingOf(headerOf(context, 'accept-encoding') ?? '');
    if (encoding === undefined) {
      return { status: 200, mediaType, body: [content], headers: fileHeaders };
    }
    const coded = `${name}.${encoding}`;
    const body = files[coded] ?? this.#compressed.of(coded, () => compressed(content, encoding));
    const headers = { ...fileHeaders, 'Content-Encoding': encoding };
    return { status: 200, mediaType, body: [body], headers };
  }

  /** In a checkout without the packages of development there is nothing to make the page with. */
  async #found(): Promise<ConsoleFiles> {
    try {
      return await this.#files();
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
      throw new Problem(
        'ENDPOINT_NOT_FOUND',
        'the console is made by esbuild, which is not installed: run npm start, or the executable',
      );
    }
  }
}

/** The first page of the service: a browser is led to the console. */
export function leadTo(path: string): Answer {
  const headers = { Location: path };
  return { status: 302, mediaType: 'text/plain; charset=utf-8', body: '', headers };
}

/** Whether a person opened the address, and not a program. */
export function wantsPage(context: HttpContext): boolean {
  return headerOf(context, 'accept')?.includes('text/html') ?? false;
}

/** The better of those that a browser takes; weights are left to it. */
function encodingOf(accepted: string): Encoding | undefined {
  const names = accepted.split(',').map((each) => each.split(';')[0]!.trim());
  return (['br', 'gzip'] as const).find((each) => names.includes(each));
}

function compressed(content: Buffer, encoding: Encoding): Buffer {
  if (encoding === 'gzip') return gzipSync(content, { level: 9 });
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  return brotliCompressSync(content, { params });
}
