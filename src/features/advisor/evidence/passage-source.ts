import { isProse, type NumberedLine, type RankedPassage } from '../../../backends/codesearch/port.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { wordsIn } from '../../../foundation/kernel/text/words.ts';
import type { Source } from '../answer.ts';
import { type Inquiry, repositoryWith } from '../inquiry.ts';
import { decidingLines } from './deciding-lines.ts';
import { placeSource } from './place-source.ts';

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
export function passageExcerpt(passage: RankedPassage, prompt: string, characters: number): string {
  const values = passage.values.map(valueLine);
  const left = characters - values.join('\n').length;
  return [decidingLines(passage, prompt, left), ...values].join('\n');
}

/** Maximum length of the line of a value that a passage names. */
const maxValue = 160;

/** Writes the line of a constant that a passage names and that lies outside of it. */
function valueLine({ line, text }: NumberedLine): string {
  return `… line ${line}: ${shorten(visibleLine(text.trim()), maxValue)}`;
}

/** Maximum number of words of the question that a passage is said to have. */
const maxWords = 6;

/** Returns the words of the question that a passage has, in its place or text. */
function wordsOf(passage: RankedPassage, terms: readonly string[]): string {
  const words = new Set(wordsIn(`${passage.path} ${textOf(passage)}`));
  const found = terms.filter((term) => wordsIn(term).every((word) => words.has(word)));
  return found.length === 0 ? '' : `has ${found.slice(0, maxWords).map(visibleLine).join(', ')}`;
}

/** Returns the text of a passage. */
export function textOf({ lines }: Pick<RankedPassage, 'lines'>): string {
  return lines.map(({ text }) => text).join('\n');
}

/** Describes a passage in one line: `method Lease.renew`, or the first line of a block. */
function titleOf({ definition, containers, lines }: RankedPassage): string {
  if (definition === undefined) {
    const first = lines.find(({ text }) => /[\p{L}\p{N}]/u.test(text))?.text ?? '';
    return visibleLine(first.trim().slice(0, maxTitle).toWellFormed());
  }
  const { name, kind } = definition;
  const qualified = [...containers.slice(0, maxContainers).toReversed(), name].join('.');
  return `${kind === 'other' ? 'definition' : kind} ${visibleLine(qualified.slice(-maxName))}`;
}

const maxTitle = 80;
const maxContainers = 2;
const maxName = 120;
