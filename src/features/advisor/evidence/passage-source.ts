import {
  asksForValue,
  isProse,
  type NumberedLine,
  type RankedPassage,
} from '../../../backends/codesearch/port.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { questionWordsIn, wordsIn } from '../../../foundation/kernel/text/words.ts';
import type { Source } from '../answer.ts';
import { type Inquiry, repositoryWith } from '../inquiry.ts';
import { placeSource } from './place-source.ts';

/**
 * Maximum lengths of a shown line, of the line of a value that a passage names, and of a title and a name; numbers of
 * lines of a passage that are examined, of words of the question that it is said to have, and of names around its own.
 */
const max = { line: 200, value: 160, title: 80, name: 120, lines: 600, words: 6, containers: 2 } as const;

/** Returns a ranked passage as a source of at most so many characters; none if its repository was removed meanwhile. */
export function passageSource(
  inquiry: Pick<Inquiry, 'deps' | 'scope' | 'ranked' | 'question'>,
  passage: RankedPassage,
  characters: number,
): Source | undefined {
  const { question } = inquiry;
  const repository = repositoryWith(inquiry, passage.repository);
  if (repository === undefined) return undefined;
  const source = placeSource(inquiry, repository, {
    ...passage,
    text: passageExcerpt(passage, question.prompt, characters),
    title: titleOf(passage),
    reason: wordsOf(passage, question.subject.terms),
  });
  return { ...source, kind: isProse(passage.fileClass) ? 'document' : 'code', score: passage.score };
}

/** Returns the lines of a passage that decide, and the values that it names, in about so many characters. */
export function passageExcerpt(
  passage: Pick<RankedPassage, 'lines' | 'endLine' | 'values'>,
  prompt: string,
  characters: number,
): string {
  const values = passage.values.map(valueLine);
  const left = characters - values.join('\n').length;
  return [decidingLines(passage, prompt, left), ...values].join('\n');
}

/** Writes the line of a constant that a passage names and that lies outside of it. */
function valueLine({ line, text }: NumberedLine): string {
  return `… line ${line}: ${shorten(visibleLine(text.trim()), max.value)}`;
}

/** Returns the words of the question that a passage has, in its place or text. */
function wordsOf(passage: RankedPassage, terms: readonly string[]): string {
  const words = new Set(wordsIn(`${passage.path} ${textOf(passage)}`));
  const found = terms.filter((term) => wordsIn(term).every((word) => words.has(word)));
  return found.length === 0 ? '' : `has ${found.slice(0, max.words).map(visibleLine).join(', ')}`;
}

/** Returns the text of a passage. */
export function textOf({ lines }: Pick<RankedPassage, 'lines'>): string {
  return lines.map(({ text }) => text).join('\n');
}

/** Describes a passage in one line: `method Lease.renew`, or the first line of a block. */
function titleOf({ definition, containers, lines }: RankedPassage): string {
  if (definition === undefined) {
    const first = lines.find(({ text }) => wordsIn(text).length > 0)?.text ?? '';
    return visibleLine(first.trim().slice(0, max.title).toWellFormed());
  }
  const { name, kind } = definition;
  const qualified = [...containers.slice(0, max.containers).toReversed(), name].join('.');
  return `${kind === 'other' ? 'definition' : kind} ${visibleLine(qualified.slice(-max.name))}`;
}

/** Numbers of first lines that are always shown and of lines around one that decides; least room for more lines. */
const kept = { first: 3, around: 2, least: 80 } as const;

/**
 * Returns the lines of a passage that fit into a number of characters: all, or the first ones and those around the
 * lines with the rarest words of the question, with a mark for each gap. Control characters are removed, and the
 * indentation that all lines share.
 */
function decidingLines(
  { lines, endLine }: Pick<RankedPassage, 'lines' | 'endLine'>,
  question: string,
  characters: number,
): string {
  const shown = unindented(lines);
  const length = shown.reduce((sum, { text }) => sum + text.length + 1, -1);
  const chosen = length <= characters ? shown : linesOfWords(shown, question, characters);
  const parts: string[] = [];
  let next = chosen[0]?.line ?? endLine + 1;
  for (const { line, text } of chosen) {
    if (line > next) parts.push(gap(line - next));
    parts.push(text);
    next = line + 1;
  }
  if (next <= endLine) parts.push(gap(endLine + 1 - next));
  return parts.join('\n');
}

function gap(lines: number): string {
  return `… ${counted(lines, 'line')}`;
}

function unindented(lines: readonly NumberedLine[]): readonly NumberedLine[] {
  const visible = lines.map(({ line, text }) => ({ line, text: visibleLine(text).trimEnd() }));
  const shared = visible.reduce(
    (least, { text }) => (text === '' ? least : Math.min(least, text.length - text.trimStart().length)),
    Number.POSITIVE_INFINITY,
  );
  return visible.map(({ line, text }) => ({
    line,
    text: shorten(text.slice(Math.min(shared, text.length)), max.line),
  }));
}

/** Chooses the first lines, then windows around the lines that say most of the question, until the room is used up. */
function linesOfWords(
  lines: readonly NumberedLine[],
  question: string,
  characters: number,
): readonly NumberedLine[] {
  const examined = lines.slice(0, max.lines);
  const shown = new Set<number>();
  let left = characters;
  const add = (from: number, to: number): void => {
    for (let at = Math.max(0, from); at <= Math.min(to, lines.length - 1); at++) {
      const cost = lines[at]!.text.length + 1;
      if (shown.has(at)) continue;
      if (cost > left) return;
      left -= cost;
      shown.add(at);
    }
  };
  add(0, kept.first - 1);
  const weights = weightsOfLines(examined, question);
  const deciding = [...weights.entries()].filter(([, weight]) => weight > 0);
  for (const [at] of deciding.toSorted(([, a], [, b]) => b - a)) {
    if (left < kept.least) break;
    add(at - kept.around, at + kept.around);
  }
  // A mark for a gap is about as long as the one line that it stands for.
  for (let at = 1; at < lines.length; at++) if (shown.has(at - 1) && shown.has(at + 1)) shown.add(at);
  return lines.filter((_, at) => shown.has(at));
}

/** Stands for any number, which is a word of a question for a value. */
const anyNumber = '0';

/** Returns how much each line says of the question: the rarer its words are in the passage, the more. */
function weightsOfLines(lines: readonly NumberedLine[], question: string): readonly number[] {
  const asked = new Set(questionWordsIn(question).flatMap(({ stems }) => stems));
  const asksNumber = asksForValue(question);
  const words = lines.map(({ text }) => {
    const own = new Set(wordsIn(text).filter((word) => asked.has(word)));
    if (asksNumber && /(?<![\w.])\d/u.test(text)) own.add(anyNumber);
    return [...own];
  });
  const counts = Map.groupBy(words.flat(), (word) => word);
  const weightOf = (word: string): number => Math.log(1 + words.length / counts.get(word)!.length);
  return words.map((own) => own.reduce((sum, word) => sum + weightOf(word), 0));
}
