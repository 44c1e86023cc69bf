import { languageOf } from '../../backends/codesearch/port.ts';
import type { Answer, Evidence, EvidencePack } from './answer.ts';
import { withoutTail } from './ask.ts';
import { readPrompt } from './read-prompt.ts';
import { type Finding, writeAnswer } from './write-answer.ts';

/** Evidence as `POST /context` hands it out, with what the list of repositories says of those that are not indexed. */
export type ContextEvidence = Pick<EvidencePack, 'truncated' | 'freshness' | 'pending'> & {
  readonly items: readonly Omit<Evidence, 'repositoryId'>[];
};

/**
 * The extractive answer, written where the evidence arrives: for callers that may read the evidence and not call the
 * advisor. It lacks what the evidence does not say: which words of the prompt stand nowhere.
 */
export function answerFromContext(prompt: string, evidence: ContextEvidence): Answer {
  const items = evidence.items.map(asFinding);
  return writeAnswer(
    withoutTail({
      ...evidence,
      items,
      subject: readPrompt(prompt),
      unmatched: [],
      uncovered: [],
      hurried: false,
      damaged: false,
    }),
  );
}

function asFinding(item: ContextEvidence['items'][number]): Finding {
  const { title, repository, path, startLine, endLine } = item;
  const place = ` in ${repository}/${path}:${startLine}-${endLine}`;
  const subject = title.endsWith(place) ? title.slice(0, -place.length) : undefined;
  return { ...item, subject, language: languageOf(path), summary: undefined };
}
