import { languageOf } from '../../backends/codesearch/port.ts';
import { stopWords } from './stop-words.ts';

/** What a prompt speaks of, each list without repeats, in the order of its first mention. */
export interface PromptSubject {
  /** Words without stop words, as written; those of identifiers too. */
  readonly terms: readonly string[];
  /** Names as written in code. */
  readonly identifiers: readonly string[];
  /** Paths and file names, without a leading slash. */
  readonly paths: readonly string[];
  /** Quoted text of several words. */
  readonly phrases: readonly string[];
  /** Lines that a stack trace or a link points at. */
  readonly places: readonly { readonly path: string; readonly line: number }[];
}

/** Subjects past these are the noise of pasted logs. */
const most = { terms: 64, identifiers: 16, paths: 16, phrases: 6, places: 16 } as const;
const longestToken = 200;

/** `File "x.py", line 3` says what other traces write as `x.py:3`. */
const pythonFrame = /", line (\d{1,7})/gu;

/** Reads a prompt in linear time, however it is written: every pattern sees one short token at a time. */
export function readPrompt(prompt: string): PromptSubject {
  const found = new Found();
  const rest = takeQuoted(prompt.replaceAll(pythonFrame, ':$1"'), found);
  for (const token of rest.split(/\s+/u)) readToken(token, found);
  return found.subject();
}

