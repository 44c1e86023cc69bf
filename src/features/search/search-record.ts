import { z } from 'zod';
import { symbolKinds } from '../../backends/codesearch/port.ts';

export const symbolKindName = z.enum(symbolKinds);

/** A matching line of a file. */
export const lineMatchRecord = z.object({
  line: z.int().describe('1-based.'),
  column: z.int().describe('1-based, in UTF-16 code units of the whole line.'),
  length: z.int().describe('In UTF-16 code units; 0 if only the path matches.'),
  text: z.string().describe('The line, at most 2,000 characters of it around the match.'),
  textOffset: z
    .int()
    .describe('UTF-16 code units of the line before `text`; 0 unless it is truncated there.'),
  before: z.array(z.string()).readonly().describe('Lines before it, at most 300 characters of each.'),
  after: z.array(z.string()).readonly().describe('Lines after it, at most 300 characters of each.'),
  symbol: z
    .object({ name: z.string(), kind: symbolKindName })
    .optional()
    .describe('The definition in the line, if the match is part of a known one.'),
});

/** A matching file: an item of a page, and one line of a streamed response. */
export const fileMatchRecord = z
  .object({
    repository: z.string().describe('Its name.'),
    repositoryId: z.string(),
    branch: z
      .string()
      .describe('The indexed branch of the match; the default branch unless the query names another.'),
    commit: z.string(),
    path: z.string(),
    language: z.string(),
    score: z.number().describe('Higher is better; comparable inside one answer only.'),
    reasons: z.array(z.string()).readonly().describe('The reasons for its score, strongest first.'),
    matches: z.array(lineMatchRecord).readonly(),
    moreMatches: z
      .int()
      .describe(
        'Matching lines of the file beyond those shown; an answer shows about 4 million characters of lines.',
      ),
  })
  .meta({ id: 'FileMatch' });

/** A page without its items, and the last line of a streamed response. */
export const searchSummaryRecord = z
  .object({
    stats: z.object({
      candidates: z.int(),
      scanned: z.int(),
      matched: z.int(),
      milliseconds: z.number(),
    }),
    incomplete: z
      .enum(['deadline', 'limit', 'damaged', 'definitions'])
      .optional()
      .describe(
        'Matches may be missing; `damaged`: an index is unreadable and is being rebuilt; `definitions`: `sym:` found only files whose definitions are read already.',
      ),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'SearchSummary' });

export const searchPageRecord = z
  .object({ items: z.array(fileMatchRecord).readonly(), ...searchSummaryRecord.shape })
  .meta({ id: 'SearchPage' });
