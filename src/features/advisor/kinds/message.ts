import { maxPatternLength } from '../../../backends/codesearch/port.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { stopWords } from '../../../foundation/kernel/text/words.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import {
  codeOf,
  type FoundLine,
  isProduct,
  lineSentence,
  searchLines,
  type TextSearch,
} from '../evidence/line-source.ts';
import { type CodeLine, codeText } from '../evidence/place-source.ts';
import type { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { fixedTexts, partsOf } from '../question/prompt/read-trace.ts';
import { codeList, fileOf } from '../text/markdown.ts';

/** Maximum length of a message, and numbers of texts that are searched and of statements. */
const max = { message: 600, texts: 8, stated: 2 } as const;
/** Minimum length of a pasted and of a quoted message, and number of letters of a pattern. */
const min = { pasted: 3, quoted: 8, letters: 10 } as const;

/**
 * The shares of the fixed words of a message from which a statement certainly reports it, and from which runs of words
 * count.
 */
const share = { sure: 0.9, runs: 0.6 } as const;

/** A line that has fixed text of a message. */
export interface MessageLine extends CodeLine {
  readonly score: number;
  /** The share of the fixed words of the message that it and the lines around it have; 0 for a comment. */
  readonly said: number;
}

/** Matches a prompt that reports a failure: only then an answer says that its text was not found. */
const reports =
  /\b(?:errors?|exceptions?|messages?|logs?|logged|warnings?|panics?|throws?|raises?|(?:I|we) (?:get|see|got)|fails? with|says)\b/iu;
/** Matches a message that is only a value, such as that of `KeyError: 'port'`. */
const onlyValue = /^(["'`])([^"'`\n]{2,80})\1$/u;

/** Says why the line of a message is shown. */
export const reporting = { reason: 'reports the message' } as const;

interface Message {
  readonly text: string;
  readonly isReported: boolean;
}

/** Returns the error message or log line that a prompt quotes or pastes, and whether the prompt reports it as such. */
function messageIn({ question: { prompt, subject, trace }, ranked }: Inquiry): Message | undefined {
  const [said, name] = /^(.*) (?:in|from) `?([\w.-]{1,80})`?$/su.exec(trace?.message ?? '')?.slice(1) ?? [];
  // "KeyError: 'name' in flask" says where it was seen.
  const pasted = ranked.named.some((one) => one.name === name) ? said : trace?.message;
  const text = pasted ?? subject.phrases.toSorted((a, b) => b.length - a.length)[0] ?? '';
  if (text.length < (pasted === undefined ? min.quoted : min.pasted)) return undefined;
  const isReported = pasted !== undefined || reports.test(prompt.slice(0, 400));
  return { text: text.slice(0, max.message), isReported };
}

/**
 * Answers a quoted error message or log line with the statement that reports it, in the repositories that are certainly
 * named: a word of a message may be the name of one.
 */
export async function messageAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const message = messageIn(inquiry);
  if (message === undefined) return undefined;
  const { searched, repositories } = inquiry.ranked;
  const { found: all, isWhole } = await messageLines(inquiry, message, searched);
  // Of lines that fit as well, those of the package before the name of the error count.
  const named = all.filter(
    ({ repository, score }) => inquiry.ranked.named.includes(repository) && score === all[0]?.score,
  );
  const found = named.length > 0 ? named : all;
  const [best] = found;
  if (best === undefined) {
    const fragments = codeList(fragmentsOf(message.text).slice(0, 3));
    if (!message.isReported || !isWhole || fragments === '') return undefined;
    const others = repositories.filter((one) => !searched.includes(one));
    const elsewhere = await messageLines(inquiry, { ...message, isReported: false }, others);
    const other = elsewhere.found.find(isProduct);
    return {
      lines: [
        [`Not found: no ${fileOf(inquiry.ranked)} has this message. Searched for ${fragments}.`],
        ...(other === undefined ? [] : [[`Elsewhere: ${codeText(other)}`]]),
      ],
      isNotFound: true,
    };
  }
  const stated = found.filter(({ score }) => score === best.score).slice(0, max.stated);
  const isSure = stated.length === 1 && best.said >= share.sure && isProduct(best);
  return {
    lines: await Promise.all(stated.map((one) => lineSentence(inquiry, one, reporting))),
    message: message.text,
    isSure: isSure && !onlyValue.test(message.text),
  };
}

interface FoundLines {
  readonly found: readonly MessageLine[];
  /** False if a search was refused or cut short. */
  readonly isWhole: boolean;
}

/**
 * Finds the lines that report a message, the best first: those that raise, in the product, with most of its words. It
 * is searched as it is, then with any values between its fixed words, then, if it is reported, by runs of its words.
 */
export async function messageLines(
  inquiry: Inquiry,
  { text, isReported }: Message,
  repositories: readonly SearchableRepository[],
): Promise<FoundLines> {
  if (repositories.length === 0 || text.length < min.pasted) return { found: [], isWhole: true };
  const whole = await searchAll(inquiry, text, { repositories, texts: fragmentsOf(text) });
  if (whole.found.length > 0) return whole;
  const between = await searchAll(inquiry, text, { repositories, texts: patternOf(text), form: 'pattern' });
  // Runs of a few words say little, unless the prompt reports a message.
  if (between.found.length > 0 || !isReported)
    return { ...between, isWhole: whole.isWhole && between.isWhole };
  const runs = await searchAll(inquiry, text, { repositories, texts: windowsOf(text) });
  return { ...runs, found: runs.found.filter((one) => one.said >= share.runs && isProduct(one)) };
}

/**
 * Returns the parts of a message that code may contain as written, the longest first; a value in each kind of quotes.
 */
function fragmentsOf(message: string): readonly string[] {
  const text = message.trim();
  const [, , value] = onlyValue.exec(text) ?? [];
  if (value !== undefined) return [`'${value}'`, `"${value}"`];
  const parts = partsOf(message).filter((part) => !part.includes(' ') || saysEnough(part));
  return parts.length > 0 || text.length > 80 ? parts : [text];
}

/**
 * Returns a pattern of a message with any values, such as `Exceeded .{0,80} redirects`; none if too little or too much
 * is fixed.
 */
function patternOf(message: string): readonly string[] {
  const texts = fixedTexts(message).slice(0, max.texts);
  const pattern = texts.map(escapePattern).join('.{0,80}');
  const isUsable =
    texts.length > 1 &&
    saysEnough(texts.join(' ')) &&
    [...wordsOf(texts.join(' '))].join('').length >= min.letters &&
    pattern.length <= maxPatternLength;
  return isUsable ? [pattern] : [];
}

/** Returns runs of four and then of three words, for messages whose values stand without quotes between words. */
function windowsOf(message: string): readonly string[] {
  const parts = fragmentsOf(message).map((part) => part.split(/\s+/u));
  const runs = [4, 3].flatMap((size) =>
    parts.flatMap((words) =>
      words.slice(0, 1 - size || undefined).map((_, at) => words.slice(at, at + size).join(' ')),
    ),
  );
  return [...new Set(runs)].filter((run) => run.length >= min.letters && saysEnough(run)).slice(0, max.texts);
}

async function searchAll(
  inquiry: Inquiry,
  message: string,
  { texts, ...how }: Pick<TextSearch, 'repositories' | 'form'> & { readonly texts: readonly string[] },
): Promise<FoundLines> {
  const fixed = wordsOf(fixedTexts(message).join(' '));
  const words = fixed.size > 0 ? fixed : wordsOf(message);
  const asked = { ...how, caseSensitive: false, contextLines: 2 };
  const results = await Promise.all(texts.map((text) => searchLines(inquiry, { ...asked, text })));
  const lines = results.flatMap((one) => one.lines);
  const found = new Map(lines.map((one) => [`${one.repository.id}:${one.path}:${one.line}`, one]));
  const rated = Array.from(found.values(), (one): MessageLine => ({ ...one, ...ratingOf(words, one) }));
  return {
    found: rated.toSorted((a, b) => b.score - a.score || a.path.length - b.path.length),
    isWhole: results.every((one) => one.isWhole),
  };
}

const raising =
  /\b(?:throw|raise|return|panic|fatal|die|abort|errors?|errorf|err|exception|fail|log|logger|warn|warning|debug|info|print|printf|new)\w*\b|\w(?:Error|Exception)\b/iu;

function ratingOf(
  words: ReadonlySet<string>,
  { path, text, before, after }: FoundLine,
): Pick<MessageLine, 'score' | 'said'> {
  const [own = 0, around = 0] = [[text], [...before, text, ...after]].map((lines) => {
    const said = wordsOf(lines.join('\n'));
    return [...words].filter((word) => said.has(word)).length / Math.max(1, words.size);
  });
  if (codeOf(text) === '') return { score: own, said: 0 };
  const reported = raising.test(text) ? 1 : raising.test(before.join('\n')) ? 0.8 : 0;
  return { score: own / 2 + around * 3 + reported + (isProduct({ path }) ? 4 : 0), said: around };
}

/** Returns whether a text has two words that are not in many messages: `is not a function` has one. */
function saysEnough(text: string): boolean {
  return [...wordsOf(text)].filter((word) => !stopWords.has(word)).length > 1;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/\p{L}{2,40}/gu));
}
