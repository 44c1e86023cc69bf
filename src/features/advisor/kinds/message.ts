import { type LineMatch, maxPatternLength } from '../../../backends/codesearch/port.ts';
import { shorten } from '../../../foundation/kernel/text/visible-text.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { escapePattern } from '../../search/symbol-name.ts';
import { isProductPath, lineSource, searchText, type TextSearch } from '../evidence/line-source.ts';
import { nextCall } from '../evidence/next-call.ts';
import { placeText } from '../evidence/place-source.ts';
import type { Finding, Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { fixedTexts, partsOf } from '../question/prompt/read-trace.ts';
import { inlineCode } from '../text/markdown.ts';

const max = { message: 600, fragments: 8, stated: 2, line: 200, least: 10 } as const;

/** The shares of the fixed words of a message from which a statement certainly reports it, and from which runs of words count. */
const share = { sure: 0.9, runs: 0.6 } as const;

/** A line that has fixed text of a message. */
export interface MessageLine {
  readonly repository: SearchableRepository;
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly score: number;
  /** The share of the fixed words of the message that it and the lines around it have; 0 for a comment. */
  readonly said: number;
}

/** Says that the prompt reports a failure, so that a text that is not found is worth a sentence. */
const reports =
  /\b(?:errors?|exceptions?|messages?|logs?|logged|warnings?|panics?|throws?|raises?|(?:I|we) (?:get|see|got)|fails? with|says)\b/iu;

/** Returns the error message or log line that a prompt quotes or pastes, and whether the prompt reports it as such. */
function messageIn({ prompt, subject, trace }: Inquiry['question']): Message | undefined {
  const pasted = trace?.message;
  const text = pasted ?? subject.phrases.toSorted((a, b) => b.length - a.length)[0];
  if (text === undefined || text.length < 8) return undefined;
  return {
    text: text.slice(0, max.message),
    isReported: pasted !== undefined || reports.test(prompt.slice(0, 400)),
  };
}

interface Message {
  readonly text: string;
  readonly isReported: boolean;
}

/** Answers a quoted error message or log line with the statement that reports it, in the repositories that are named. */
export async function messageAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const message = messageIn(inquiry.question);
  if (message === undefined) return undefined;
  const { named, searched, repositories } = inquiry.ranked;
  const { found, isWhole } = await linesOf(inquiry, message, named.length > 0 ? named : searched);
  const [best] = found;
  if (best === undefined) {
    const fragments = fragmentsOf(message.text).slice(0, 3).map(inlineCode).join(', ');
    if (!message.isReported || !isWhole || fragments === '') return undefined;
    const others = named.length > 0 ? repositories.filter((one) => !named.includes(one)) : [];
    const elsewhere = (await linesOf(inquiry, { ...message, isReported: false }, others)).found.find(
      isProduct,
    );
    const where =
      named.length > 0 ? `file of ${named.map(({ name }) => inlineCode(name)).join(', ')}` : 'indexed file';
    return {
      lines: [
        [`Not found: no ${where} has this message. Searched for ${fragments}.`],
        ...(elsewhere === undefined ? [] : [['Elsewhere: ', ...lineSentence(elsewhere)]]),
      ],
      isNotFound: true,
    };
  }
  const stated = found.filter(({ score }) => score === best.score).slice(0, max.stated);
  const sources = await Promise.all(
    stated.map(async (one) => lineSource(inquiry, one, 'reports the message')),
  );
  const lines = stated.map((one, index) => lineSentence(one, sources[index]));
  const name = constantOf(best.text);
  return {
    lines,
    sources: sources.filter((one) => one !== undefined),
    next: name === undefined ? [] : nextCall('find_references', { name }),
    message: message.text,
    isSure: stated.length === 1 && best.said >= share.sure && isProduct(best),
  };
}

/** Writes a line of code: its place, its text and the number of its source. */
export function lineSentence(
  { repository, path, line, text }: Omit<MessageLine, 'score' | 'said'>,
  source?: Sentence[number],
): Sentence {
  const at = placeText(repository.name, path, { first: line, last: line });
  const place = `${at}: ${inlineCode(shorten(text.trim(), max.line))}`;
  return source === undefined ? [place] : [`${place} `, source];
}

/** Finds the lines that report a message, the best first: those that raise, in the product, with most of its words. */
export async function linesOf(
  inquiry: Inquiry,
  { text, isReported }: Message,
  repositories: readonly SearchableRepository[],
): Promise<FoundLines> {
  if (repositories.length === 0) return { found: [], isWhole: true };
  const whole = await searchAll(inquiry, text, {
    repositories,
    texts: fragmentsOf(text).slice(0, max.fragments),
  });
  const pattern = patternOf(text);
  const between =
    whole.found.length > 0 || pattern === undefined
      ? whole
      : await searchAll(inquiry, text, { repositories, texts: [pattern], form: 'pattern' });
  // Runs of a few words say little, unless the prompt reports a message.
  if (between.found.length > 0 || !isReported) return between;
  const runs = await searchAll(inquiry, text, { repositories, texts: windowsOf(text) });
  return { ...runs, found: runs.found.filter((one) => one.said >= share.runs && isProduct(one)) };
}

