import { z } from 'zod';
import { symbolKinds } from '../../../features/search/find-symbol.ts';

const match = z.object({
  line: z.int().describe('1-based.'),
  column: z.int().describe('1-based, in UTF-16 code units of the whole line.'),
  length: z.int().describe('In UTF-16 code units; 0 where the path alone matches.'),
  text: z.string().describe('The line, at most 2,000 characters of it round the match.'),
  textOffset: z.int().describe('UTF-16 code units of the line before `text`; 0 unless it was cut there.'),
  before: z.array(z.string()).readonly().describe('Lines before it, at most 300 characters of each.'),
  after: z.array(z.string()).readonly().describe('Lines after it, at most 300 characters of each.'),
  symbol: z
    .object({ name: z.string(), kind: z.enum(symbolKinds) })
    .optional()
    .describe('What the line defines, where the match lies in a definition that is known.'),
});

/** A file of an answer, and a line of a streamed one. */
export const fileMatch = z
  .object({
    repository: z.string().describe('Its name.'),
    repositoryId: z.string(),
    branch: z
      .string()
      .describe('The indexed branch it was found on; the default one unless asked otherwise.'),
    commit: z.string(),
    path: z.string(),
    language: z.string(),
    score: z.number().describe('Higher is better; comparable inside one answer only.'),
    reasons: z.array(z.string()).readonly().describe('What spoke for or against the file, strongest first.'),
    matches: z.array(match).readonly(),
    moreMatches: z
      .int()
      .describe(
        'Matching lines of the file beyond those shown; an answer shows about 4 million characters of lines.',
      ),
  })
  .meta({ id: 'FileMatch' });

/** What is told of the whole, and the last line of a streamed answer. */
export const searchSummary = z
  .object({
    stats: z.object({
      candidates: z.int(),
      scanned: z.int(),
      matched: z.int(),
      milliseconds: z.number(),
    }),
    incomplete: z
      .enum(['deadline', 'limit', 'damaged'])
      .optional()
      .describe(
        'There may be more than was looked at; `damaged`: an index is unreadable and being built anew.',
      ),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'SearchSummary' });

export const searchPage = z
  .object({ items: z.array(fileMatch).readonly(), ...searchSummary.shape })
  .meta({ id: 'SearchPage' });
