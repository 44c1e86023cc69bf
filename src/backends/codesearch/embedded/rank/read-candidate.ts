import { eachTerm } from '../format/terms.ts';
import type { QuestionWords } from './question-words.ts';

/** The scores of a candidate's text for a question. */
export interface CandidateText {
  /** By term: its number of occurrences. */
  readonly counts: Uint32Array;
  /** By whole word: its number of occurrences. */
  readonly words: Uint32Array;
  /** By pair of neighbouring terms of the question: how often they are neighbours here, too. */
  readonly pairs: Uint32Array;
}

/** Maximum distance of two terms that count as neighbours. */
const maxDistance = 2;

/** Counts the terms of a question in a text, in one pass. */
export function readCandidate(text: Buffer, question: QuestionWords): CandidateText {
  const { termNumbers, wordNumbers } = question;
  const counts = new Uint32Array(termNumbers.size);
  const words = new Uint32Array(wordNumbers.size);
  const pairs = new Uint32Array(Math.max(0, question.sequence.length - 1));
  const lastAt = new Int32Array(termNumbers.size).fill(-1000);
  let position = 0;
  eachTerm(text, 0, text.length, (hash, start) => {
    position++;
    const term = termNumbers.get(hash);
    if (term === undefined) return;
    counts[term]! += 1;
    lastAt[term] = position;
    for (const pair of question.pairsOf[term]!) {
      const other =
        question.sequence[pair] === term ? question.sequence[pair + 1]! : question.sequence[pair]!;
      if (position - lastAt[other]! <= maxDistance) pairs[pair]! += 1;
    }
    if (start === 0 || !isWordByte(text[start - 1]!)) {
      const word = wordNumbers.get(wordAt(text, start));
      if (word !== undefined) words[word]! += 1;
    }
  });
  return { counts, words, pairs };
}

const maxWordLength = 80;

function wordAt(text: Buffer, start: number): string {
  let end = start + 1;
  while (end < text.length && end - start < maxWordLength && isWordByte(text[end]!)) end++;
  return text.toString('latin1', start, end).toLowerCase();
}

function isWordByte(byte: number): boolean {
  return (
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x5f ||
    byte >= 0x80
  );
}
