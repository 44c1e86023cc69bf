import { z } from 'zod';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import {
  type FileMatch,
  type LineMatch,
  type RankedFile,
  type RankRequest,
  type RankResult,
  type SearchRequest,
  type SearchResult,
  symbolKinds,
} from '../../port.ts';
import { namedRepository, scope } from './ids.ts';
import { problemLine } from './problem.ts';
import { query } from './query.ts';

const repositories = z.array(namedRepository).max(100_000);
/** What one file comes with, at most; of the request's own limits the highest. */
const mostContext = 10;
const mostMatches = 1_000;
const mostReasons = 100;
const mostSpans = 10;
const word = z.string().max(10_000);
const count = z.int().nonnegative();
/** 1-based. */
const place = z.int().positive();
const around = z.array(z.string()).max(mostContext);

/** Ranges are the engine's to judge, so that whoever asks is told the same by every engine. */
const request: z.ZodType<SearchRequest> = z.object({
  query,
  repositories: repositories.exactOptional(),
  limit: z.number(),
  offset: z.number().exactOptional(),
  matchesPerFile: z.number(),
  contextLines: z.number(),
  deadlineMs: z.number(),
});

const rank: z.ZodType<RankRequest> = z.object({
  terms: z.array(word).max(10_000),
  identifiers: z.array(word).max(10_000),
  paths: z.array(word).max(10_000),
  repositories: repositories.exactOptional(),
  limit: z.number(),
});

export const searchBody = z.object({ scope, request });
export const rankBody = z.object({ scope, request: rank });

const match: z.ZodType<LineMatch> = z.object({
  line: place,
  column: place,
  length: count,
  text: z.string(),
  textOffset: count,
  before: around,
  after: around,
  // A kind that only a newer service knows.
  symbol: z.object({ name: z.string(), kind: z.enum(symbolKinds).catch('other') }).exactOptional(),
});

const id = z.string().transform((text) => text as RepositoryId);
const file: z.ZodType<FileMatch> = z.object({
  repository: id,
  branch: z.string(),
  commit: z.string(),
  path: z.string(),
  language: z.string(),
  score: z.number(),
  reasons: z.array(z.string()).max(mostReasons),
  matches: z.array(match).max(mostMatches),
  moreMatches: count,
});

const summary: z.ZodType<Omit<SearchResult, 'files'>> = z.object({
  stats: z.object({ candidates: count, scanned: count, matched: count, milliseconds: z.number() }),
  incomplete: z.enum(['deadline', 'limit', 'damaged']).exactOptional(),
  nextOffset: count.exactOptional(),
});

/** A line of the answer to a search: files, best first, then one summary; or a problem, which ends it. */
export const searchLine = z.union([z.object({ file }), z.object({ summary }), problemLine]);

const rankedFile: z.ZodType<RankedFile> = z.object({
  repository: id,
  commit: z.string(),
  path: z.string(),
  language: z.string(),
  score: z.number(),
  reasons: z.array(z.string()).max(mostReasons),
  spans: z.array(z.object({ startLine: place, endLine: place })).max(mostSpans),
});

export const rankResult: z.ZodType<RankResult> = z.object({
  files: z.array(rankedFile),
  incomplete: z.enum(['deadline', 'damaged']).exactOptional(),
});