/** Collects in order, without repeats, up to the limits. */
class Found {
  readonly #lists = {
    terms: new Map<string, string>(),
    identifiers: new Set<string>(),
    paths: new Set<string>(),
    phrases: new Set<string>(),
  };
  readonly #places = new Map<string, { path: string; line: number }>();

  term(word: string): void {
    const key = word.toLowerCase();
    if (key.length < 2 || stopWords.has(key) || this.#lists.terms.size >= most.terms) return;
    if (!this.#lists.terms.has(key)) this.#lists.terms.set(key, word);
  }

  add(list: 'identifiers' | 'paths' | 'phrases', text: string): void {
    if (this.#lists[list].size < most[list]) this.#lists[list].add(text);
  }

  place(path: string, line: number): void {
    if (this.#places.size < most.places && line > 0) this.#places.set(`${path}:${line}`, { path, line });
  }

  subject(): PromptSubject {
    const { terms, identifiers, paths, phrases } = this.#lists;
    return {
      terms: [...terms.values()],
      identifiers: [...identifiers],
      paths: [...paths],
      phrases: [...phrases],
      places: [...this.#places.values()],
    };
  }
}

const closing: Readonly<Record<string, string>> = {
  '"': '"',
  '`': '`',
  "'": "'",
  '“': '”',
  '‘': '’',
  '«': '»',
};
const opensQuote = /[\s([{,:=]/u;
const endsQuote = /[\s)\]},.:;!?]/u;

/** Takes quotations out and gives the text with them as plain words, so that their words count as terms too. */
function takeQuoted(prompt: string, found: Found): string {
  let from = 0;
  const rest: string[] = [];
  for (let at = 0; at < prompt.length; at++) {
    const end = endOfQuotation(prompt, at);
    if (end === undefined) continue;
    const quoted = prompt.slice(at + 1, end);
    readQuoted(quoted, prompt[at] === '`', found);
    rest.push(prompt.slice(from, at), ' ', quoted, ' ');
    from = end + 1;
    at = end;
  }
  rest.push(prompt.slice(from));
  return rest.join('');
}

/** A quotation stays on one line, is at most 200 characters long and stands free: an apostrophe opens none. */
function endOfQuotation(prompt: string, at: number): number | undefined {
  const close = closing[prompt[at] ?? ''];
  if (close === undefined || (at > 0 && !opensQuote.test(prompt[at - 1] ?? ''))) return undefined;
  for (let end = at + 2; end <= at + longestToken; end++) {
    const char = prompt[end];
    if (char === undefined || char === '\n' || prompt[at + 1] === '\n') return undefined;
    if (char !== close) continue;
    const after = prompt[end + 1];
    if (after === undefined || endsQuote.test(after)) return end;
    if (close === '`') return undefined;
  }
  return undefined;
}

function readQuoted(quoted: string, isCode: boolean, found: Found): void {
  const text = quoted.trim();
  if (/\s/u.test(text)) {
    // `InvalidSchema: no adapter` is printed so; in the code stands the message alone.
    const message = text.replace(/^[\w.]{1,80}(?:Error|Exception|[a-z][A-Z]\w{1,60}): /u, '');
    if (message.length >= 4) found.add('phrases', message);
    return;
  }
  if (isCode && /^[\w$.#:-]{2,80}(?:\(\))?$/u.test(text) && !looksLikePath(text)) {
    found.add('identifiers', text.replace(/\(\)$/u, ''));
  }
}

function readToken(raw: string, found: Found): void {
  if (raw === '' || raw.length > longestToken * 2) return;
  if (/^\W?https?:\/\//iu.test(raw)) return readLink(raw, found);
  for (const piece of raw.split(/[(),;"'`<>[\]{}|“”‘’«»]+/u)) {
    const token = piece.replace(/^[.:!?*#=]+(?=[\w/])/u, '').replace(/[.:!?*=]+$/u, '');
    if (token.length < 2 || token.length > longestToken) continue;
    const path = token.replace(/:\d+(?::\d+)?$/u, '');
    if (looksLikePath(path)) readPath(path, Number(/:(\d+)(?::\d+)?$/u.exec(token)?.[1] ?? 0), found);
    else readName(token, raw.includes(`${token}(`), found);
    readWords(token, found);
  }
}

/** A link to a Git host's file page names a path and perhaps a line; other links say nothing about code. */
function readLink(link: string, found: Found): void {
  const [, path = '', line] =
    /\/(?:blob|tree|src|raw)\/(?:commit\/|branch\/)?[^/]+\/([^?#\s)>\]]+)(?:[^#]*#L(\d+))?/u.exec(link) ?? [];
  if (path !== '') readPath(path, Number(line ?? 0), found);
}

function readPath(text: string, line: number, found: Found): void {
  const path = text.replaceAll('\\', '/').replace(/^(?:[A-Za-z]:)?(?:\.{0,2}\/)+/u, '');
  if (path === '' || path.includes('node_modules/')) return;
  found.add('paths', path);
  found.place(path, line);
}

/** Something with a slash and no space, or a file name whose ending is known. */
function looksLikePath(token: string): boolean {
  if (!/^[\w@.+~/\\:-]+$/u.test(token) || token.includes('::')) return false;
  if (/^(?:[A-Za-z]:)?[\w@.+~-]*[/\\]/u.test(token))
    return !/^(?:\w{1,3}\/\w{1,3}|and\/or|n\/a)$/iu.test(token);
  return /\.[A-Za-z]\w{0,9}$/u.test(token) && !token.includes(':') && isFileName(token);
}

/** `app.config` may be a file or a property: a language known by its ending decides, one-letter endings aside. */
function isFileName(token: string): boolean {
  const ending = token.slice(token.lastIndexOf('.') + 1);
  if (/^(?:txt|log|lock|env|conf)$/iu.test(ending)) return true;
  return languageOf(token) !== 'Text' && (ending.length > 1 || /^[\w-]+\.[chr]$/u.test(token));
}

function readName(token: string, isCall: boolean, found: Found): void {
  const name = token.replace(/^[@$#]+/u, '');
  if (!/^[A-Za-z_][\w$]*(?:(?:\.|::|#)[A-Za-z_][\w$]*)*$/u.test(name)) return;
  const parts = name.split(/\.|::|#/u);
  const last = parts.at(-1) ?? name;
  if (parts.length > 1 && !/^(?:e\.g|i\.e|etc)$/iu.test(name)) {
    found.add('identifiers', name);
    if (last.length > 2) found.add('identifiers', last);
  } else if (isCall || looksLikeCode(name)) {
    found.add('identifiers', name);
  }
}

/** camelCase, PascalCase of two humps, snake_case, CONSTANT_CASE: no word of prose is written so. */
function looksLikeCode(name: string): boolean {
  return (
    name.length > 2 &&
    (/[a-z\d][A-Z]/u.test(name) || /[A-Za-z\d]_[A-Za-z\d]/u.test(name) || /^[A-Z]{2,}[a-z]{2,}/u.test(name))
  );
}

function readWords(token: string, found: Found): void {
  for (const word of token.split(/[^\p{L}\p{N}_$]+/u)) {
    if (!/^\d{1,2}$/u.test(word)) found.term(word);
  }
}
