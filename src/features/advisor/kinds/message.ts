import { maxPatternLength } from '../../../backends/codesearch/port.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { stopWords } from '../../../foundation/kernel/text/words.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import {
  codeOf,
  type FoundLine,
  isProduct,
  reportingSentence,
  searchLines,
} from '../evidence/line-source.ts';
import type { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { fixedTexts } from '../question/prompt/read-trace.ts';
import { codeList, fileOf } from '../text/markdown.ts';

/**
 * Maximum lengths of a message and of one without fixed text; maximum numbers of its parts, of texts that are searched,
 * of parts that are named as searched, and of statements.
 */
const max = { message: 600, short: 80, parts: 5, texts: 8, shown: 3, stated: 2 } as const;
/** Minimum length of a pasted and of a quoted message. */
const min = { pasted: 3, quoted: 8 } as const;
/** The shares of the fixed words of a message from which a statement possibly and certainly reports it. */
export const share = { possible: 0.6, sure: 0.9 } as const;

/** A line that has fixed text of a message. */
interface MessageLine extends FoundLine {
  readonly score: number;
  /** The share of the fixed words of the message that it and the lines around it have; 0 for a comment. */
  readonly said: number;
}

/** Matches a prompt that reports a failure: only then an answer says that its text was not found. */
const reports =
  /\b(?:errors?|exceptions?|messages?|logs?|logged|warnings?|panics?|throws?|raises?|(?:I|we) (?:get|see|got)|fails? with|says)\b/iu;

/** Matches a word that makes a message its opposite. */
const negation = /\b(?:not|no|never|cannot|without)\b|n't\b/iu;

/**
 * Answers a quoted error message or log line with the statement that reports it, in the repositories that are certainly
 * named: a word of a message may be the name of one.
 */
export async function messageAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { text, isReported } = messageIn(inquiry);
  if (text.length < (isReported ? min.pasted : min.quoted)) return undefined;
  const { found, isAbsent } = await messageLines(inquiry, text, inquiry.ranked.searched);
  const [best] = found;
  if (best === undefined) {
    // Values of a message are in no file in any case: only its fixed parts can be missing.
    const fixed = partsOf(text).filter((part) => fixedTexts(part)[0] === part);
    const isMeant = isReported || reports.test(inquiry.question.prompt.slice(0, 400));
    if (!isMeant || !isAbsent || fixed.length === 0) return undefined;
    const lead = `Not found: no ${fileOf(inquiry.ranked)} has this message.`;
    return { lines: [[`${lead} Searched for ${codeList(fixed, max.shown)}.`]], isNotFound: true };
  }
  const stated = found.filter(({ score }) => score === best.score).slice(0, max.stated);
  return {
    lines: await Promise.all(stated.map((one) => reportingSentence(inquiry, one))),
    message: text,
    isSure: stated.length === 1 && saysSame(text, best),
  };
}

/** Returns the message that a prompt pastes, without where it was seen as in "Missing command in click", or quotes. */
function messageIn({ question: { subject, trace }, ranked }: Inquiry) {
  const [said, name] = /^(.*) (?:in|from) `?([\w.-]{1,80})`?$/su.exec(trace?.message ?? '')?.slice(1) ?? [];
  const pasted = ranked.named.some((one) => one.name === name) ? said : trace?.message;
  const quoted = subject.phrases.toSorted((a, b) => b.length - a.length)[0] ?? '';
  return { text: pasted ?? quoted, isReported: pasted !== undefined };
}

/** Returns whether a line of the product says nearly all of a message, and not its opposite. */
function saysSame(message: string, line: MessageLine): boolean {
  const isMost = line.said >= share.sure && saysEnough(fixedTexts(message).join(' '));
  return isMost && isProduct(line) && negation.test(message) === negation.test(line.text);
}

/**
 * Finds the lines that report a message, the best first: those that raise, in the product, with most of its words. What
 * is searched is the beginning and the end of each of its parts, because code may break it into lines, and the whole
 * with any values between its parts. `isAbsent`: certainly no line has a part of it.
 */
