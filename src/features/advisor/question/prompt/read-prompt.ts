import { languageOf } from '../../../../backends/codesearch/port.ts';
import { withoutEnd } from '../../../../foundation/kernel/text/cut-text.ts';
import { stopWords } from '../../../../foundation/kernel/text/words.ts';
import { filePlace } from './read-trace.ts';

/** The subject of a prompt. Each list is without duplicates, in the order of first mention. */
export interface PromptSubject {
  /** Words as written, without stop words; includes the words of identifiers. */
  readonly terms: readonly string[];
  /** Names as written in code. */
  readonly identifiers: readonly string[];
  /** Paths and file names, without a leading slash. */
  readonly paths: readonly string[];
  /** Quoted text of several words. */
  readonly phrases: readonly string[];
  /** Lines that a stack trace or a link points to. */
  readonly places: readonly { readonly path: string; readonly line: number }[];
  /** The part of the product that a prefix names: `router` of `fix(router): …`. */
  readonly area?: string;
}

/** Maximum length of each list; entries beyond it are the noise of pasted logs. */
const max = { terms: 64, identifiers: 16, paths: 16, phrases: 6, places: 16 } as const;
/** Number of characters in which a message without quotes is looked for. */
const maxAsked = 400;
const maxTokenLength = 200;

/** Lists of what a prompt mentions, in the order of mention and with repetitions. */
type Found = { readonly [List in keyof typeof max]: PromptSubject[List][number][] };

/** Reads a prompt in linear time for any input: each pattern is applied to a short token, or matches a short text. */
export function readPrompt(prompt: string): PromptSubject {
  const found: Found = { terms: [], identifiers: [], paths: [], phrases: [], places: [] };
  const rest = takeQuoted(takePlaces(prompt, found), found);
  for (const token of rest.split(/\s+/u)) readToken(token, found);
  const [, message] = askedMessage.exec(prompt.slice(0, maxAsked)) ?? [];
  if (message !== undefined && found.phrases.length === 0) found.phrases.push(message);
  const area = areaOf(prompt);
  return {
    terms: firstOf(found.terms, max.terms, (term) => term.toLowerCase()),
    identifiers: firstOf(found.identifiers, max.identifiers),
    paths: firstOf(found.paths, max.paths),
    phrases: firstOf(found.phrases, max.phrases),
    places: firstOf(found.places, max.places, ({ path, line }) => `${path}:${line}`),
    ...(area === undefined ? {} : { area }),
  };
}

/** Returns the first things that differ. */
function firstOf<Thing>(
  all: readonly Thing[],
  most: number,
  keyOf: (one: Thing) => unknown = (one) => one,
): readonly Thing[] {
  const groups = [...Map.groupBy(all, keyOf).values()];
  return groups.slice(0, most).map(([first]) => first!);
}

/** A message without quotes, of which a prompt asks where it comes from: its first word is in capitals. */
const askedMessage =
  // bounded: at most 400 characters (the beginning of the prompt)
  /\b[Ww]here\b[^?\n]{0,60}?\s([A-Z][A-Z_]{2,40}\s[^?\n]{12,300}?)\s(?:comes?|coming|raised|thrown|returned|sent|logged|printed|reported|emitted)\b/u;

/** Kinds of changes, which name no part of a product when they precede a colon. */
const changeKinds = new Set(
  `feat feature fix bug bugfix hotfix doc docs style refactor perf test tests build ci chore revert type types deps wip
  note todo question error warning re fwd`.split(/\s+/u),
);

/** Returns the prefix of a change's subject: `router` of `fix(router): …`, `tsdb` of `tsdb: …`. */
function areaOf(prompt: string): string | undefined {
  const [, prefix = '', inBrackets] =
    /^\s*([\w./-]{2,40})(?:\(([\w ,./-]{2,60})\))?!?:\s+\S/u.exec(prompt) ?? [];
  if (inBrackets !== undefined) return inBrackets;
  return prefix === '' || changeKinds.has(prefix.toLowerCase()) ? undefined : prefix;
}

/** A quotation on one line, of at most 200 characters, between spaces or punctuation: an apostrophe starts none. */
const quotation =
  /(?<=^|[\s([{,:=])(?:`([^`\n]{1,199})`|"([^\n]{1,199}?)"|'([^\n]{1,199}?)'|“([^\n]{1,199}?)”|‘([^\n]{1,199}?)’|«([^\n]{1,199}?)»)(?=$|[\s)\]},.:;!?])/gu;

/** Collects quotations; returns the text with them as plain words, so that their words also count as terms. */
function takeQuoted(prompt: string, found: Found): string {
  return prompt.replaceAll(quotation, (_, code: string | undefined, ...others: (string | undefined)[]) => {
    const quoted = code ?? others.slice(0, 5).find((one) => one !== undefined) ?? '';
    readQuoted(quoted, code !== undefined, found);
    return ` ${quoted} `;
  });
}

/** Collects files with the number of a line; returns the text with the file alone. */
function takePlaces(prompt: string, found: Found): string {
  return prompt.replaceAll(filePlace, (place, path: string, line: string) => {
    if (!looksLikePath(path)) return place;
    readPath(path, Number(line), found);
    // Python closes a quotation before the number.
    return place.includes('"') ? `${path}"` : `${path} `;
  });
}

