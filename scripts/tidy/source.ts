/**
 * TypeScript source, read just well enough for the house rules: code told apart from comments and
 * text, and what a file imports. It is no parser; source that does not compile may fool it.
 */

export interface SourceFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly specifier: string;
  readonly line: number;
}

/** Signs and words after which a slash starts a regular expression and divides nothing. */
const beforeRegex = /^(?:|[(,=:[!&|?{};+\-*%<>~^]|return|typeof|case|in|of|do|else|await)$/;

/** From one position of a text to another. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A source taken apart. */
export interface Parts {
  /** The code alone, as `codeOnly` gives it. */
  readonly code: string;
  readonly comments: readonly Range[];
  /** What stands between the quotes of strings, and in templates between expressions. */
  readonly strings: readonly Range[];
}

/**
 * The source with the contents of comments, strings, templates and regular expressions replaced by
 * spaces. Delimiters, lines and positions stay, so that a match here can be looked up in the text.
 */
export function codeOnly(text: string): string {
  return partsOf(text).code;
}

export function partsOf(text: string): Parts {
  const comments: Range[] = [];
  const strings: Range[] = [];
  // By 16-bit units, not by characters: positions must be those of the text.
  const out = text.split('');
  /** Depth of braces inside each template expression that is open. */
  const templates: number[] = [];
  let at = 0;
  /** The last word or sign of code before `at`, which tells a division from a regular expression. */
  let last = '';

  function blank(from: number, to: number): void {
    for (let i = from; i < to && i < out.length; i++) if (out[i] !== '\n') out[i] = ' ';
  }

  /** Skips to the end of a template's text: its closing backtick or the next expression. */
  function skipTemplate(): void {
    const start = at;
    while (at < text.length && text[at] !== '`' && !text.startsWith('${', at)) {
      at += text[at] === '\\' ? 2 : 1;
    }
    blank(start, at);
    strings.push({ start, end: at });
    if (text[at] === '`') at++;
    else {
      at += 2;
      templates.push(0);
    }
  }

  while (at < text.length) {
    const character = text[at]!;
    if (text.startsWith('//', at) || (at === 0 && text.startsWith('#!'))) {
      const end = text.indexOf('\n', at);
      const stop = end < 0 ? text.length : end;
      comments.push({ start: at, end: stop });
      blank(at, stop);
      at = stop;
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      const stop = end < 0 ? text.length : end + 2;
      comments.push({ start: at, end: stop });
      blank(at, stop);
      at = stop;
    } else if (character === "'" || character === '"') {
      const start = ++at;
      while (at < text.length && text[at] !== character && text[at] !== '\n') {
        at += text[at] === '\\' ? 2 : 1;
      }
      strings.push({ start, end: at });
      blank(start, at++);
      last = character;
    } else if (character === '`') {
      at++;
      skipTemplate();
      last = '`';
    } else if (character === '/' && beforeRegex.test(last)) {
      const start = ++at;
      let inClass = false;
      while (at < text.length && text[at] !== '\n' && (inClass || text[at] !== '/')) {
        if (text[at] === '[') inClass = true;
        else if (text[at] === ']') inClass = false;
        at += text[at] === '\\' ? 2 : 1;
      }
      blank(start, at++);
      last = '/';
    } else {
      if (templates.length > 0) {
        const depth = templates.length - 1;
        if (character === '{') templates[depth]!++;
        else if (character === '}' && templates[depth] === 0) {
          templates.pop();
          at++;
          skipTemplate();
          last = '`';
          continue;
        } else if (character === '}') templates[depth]!--;
      }
      const word = /[\w$]/.test(character);
      if (/\S/.test(character)) {
        const goesOn = word && /[\w$]/.test(text[at - 1] ?? '');
        last = goesOn ? last + character : character;
      }
      at++;
    }
  }
  return { code: out.join(''), comments, strings };
}

const importForms = [
  /\b(?:import|export)\b(?:\s+type\b)?[\s\w{},*$]*?\bfrom\s*(["'])/g,
  /\bimport\s*\(?\s*(["'])/g,
  /\bnew\s+URL\s*\(\s*(["'])(?=[^"']*["']\s*,\s*import\.meta\.url)/g,
];

/** Every module that a file names: imports of values and types, re-exports, `import()`, worker files. */
export function importsOf(text: string, code = codeOnly(text)): Import[] {
  const found = new Map<number, Import>();
  for (const [index, form] of importForms.entries()) {
    for (const match of code.matchAll(form)) {
      const start = match.index + match[0].length;
      const end = code.indexOf(match[1]!, start);
      const specifier = text.slice(start, end);
      // A URL names a module only when it names a source file; others are assets and folders.
      if (index === 2 && !specifier.endsWith('.ts')) continue;
      found.set(start, { specifier, line: lineAt(text, start) });
    }
  }
  return [...found.entries()].sort(([a], [b]) => a - b).map(([, each]) => each);
}

/** The line of a position, counted from 1. */
export function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) {
    line++;
  }
  return line;
}
