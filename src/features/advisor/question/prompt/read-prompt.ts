import { languageOf } from '../../../../backends/codesearch/port.ts';
import { textBefore, withoutEnd } from '../../../../foundation/kernel/text/cut-text.ts';
import { questionWordsIn, stopWords } from '../../../../foundation/kernel/text/words.ts';
import { partsOfName } from '../../../search/symbol-name.ts';
import { filePlace } from './read-trace.ts';

/** A line of a file, or the first and last one of several. */
interface PromptPlace {
  readonly path: string;
  readonly line: number;
  readonly last?: number;
}

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
  /** Lines that a stack trace, a link or the question points to. */
  readonly places: readonly PromptPlace[];
  /** The part of the product that a prefix names: `router` of `fix(router): …`. */
  readonly area?: string;
}

/** The things besides code that a prompt names. */
export interface Mentions {
  /** Identifiers of issues such as `ENG-12`, in upper case. */
  readonly issues: readonly string[];
  /** Ids of commits, complete or shortened: of a short one without "commit", some digits are letters, some are not. */
  readonly commits: readonly string[];
  readonly pulls: readonly number[];
  /** Words that may be the id of an incident. */
  readonly incidentIds: readonly string[];
  /** Names before their kind: `proxies` in "the proxies argument". */
  readonly things: readonly string[];
  /** Names that are used, changed or the like: `retry` in "what calls retry", not in "what calls the retry handler". */
  readonly used: readonly string[];
  /** Names with a capital that something happened to: `Session` in "when was Session added". */
  readonly changed: readonly string[];
}

/** Maximum length of each list; entries beyond it are the noise of pasted logs. */
const max = { terms: 64, identifiers: 16, paths: 16, phrases: 6, places: 16, mentions: 8 } as const;
/** Maximum lengths of a token, of the text in which issues and commits are looked for, and of that for other things. */
const length = { token: 200, text: 8_000, head: 400 } as const;

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

/** Lists of what a prompt has, in the order of mention and with repetitions. */
type Found = {
  readonly [List in Exclude<keyof PromptSubject, 'area'>]: NonNullable<PromptSubject[List]>[number][];
};

