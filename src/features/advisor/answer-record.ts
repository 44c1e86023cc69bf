import { z } from 'zod';
import { confidences } from '../../backends/codesearch/port.ts';
import { given } from '../../foundation/kernel/wire/given.ts';
import { printAddress, printCommit } from '../search/address.ts';
import type { Answer, Citation, Freshness } from './answer.ts';
import { freshnessRecord, toFreshnessRecord } from './context-record.ts';
import { noticeCodes } from './model/model-notice.ts';

/** A source that an answer cites. Fields of a place in the code are absent for a source of another kind. */
export const citationRecord = z.object({
  /** The number in the text of the answer: `[1]`. */
  n: z.int(),
  kind: z.string(),
  repository: z.string().optional(),
  path: z.string().optional(),
  startLine: z.int().optional(),
  endLine: z.int().optional(),
  commit: z.string().optional(),
  address: z
    .string()
    .describe(
      '`repository/path:10-20` of a place, else the `ctx://` address. Every tool and command accepts it.',
    ),
  uri: z.string(),
  url: z.string(),
  title: z.string(),
  excerpt: z.string(),
  reason: z.string(),
  score: z.number().optional().describe('Points of the ranking, if it was ranked.'),
});

/** Why an answer was written without the language model that is configured. */
export const noticeRecord = z.object({
  code: z.enum(noticeCodes),
  message: z.string().describe('What happened and what to do next, for people.'),
});

/** An answer of the advisor (contract section 4, `svc_advisor`). */
export const answerRecord = z.object({
  answer: z
    .string()
    .describe('Markdown without links. Statements of fact carry the number of their citation.'),
  citations: z.array(citationRecord),
  confidence: z
    .enum(confidences)
    .describe('How probable it is that what was asked for is among the citations: `likely` at 80 % or more.'),
  notFound: z.literal(true).optional().describe('The answer is that there is no such thing.'),
  perRepository: z
    .array(z.object({ repository: z.string(), nearest: z.string().optional() }))
    .optional()
    .describe('The nearest place in each repository, for a question about several; none if nothing is near.'),
  freshness: z.array(freshnessRecord),
  model: z.string().optional().describe('The language model that wrote the answer.'),
  notice: noticeRecord.optional(),
  truncated: z.boolean().describe('More was found than is shown.'),
  partial: z.literal(true).optional().describe('A part could not be searched.'),
});

export type AnswerRecord = z.output<typeof answerRecord>;

export function toAnswerRecord(written: Answer): AnswerRecord {
  const { text: _text, citations, freshness, perRepository, ...rest } = written;
  return {
    ...rest,
    citations: citations.map((citation) => toCitationRecord(citation, freshness)),
    freshness: freshness.map(toFreshnessRecord),
    ...(perRepository === undefined ? {} : { perRepository: [...perRepository] }),
  };
}

export function toCitationRecord(
  citation: Citation,
  freshness: readonly Freshness[],
): z.output<typeof citationRecord> {
  return { ...citation, address: addressOf(citation, freshness) };
}

/** Returns the address of a citation; with its commit if that is not the indexed one. */
function addressOf(
  { kind, repository, path, startLine, endLine, commit, uri }: Citation,
  freshness: readonly Freshness[],
): string {
  if (kind === 'commit' && repository !== undefined && commit !== undefined)
    return printCommit(repository, commit);
  if (repository === undefined || path === undefined) return uri;
  const isIndexed = freshness.some((each) => each.repository === repository && each.indexedCommit === commit);
  const lines = startLine === undefined ? undefined : { first: startLine, last: endLine ?? startLine };
  return printAddress(given({ repository, path, lines, commit: isIndexed ? undefined : commit }));
}
