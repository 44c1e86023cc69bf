import { z } from 'zod';
import { searchSummaryRecord } from '../search/search-record.ts';
import { referenceKinds } from './line-kind.ts';

export const referenceKind = z.enum(referenceKinds);

/** A line that names or uses a definition. */
const referenceRecord = z
  .object({
    address: z.string().describe('`repository/path:line`.'),
    line: z.string().describe('The text of the line, at most 2,000 characters of it around the name.'),
    kind: referenceKind.describe(
      'How the line uses the name. `text`: only in a comment, a literal, or a file that is not code.',
    ),
    test: z.boolean().describe('The file belongs to tests.'),
    certainty: z
      .enum(['certain', 'possible', 'text'])
      .describe('What is known of the meaning of the name there. `text`: nothing.'),
    from: z.string().optional().describe('The definition around the line, where it is known.'),
    to: z.string().optional().describe('Address of the definition that is meant; the first of several.'),
    reason: z.string().optional().describe('The rule by which it is, or the other name that the line uses.'),
  })
  .meta({ id: 'Reference' });

/** A page of references. The counts are of all pages and all kinds. */
export const referencePageRecord = z.object({
  name: z.string().describe('The name that was searched as a whole word.'),
  definitions: z
    .array(z.string())
    .describe('Addresses of the definitions that were asked for, or of that name; at most 20.'),
  total: z.int().describe('Number of lines of all pages, of any kind.'),
  certain: z.int(),
  possible: z.int(),
  text: z.int(),
  written: z.int().describe('Possible lines whose text or import has the package of the name; first.'),
  elsewhere: z.int().describe('Lines left out because they certainly mean another definition of the name.'),
  others: z.int().describe('Lines left out because they only have the last part of the name.'),
  items: z.array(referenceRecord).readonly(),
  incomplete: searchSummaryRecord.shape.incomplete,
  notices: z.array(z.string()).describe('What is missing, in sentences.'),
  nextCursor: z.string().nullable(),
});

export type Reference = z.output<typeof referenceRecord>;
export type ReferencePage = z.output<typeof referencePageRecord>;