/** Matches a part of a text between spaces, quotation marks and brackets, without punctuation before it. */
const tokens = /[\p{L}\p{N}_/.~@#&$-][^\s(),;"'`<>[\]{}|“”‘’«»]*/gu;

/** Reads a prompt in linear time for any input: each pattern is applied to a short token, or matches a short text. */
export function readPrompt(prompt: string): PromptSubject {
  const found: Found = { terms: [], identifiers: [], paths: [], phrases: [], places: [] };
  const rest = takeQuoted(takeLinks(takePlaces(prompt, found), found), found);
  for (const { 0: token, index } of rest.matchAll(tokens)) {
    if (token.length > length.token) continue;
    const text = withoutEnd(token, '.:!?*=');
    if (looksLikePath(text)) readPath(text, found);
    else readName(text, rest[index + token.length] === '(', found);
    for (const { word } of questionWordsIn(text)) if (isTerm(word)) found.terms.push(word);
  }
  const area = areaOf(prompt);
  return {
    terms: firstOf(found.terms, max.terms, (term) => term.toLowerCase()),
    identifiers: firstOf(found.identifiers, max.identifiers),
    paths: firstOf(found.paths, max.paths),
    phrases: firstOf(found.phrases, max.phrases),
    places: firstOf(found.places, max.places, ({ path, line, last }) => `${path}:${line}-${last}`),
    ...(area === undefined ? {} : { area }),
  };
}

/** Returns the first things that differ. */
function firstOf<Thing>(
  all: readonly Thing[],
  most: number,
  keyOf: (one: Thing) => unknown = (one) => one,
): readonly Thing[] {
  return [...Map.groupBy(all, keyOf).values()].slice(0, most).map(([first]) => first!);
}

function isTerm(word: string): boolean {
  return word.length > 2 || (word.length > 1 && Number.isNaN(Number(word)));
}

/** Kinds of changes, which name no part of a product when they precede a colon. */
const changeKinds = setOf(
  'feat feature fix bug bugfix hotfix doc docs style refactor perf test tests build ci chore revert type types deps wip note todo question error warning re fwd',
);

/** Returns the prefix of a change's subject: `router` of `fix(router): …`, `tsdb` of `tsdb: …`. */
function areaOf(prompt: string): string | undefined {
  const [, prefix = '', inBrackets] =
    /^\s*([\w./-]{2,40})(?:\(([\w ,./-]{2,60})\))?!?:\s+\S/u.exec(prompt) ?? [];
  if (inBrackets !== undefined) return inBrackets;
  return prefix === '' || changeKinds.has(prefix.toLowerCase()) ? undefined : prefix;
}

/** Matches lines before their file: "lines 3-9 of src/a.ts". */
const linesBefore =
  /\blines? (\d{1,7})(?:(?:[-–]| to | and )(\d{1,7}))? (?:of|in) `?([\w@./\\-]{1,300}\.\w{1,10})\b/giu;

/** Collects files with the number of a line; returns the text with the file alone. */
function takePlaces(prompt: string, found: Found): string {
  // The hyphen that a single line leaves is no word.
  const written = prompt.replaceAll(linesBefore, '$3:$1-$2');
  return written.replaceAll(filePlace, (place, path: string, line: string, last = '0') => {
    if (!looksLikePath(path)) return place;
    readPath(path, found, { first: Number(line), last: Number(last) });
    // A quotation may end before the number.
    return `${path}${['"', '`'].find((mark) => place.includes(mark)) ?? ' '}`;
  });
}

/** Matches a link, with the path and maybe the lines of a file's page at a Git host. */
const links =
  /https?:\/\/[\w[](?:[^\s#?"'`<>)\]]*?\/(?:blob|tree|src|raw)\/(?:commit\/|branch\/)?[^/#?\s]{1,200}\/([^?#\s"'`<>)\]]+))?[^\s#"'`<>)]*(?:#L(\d+)(?:-L?(\d+))?)?/giu;

/** Collects the files that links to their pages name; returns the text without links. */
function takeLinks(prompt: string, found: Found): string {
  return prompt.replaceAll(links, (_, path = '', line = '0', last = '0') => {
    if (path !== '') readPath(path, found, { first: Number(line), last: Number(last) });
    return ' ';
  });
}

/** A quotation on one line, of at most 200 characters, between spaces or punctuation: an apostrophe starts none. */
const quotation =
  /(?<=^|[\s([{,:=])(?:`([^`\n]{1,199})`|"([^\n]{1,199}?)"|'([^\n]{1,199}?)'|“([^\n]{1,199}?)”|‘([^\n]{1,199}?)’|«([^\n]{1,199}?)»)(?=$|[\s)\]},.:;!?])/gu;

/** Collects quotations; returns the text with them as plain words, so that their words also count as terms. */
function takeQuoted(prompt: string, found: Found): string {
  return prompt.replaceAll(quotation, (_, code: string | undefined, ...others: (string | undefined)[]) => {
    const quoted = code ?? others.slice(0, 5).find((one) => one !== undefined) ?? '';
    readQuoted(quoted.trim(), code !== undefined, found);
    return ` ${quoted} `;
  });
}

/** Minimum lengths of quoted code, such as `while(1);`, and of a quoted message that are looked for as they are. */
const min = { code: 5, message: 4 } as const;

function readQuoted(text: string, isCode: boolean, found: Found): void {
  if (text.includes(' ')) {
    // A program prints `InvalidSchema: no adapter`; its source code contains only the message.
    const message = text.replace(/^[\w.]{1,80}(?:Error|Exception|[a-z][A-Z]\w{1,60}): /u, '');
    if (message.length >= min.message) found.phrases.push(message);
    return;
  }
  const name = text.slice(Number(text.startsWith('\\')), text.endsWith('()') ? -2 : undefined);
  if (isCode && /^[\w$.#:\\-]{2,80}$/u.test(name) && !looksLikePath(name)) found.identifiers.push(name);
  else if (text.length >= min.code && /[(){};=<>|&]/u.test(text)) found.phrases.push(text);
}

function readPath(text: string, found: Found, { first, last } = { first: 0, last: 0 }): void {
  const path = text.replaceAll('\\', '/').replace(/^(?:[A-Za-z]:)?(?:\.{0,2}\/)+/u, '');
  if (path === '' || path.includes('node_modules/')) return;
  found.paths.push(path);
  if (first > 0) found.places.push({ path, line: first, ...(last > first ? { last } : {}) });
}

const textEndings = new Set(['txt', 'log', 'lock', 'env', 'conf']);

/** True for a text with a slash and no space, or a file name with a known extension. */
function looksLikePath(token: string): boolean {
  // Only a drive has a colon behind it. `Monolog\Logger` is a class in a namespace of PHP.
  if (!/^(?!\/\/|\\?(?:[A-Z]\w*\\)+[A-Z]\w*$)(?:[A-Za-z]:)?[\w@.+~/\\-]+$/u.test(token)) return false;
  if (token.includes('/') || token.includes('\\'))
    return !/^(?:\w{1,3}\/\w{1,3}|http\/[\d.]+)$/iu.test(token);
  const written = token.slice(token.lastIndexOf('.') + 1);
  const ending = written.toLowerCase();
  if (ending.length === token.length || !Number.isNaN(Number(ending))) return false;
  // `Context.JSON` and `Results.Json` are members of types, `README.MD` and `plot.R` files.
  if (written.length > 1 && written !== ending && token !== token.toUpperCase()) return false;
  // A property such as `app.config` has the extension of no language, or one of a letter.
  const isOfLanguage = languageOf(token) !== 'Text' && (ending.length > 1 || 'chr'.includes(ending));
  return textEndings.has(ending) || isOfLanguage;
}

function readName(token: string, isCall: boolean, found: Found): void {
  const name = '@#$&\\'.includes(token[0] ?? ' ') ? token.slice(1) : token;
  if (!/^[A-Za-z_][\w$]*(?:(?:[.#\\]|::)[A-Za-z_][\w$]*)*$/u.test(name)) return;
  const parts = partsOfName(name);
  const last = parts.at(-1) ?? name;
  if (parts.length > 1 && !['e.g', 'i.e'].includes(name.toLowerCase()))
    found.identifiers.push(name, ...(last.length > 2 ? [last] : []));
  else if (isCall || (name.length > 2 && looksLikeCode.test(name))) found.identifiers.push(name);
}

/**
 * Matches camelCase, PascalCase of two words, snake_case and CONSTANT_CASE, which do not occur in prose. Capitals alone
 * are a name from ten letters on, such as `SSLKEYLOGFILE`: abbreviations and emphasized words are shorter.
 */
const looksLikeCode =
  /[a-z\d][A-Z]|^_+[a-z]{3}|[A-Za-z\d]_[A-Za-z\d]|^[A-Z]{2,}[a-z]{2,}|^[A-Z][A-Z\d]{9,}$/u;

/** Kinds of definitions, which a question names next to a name: "the Context struct". */
export const kindPattern =
  'argument|attribute|class|constant|enum|field|flag|function|interface|method|module|object|option|parameter|property|setting|struct|trait|type|variable';
/** Words before a kind that are no name: "the static method". */
const qualifiers =
  'new|same|whole|default|first|last|static|private|public|protected|internal|abstract|async|global|helper|exported|deprecated|env|environment';
/** Matches what follows a kind that stands before the name: "the environment variable FLASK_DEBUG". */
const nameAfter = String.raw`\s+(?:\p{Lu}|[\p{L}\p{N}]*[_.:]\p{L}|\p{Ll}+\p{Lu})`;

/** A name before the kind of thing that it is: "the Context struct", "removed proxies arguments". */
const namedKind = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.])(?:(?:[Tt]he|[Oo]ur|\w+'s|was|were|(?:add|remov|renam|dropp?|introduc|deprecat)\w*)\s+)((?!(?:${qualifiers})\b)[\p{L}_][\p{L}\p{N}_]{2,80}|(?:\p{L}+\s)?\p{Lu}[\p{L}\p{N}_]{2,80})\s+(?:${kindPattern})s?\b(?!${nameAfter})`,
  'gu',
);

/** Verbs, and nouns with a preposition, that point to a name: "what calls retry", "callers of retry". */
const pointing =
  'calls?|(?:callers|usages?|uses|references|change|sub(?:class|type)e?s|implement(?:ation|er|or)s) (?:of|to)|uses?|invokes?|imports?|reads?|references?|implements?|extends?|derives? from|depends? on|owns|maintains|changing|removing|renaming|deleting|touch(?:es)?|where is|if (?:i|we|you) (?:change|remove|rename|delete)d?';
/** Words that end the phrase of a name. After "of", the name is a plain noun: "the hold of a ship". */
const phraseEnds = [...stopWords].filter((word) => word !== 'of').join('|');
/** Such a name at the end of its phrase: not "reads the session cookie", nor "where is the buffer used for reading". */
const used = new RegExp(
  String.raw`\b(?:${pointing})\s+(?:(?:the|a|an|our|this|that)\s+)?(?:(?:${qualifiers})\s+)?(?:(?:${kindPattern}|file|component|helper|symbol|hook|(?:npm |PyPI |Go |Python )?(?:package|library|gem|crate))\s+)?\\?([\p{L}_$][\p{L}\p{N}_$.#:\\]{2,80})(?![\p{L}\p{N}_$./-])(?=\s*(?:$|[^\s\p{L}\p{N}]|(?:${phraseEnds}|${kindPattern}|files?|used|called|read|imported|referenced|invoked)(?! (?:for|to|as)\b)(?![\p{L}\p{N}])))`,
  'giu',
);

/** Beginnings of texts that look like identifiers of issues and are none. */
const standards = setOf(
  'UTF SHA MD ISO RFC CVE CWE HTTP TLS SSL AES RSA ES PEP JSR GPT X UTC GMT UCS BASE WIN IPV PY GO V',
);
/** Words for an incident. */
const incidentWords = setOf(
  'incident incidents outage outages alert alerts postmortem postmortems mortem downtime page paged',
);

/** Reads in linear time what a prompt names besides code. `asked` is the part of it that asks. */
export function readMentions(prompt: string, asked = prompt.slice(0, length.head)): Mentions {
  const text = prompt.slice(0, length.text);
  const said = [...new Set(questionWordsIn(prompt.slice(0, length.head)).map(({ word }) => word))];
  const isAboutIncident = said.some((word) => incidentWords.has(word.toLowerCase()));
  const plain = asked.replaceAll('`', '');
  return {
    issues: matches(text, /(?<![\p{L}\p{N}_/.-])([A-Z][A-Z0-9]{0,9}-\d{1,6})(?![\p{L}\p{N}_]|-\d)/gu).filter(
      (name) => !standards.has(textBefore(name, '-')),
    ),
    commits: matches(
      text,
      /((?<=\bcommits?[ /])[0-9a-f]{7,64}|(?<![\p{L}\p{N}_/.-])(?:(?=[0-9a-f]*(?:[a-f]\d|\d[a-f]))[0-9a-f]{7,64}|\d{40}))(?![\p{L}\p{N}_-])/gu,
    ),
    pulls: matches(
      text,
      /(?:\b(?:PR|pull request|MR|merge request)s?\s*#?|\/(?:pull|merge_requests)\/|(?<![\p{L}\p{N}&])#|(?<=[\w-]{3})#)(\d{1,7})\b/giu,
    ).map(Number),
    incidentIds: isAboutIncident ? said.filter((word) => /^[A-Z0-9]{6,30}$/u.test(word)) : [],
    things: namesIn(plain, namedKind),
    used: namesIn(plain, used),
    changed: namesIn(plain, /\b(?:was|were|did)\s+(?:the\s+)?(\p{Lu}[\p{L}\p{N}_$.#:\\]{2,80})/gu),
  };
}

function namesIn(text: string, pattern: RegExp): readonly string[] {
  return matches(text, pattern)
    .map((name) => withoutEnd(name.slice(name.lastIndexOf(' ') + 1), '.:#'))
    .filter((name) => !stopWords.has(name.toLowerCase()));
}

function matches(text: string, pattern: RegExp): readonly string[] {
  const found = Array.from(text.matchAll(pattern), ([, name]) => name ?? '');
  return [...new Set(found)].slice(0, max.mentions);
}