export async function messageLines(
  inquiry: Inquiry,
  message: string,
  repositories: readonly SearchableRepository[],
): Promise<{ readonly found: readonly MessageLine[]; readonly isAbsent: boolean }> {
  if (repositories.length === 0 || message.length < min.pasted) return { found: [], isAbsent: false };
  const text = message.slice(0, max.message);
  const parts = partsOf(text);
  const asked = { repositories, caseSensitive: false, contextLines: 2 };
  const results = await Promise.all([
    ...endsOf(parts).map((end) => searchLines(inquiry, { ...asked, text: end })),
    ...patternOf(text).map((pattern) => searchLines(inquiry, { ...asked, text: pattern, form: 'pattern' })),
  ]);
  const fixed = wordsOf(fixedTexts(text).join(' '));
  const words = fixed.size > 0 ? fixed : wordsOf(text);
  const lines = results.flatMap((one) => one.lines);
  const different = new Map(lines.map((one) => [`${one.repository.id}:${one.path}:${one.line}`, one]));
  const hasPart = ({ text: line }: FoundLine): boolean =>
    parts.some((part) => line.toLowerCase().includes(part.toLowerCase()));
  return {
    found: Array.from(different.values(), (one) => rate(inquiry, words, one))
      .filter((one) => one.said >= share.possible || hasPart(one))
      .toSorted((a, b) => b.score - a.score || a.path.length - b.path.length),
    isAbsent: results.every((one) => one.isWhole && one.lines.length === 0),
  };
}

/** Returns the parts of a message that code may contain as written, the longest first; else the whole message. */
function partsOf(message: string): readonly string[] {
  const parts = fixedTexts(message).filter((part) => saysEnough(part) || /^[A-Z\d]+_[A-Z\d_]+$/u.test(part));
  if (parts.length === 0 && message.length <= max.short) return [message.trim()];
  return parts.toSorted((a, b) => b.length - a.length).slice(0, max.parts);
}

/** Returns the first and the last four words of texts, or the whole text if these say too little. */
function endsOf(parts: readonly string[]): readonly string[] {
  const ends = parts.flatMap((part) => {
    const words = part.split(/\s+/u);
    const both = [words.slice(0, 4), words.slice(-4)].map((some) => some.join(' ')).filter(saysEnough);
    return both.length === 0 ? [part] : both;
  });
  return [...new Set(ends)].slice(0, max.texts);
}

/** Returns a pattern of a message with any values, such as `Exceeded .{0,80} redirects`, if enough of it is fixed. */
function patternOf(message: string): readonly string[] {
  const texts = fixedTexts(message).slice(0, max.texts);
  const pattern = texts.map(escapePattern).join('.{0,80}');
  const isUsable = texts.length > 1 && saysEnough(texts.join(' ')) && pattern.length <= maxPatternLength;
  return isUsable ? [pattern] : [];
}

/** Matches words of a statement that raises or logs a message. */
const raising =
  /\b(?:throw|raise|return|panic|fatal|die|abort|errors?|errorf|err|exception|fail|log|logger|warn|warning|debug|info|print|printf|new)\w*\b|\w(?:Error|Exception)\b/iu;

function rate({ ranked }: Inquiry, words: ReadonlySet<string>, line: FoundLine): MessageLine {
  const { repository, text, before, after } = line;
  if (codeOf(text) === '') return { ...line, score: 0, said: 0 };
  const shareIn = (lines: readonly string[]): number => {
    const found = wordsOf(lines.join('\n'));
    return words.size === 0 ? 1 : [...words].filter((word) => found.has(word)).length / words.size;
  };
  const said = shareIn([...before, text, ...after]);
  const isRaised = raising.test([...before, text].join('\n'));
  // The package before the name of an error decides between lines that fit as well.
  const isNamed = ranked.named.includes(repository);
  const points = (isProduct(line) ? 4 : 0) + (isRaised ? 1 : 0) + (isNamed ? 0.1 : 0);
  return { ...line, score: shareIn([text]) / 2 + said * 3 + points, said };
}

/** Returns whether a text has two words that are not in many messages: `is not a function` has one. */
function saysEnough(text: string): boolean {
  return wordsOf(text).size > 1;
}

function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/\p{L}{2,40}/gu) ?? [];
  return new Set(words.filter((word) => !stopWords.has(word)));
}