/** Minimum length of quoted code, such as `while(1);`, that is looked for as it is. */
const minCode = 5;

function readQuoted(quoted: string, isCode: boolean, found: Found): void {
  const text = quoted.trim();
  if (/\s/u.test(text)) {
    // A program prints `InvalidSchema: no adapter`; its source code contains only the message.
    const message = text.replace(/^[\w.]{1,80}(?:Error|Exception|[a-z][A-Z]\w{1,60}): /u, '');
    if (message.length >= 4) found.phrases.push(message);
    return;
  }
  const name = (text.endsWith('()') ? text.slice(0, -2) : text).replace(/^\\/u, '');
  if (isCode && /^[\w$.#:\\-]{2,80}$/u.test(name) && !looksLikePath(name)) found.identifiers.push(name);
  else if (text.length >= minCode && /[(){};=<>|&]/u.test(text)) found.phrases.push(text);
}

function readToken(raw: string, found: Found): void {
  if (raw === '' || raw.length > maxTokenLength * 2) return;
  if (/^\W?https?:\/\/[\w[]/iu.test(raw)) return readLink(raw, found);
  for (const piece of raw.split(/[(),;"'`<>[\]{}|“”‘’«»]+/u)) {
    const token = withoutEnd(piece.replace(/^[.:!?*#=]+(?=[\w/])/u, ''), '.:!?*=');
    if (token.length < 2 || token.length > maxTokenLength) continue;
    if (looksLikePath(token)) readPath(token, 0, found);
    else readName(token, raw.includes(`${token}(`), found);
    readWords(token, found);
  }
}

/** Reads a link. A link to a Git host's file page contains a path and maybe a line; other links are ignored. */
function readLink(link: string, found: Found): void {
  const [, path = '', line] =
    /\/(?:blob|tree|src|raw)\/(?:commit\/|branch\/)?[^/]+\/([^?#\s)>\]]+)(?:[^#]*#L(\d+))?/u.exec(link) ?? [];
  if (path !== '') readPath(path, Number(line ?? 0), found);
}

function readPath(text: string, line: number, found: Found): void {
  const path = text.replaceAll('\\', '/').replace(/^(?:[A-Za-z]:)?(?:\.{0,2}\/)+/u, '');
  if (path === '' || path.includes('node_modules/')) return;
  found.paths.push(path);
  if (line > 0) found.places.push({ path, line });
}

/** True for a text with a slash and no space, or a file name with a known extension. */
function looksLikePath(token: string): boolean {
  // Only a drive has a colon behind it.
  if (!/^(?:[A-Za-z]:)?[\w@.+~/\\-]+$/u.test(token) || token.startsWith('//')) return false;
  if (classOfNamespace.test(token)) return false;
  if (/[/\\]/u.test(token)) return !/^(?:\w{1,3}\/\w{1,3}|http\/[\d.]+)$/iu.test(token);
  const [, extension = ''] = /\.([A-Za-z]\w{0,9})$/u.exec(token) ?? [];
  // A property such as `app.config` has the extension of no language, or one of a letter.
  const isOfLanguage = languageOf(token) !== 'Text' && (extension.length > 1 || 'chr'.includes(extension));
  return extension !== '' && (textExtensions.has(extension.toLowerCase()) || isOfLanguage);
}

/** Matches a class in a namespace of PHP: `Monolog\Logger`. */
const classOfNamespace = /^\\?(?:[A-Z]\w*\\)+[A-Z]\w*$/u;

const textExtensions = new Set(['txt', 'log', 'lock', 'env', 'conf']);

function readName(token: string, isCall: boolean, found: Found): void {
  const name = token.replace(/^[@$#\\]+/u, '');
  if (!/^[A-Za-z_][\w$]*(?:(?:[.#\\]|::)[A-Za-z_][\w$]*)*$/u.test(name)) return;
  const parts = name.split(/[.#\\]|::/u);
  const last = parts.at(-1) ?? name;
  if (parts.length > 1 && !['e.g', 'i.e'].includes(name.toLowerCase())) {
    found.identifiers.push(name);
    if (last.length > 2) found.identifiers.push(last);
  } else if (isCall || (name.length > 2 && looksLikeCode.test(name))) {
    found.identifiers.push(name);
  }
}

/**
 * Matches camelCase, PascalCase of two words, snake_case and CONSTANT_CASE, which do not occur in prose. Capitals alone are a
 * name from ten letters on, such as `SSLKEYLOGFILE`: abbreviations and emphasized words are shorter.
 */
const looksLikeCode =
  /[a-z\d][A-Z]|^_+[a-z]{3}|[A-Za-z\d]_[A-Za-z\d]|^[A-Z]{2,}[a-z]{2,}|^[A-Z][A-Z\d]{9,}$/u;

function readWords(token: string, found: Found): void {
  for (const word of token.split(/[^\p{L}\p{N}_$]+/u)) {
    // Prose has plurals and verbs of names in capitals: `URLs`, "someone POSTs".
    const term = word.replace(/^(\p{Lu}{2,})s$/u, '$1');
    const key = term.toLowerCase();
    if (key.length > 1 && !/^\d{1,2}$/u.test(word) && !stopWords.has(key)) found.terms.push(term);
  }
}
