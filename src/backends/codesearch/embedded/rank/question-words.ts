import type { RankRequest } from '../../port.ts';
import { wordsOf } from '../format/terms.ts';
import type { RankTerm } from './rank-terms.ts';
import { TermNumbers } from './term-numbers.ts';

/** The words of a question in the forms in which the text of a candidate is compared with them. */
export interface QuestionWords {
  /** Number of each term by its hash. */
  readonly termNumbers: TermNumbers;
  /** Number of each whole word in lower case, with its UTF-8 bytes as latin1. */
  readonly wordNumbers: ReadonlyMap<string, number>;
  /** Numbers of the terms in the order of the question. */
  readonly sequence: readonly number[];
  /** By term: the pairs of neighbours in the sequence that it belongs to, by the position of their first term. */
  readonly pairsOf: readonly (readonly number[])[];
}

/** Maximum number of whole words, and of terms in the sequence. */
const maxWords = 64;

export function readQuestionWords(request: RankRequest, terms: readonly RankTerm[]): QuestionWords {
  const termNumbers = new TermNumbers(terms.map(({ content }) => content));
  const words = [...request.terms, ...request.identifiers].map((word) =>
    Buffer.from(word.toLowerCase()).toString('latin1'),
  );
  const wordNumbers = new Map([...new Set(words)].slice(0, maxWords).map((word, index) => [word, index]));
  const sequence = request.terms
    .flatMap((word) => [...wordsOf(word).keys()])
    .flatMap((hash) => termNumbers.get(hash) ?? [])
    .slice(0, maxWords);
  const pairsOf = terms.map((_, term) =>
    sequence.flatMap((_one, at) =>
      at + 1 < sequence.length &&
      sequence[at] !== sequence[at + 1] &&
      (sequence[at] === term || sequence[at + 1] === term)
        ? [at]
        : [],
    ),
  );
  return { termNumbers, wordNumbers, sequence, pairsOf };
}