export function isProduct({ path }: { readonly path: string }): boolean {
  return isProductPath(path);
}

interface FoundLines {
  readonly found: readonly MessageLine[];
  /** False if a search was refused or cut short. */
  readonly isWhole: boolean;
}

/** Returns the parts of a message that code may contain as written, the longest first. */
function fragmentsOf(message: string): readonly string[] {
  const parts = partsOf(message);
  const text = message.trim();
  return parts.length > 0 || text.length > 80 ? parts : [text];
}

/** Returns a pattern of a message with any values, such as `Exceeded .{0,80} redirects`; none if too little or too much is fixed. */
function patternOf(message: string): string | undefined {
  const texts = fixedTexts(message).slice(0, max.fragments);
  const letters = texts.join('').replaceAll(/\P{L}+/gu, '').length;
  const pattern = texts.map(escapePattern).join('.{0,80}');
  const isUsable = texts.length > 1 && letters >= max.least && pattern.length <= maxPatternLength;
  return isUsable ? pattern : undefined;
}

/** Returns runs of four and then of three words, for messages whose values stand without quotes between words. */
function windowsOf(message: string): readonly string[] {
  const parts = fragmentsOf(message).map((part) => part.split(/\s+/u));
  const runs = [4, 3].flatMap((size) =>
    parts.flatMap((words) =>
      words.slice(0, 1 - size || undefined).map((_, at) => words.slice(at, at + size).join(' ')),
    ),
  );
  return [...new Set(runs)].filter((run) => run.length >= 10).slice(0, max.fragments);
}

async function searchAll(
  inquiry: Inquiry,
  message: string,
  { texts, ...how }: Pick<TextSearch, 'repositories' | 'form'> & { readonly texts: readonly string[] },
): Promise<FoundLines> {
  const fixed = wordsOf(fixedTexts(message).join(' '));
  const words = fixed.size > 0 ? fixed : wordsOf(message);
  const prompt = inquiry.question.prompt.slice(0, max.message).toLowerCase();
  const asked = { ...how, field: 'content', caseSensitive: false, contextLines: 2 } as const;
  const results = await Promise.all(texts.map((text) => searchText(inquiry, { ...asked, text })));
  const found = new Map<string, MessageLine>();
  for (const { repository: id, path, matches } of results.flatMap((result) => result?.files ?? [])) {
    const repository = how.repositories?.find((one) => one.id === id);
    if (repository === undefined) continue;
    const isPreferred = prompt.includes(`${repository.name.toLowerCase()}.`);
    for (const match of matches)
      if (match.line > 0)
        found.set(`${id}:${path}:${match.line}`, {
          repository,
          path,
          line: match.line,
          text: match.text,
          ...ratingOf(words, match, path, isPreferred ? 3 : 0),
        });
  }
  return {
    found: [...found.values()].toSorted((a, b) => b.score - a.score || a.path.length - b.path.length),
    isWhole: results.every((result) => result !== undefined && result.incomplete === undefined),
  };
}

const raising =
  /\b(?:throw|raise|return|panic|fatal|die|abort|errors?|errorf|err|exception|fail|log|logger|warn|warning|debug|info|print|printf|new)\w*\b|\w(?:Error|Exception)\b/iu;
const comment = /^\s*(?:\/\/|#(?!\[)|\*|\/\*|--|;)/u;

function ratingOf(
  words: ReadonlySet<string>,
  { text, before, after }: LineMatch,
  path: string,
  more: number,
): Pick<MessageLine, 'score' | 'said'> {
  const shareOf = (own: ReadonlySet<string>): number =>
    [...words].filter((word) => own.has(word)).length / Math.max(1, words.size);
  const [own = 0, around = 0] = [text, [...before, text, ...after].join('\n')].map((one) =>
    shareOf(wordsOf(one)),
  );
  if (comment.test(text)) return { score: own, said: 0 };
  const reported = raising.test(text) ? 1 : raising.test(before.join('\n')) ? 0.8 : 0;
  return { score: own / 2 + around * 3 + reported + (isProductPath(path) ? 4 : 0) + more, said: around };
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/\p{L}{2,40}/gu));
}

/** Returns the name that a line gives to a text: `ErrClosed = errors.New("…")`, `MESSAGE = "…"`. */
function constantOf(text: string): string | undefined {
  const name =
    /^\s*(?:[a-z]{1,10} ){0,4}(?:\w{1,40} )?([A-Za-z_]\w{2,80})(?:: ?[\w<>[\]&' ]{1,60})? ?:?= ?\S/u.exec(
      text,
    )?.[1];
  return name === undefined || !/^[A-Z]|_|[a-z][A-Z]/u.test(name) ? undefined : name;
}
