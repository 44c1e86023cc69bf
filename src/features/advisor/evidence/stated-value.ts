import type { NumberedLine, RankedPassage } from '../../../backends/codesearch/port.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { questionWordsIn, wordsIn } from '../../../foundation/kernel/text/words.ts';
import { escapePattern, partsOfName } from '../../search/symbol-name.ts';
import type { Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { isProductPath, searchFor } from './line-source.ts';
import { placeSource, placeText } from './place-source.ts';

/** Numbers of lines of a passage that are examined, and of files that a search for a constant returns; length of a line. */
const max = { lines: 600, files: 5, line: 160 } as const;

const comment = /^\s*(?:#(?!define)|\/\/|\/?\*|--|;;|"""|''')/u;
/** Statements that compare values and give none. */
const compares = /^(?:\}|else|if|elif|elsif|while|for|unless|switch|case|assert)\b/u;
/** What stands between a name and its value. */
const gives = /[^=!<>]=(?![=>])|=>|:\s|\breturn\b|#define\s/u;
/** Words of questions for values that say nothing of what has the value. */
const general = new Set(
  wordsIn(
    'default maximum max minimum min limit value size number many much long often big large nobody configure set',
  ),
);
/** Share of the other words that a line, with the name of its definition, has at least. */
const minShare = 0.5;
/** A value as written in code. */
const literal =
  /(?<![\w.])-?\d|["'`]|\b(?:true|false|none|null|nil|nullptr|infinity)\b|\b(?:minutes?|hours?|seconds?|days?)\b/iu;
/** The name of a constant. */
const constant = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/u;

/**
 * Returns what the first line of an answer says of the value that a question asks for: the line of a passage that gives it,
 * and the line that sets the constant that it reads, which may be in another file. `undefined` if no line gives one.
 */
export async function statedValue(inquiry: Inquiry, passage: RankedPassage): Promise<Sentence | undefined> {
  const names = inquiry.question.subject.identifiers.flatMap((name) => partsOfName(name).slice(-1));
  const best = bestLine(passage, inquiry.ranked.asked, names);
  if (best === undefined) return undefined;
  const value = valueIn(best.text) ?? '';
  const name = literal.test(value) ? undefined : constant.exec(value)?.[0];
  const own = `line ${best.line} says ${codeOf(best.text)}`;
  if (name === undefined) return [own];
  const known = passage.values.find(({ text }) => new RegExp(`\\b${name}\\b`, 'u').test(text));
  if (known !== undefined) return [`${own}, line ${known.line} ${codeOf(known.text)}`];
  const set = await setElsewhere(inquiry, passage, name);
  return set === undefined ? [own] : [`${own}, and `, ...set];
}

/**
 * Returns the line that gives a value and has the rarest words of the question. If that has names of code, the line or its
 * definition has one of them: a longer name is another one.
 */
function bestLine(
  { lines, values, definition, containers }: RankedPassage,
  prompt: string,
  names: readonly string[],
): NumberedLine | undefined {
  const asked = new Set(questionWordsIn(prompt).flatMap(({ stems }) => stems));
  const all = [...lines.slice(0, max.lines), ...values].map((line) => ({
    line,
    words: new Set(wordsIn(line.text).filter((word) => asked.has(word))),
  }));
  const count = (word: string): number => all.filter(({ words }) => words.has(word)).length;
  const weights = new Map(
    [...asked].map((word) => [word, Math.log(1 + all.length / Math.max(1, count(word)))]),
  );
  const weightOf = (words: ReadonlySet<string>): number =>
    [...words].reduce((sum, word) => sum + weights.get(word)!, 0);
  const things = [...asked].filter((word) => !general.has(word));
  const named = new Set(wordsIn(`${containers.join(' ')} ${definition?.name ?? ''}`));
  const isNamed =
    names.length === 0 || names.some((name) => [...containers, definition?.name].includes(name));
  const giving = all.filter(({ line: { text }, words }) => {
    if (!isNamed && !names.some((name) => namePattern(name).test(text))) return false;
    const value = valueIn(text);
    if (value === undefined || !(literal.test(value) || constant.test(value))) return false;
    const found = things.filter((word) => words.has(word) || named.has(word)).length;
    return found >= things.length * minShare && things.some((word) => words.has(word));
  });
  return giving.toSorted((a, b) => weightOf(b.words) - weightOf(a.words))[0]?.line;
}

/** Returns where a constant is set in the repository of a passage, and with what. */
async function setElsewhere(
  inquiry: Inquiry,
  { repository }: RankedPassage,
  name: string,
): Promise<Sentence | undefined> {
  const source = `(?:^|[^\\w.])${escapePattern(name)}\\b[^=<>!]{0,60}=[^=>]|#define\\s+${escapePattern(name)}\\s`;
  const searched = inquiry.ranked.searched.filter(({ id }) => id === repository);
  const query = { kind: 'regex', source, caseSensitive: true, field: 'content' } as const;
  const result = await searchFor(inquiry, { query, repositories: searched, limit: max.files });
  const files = result?.files.filter(({ path }) => isProductPath(path)) ?? [];
  for (const { path, matches } of files) {
    const found = matches.find(({ text }) => literal.test(valueIn(text) ?? ''));
    if (found === undefined) continue;
    const { line, text } = found;
    const lines = { path, startLine: line, endLine: line, text, reason: 'value' };
    const at = placeText(searched[0]!.name, path, { first: line, last: line });
    return [`${at} ${codeOf(text)}`, placeSource(inquiry, searched[0]!, lines)];
  }
  return undefined;
}

/** Returns what a line of code gives as a value, if it does. */
function valueIn(text: string): string | undefined {
  const found = comment.test(text) || compares.test(text.trimStart()) ? null : gives.exec(text);
  return found === null ? undefined : text.slice(found.index + found[0].length);
}

function namePattern(name: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_$])${escapePattern(name)}(?![\\p{L}\\p{N}_$])`, 'u');
}

function codeOf(text: string): string {
  return inlineCode(shorten(visibleLine(text.trim()), max.line));
}
