import { z } from 'zod';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { fileClasses } from '../../file-class.ts';
import {
  confidences,
  type FileMatch,
  type LineMatch,
  maxListed,
  maxPassages,
  type RankedDefinition,
  type RankedFile,
  type RankedPassage,
  type RankedPassages,
  type RankRequest,
  type RankResult,
  type SearchRequest,
  symbolKinds,
} from '../../port.ts';
import { namedRepository, scope } from './ids.ts';
import { problemLine } from './problem.ts';
import { query } from './query.ts';

const repositories = z.array(namedRepository).max(100_000);
/** Limits of one file in a response: the maximum values that a request allows. */
const maxContext = 10;
const maxMatches = 1_000;
const maxReasons = 100;
const maxDefinitions = 1_000;
const word = z.string().max(10_000);
const count = z.int().nonnegative();
/** 1-based. */
const position = z.int().positive();
const context = z.array(z.string()).max(maxContext);

/** A search request. The engine checks the ranges, so that the errors are the same for every engine. */
const request: z.ZodType<SearchRequest> = z.object({
  query,
  repositories: repositories.exactOptional(),
  limit: z.number(),
  offset: z.number().exactOptional(),
  matchesPerFile: z.number(),
  skipMatches: z.number().exactOptional(),
  contextLines: z.number(),
  deadlineMs: z.number(),
  processorMs: z.number().exactOptional(),
  waitMs: z.number().exactOptional(),
  everyLine: z.literal(true).exactOptional(),
});

const rank: z.ZodType<RankRequest> = z.object({
  terms: z.array(word).max(10_000),
  identifiers: z.array(word).max(10_000),
  paths: z.array(word).max(10_000),
  phrases: z.array(word).max(10_000).exactOptional(),
  places: z
    .array(z.object({ path: word, line: position }))
    .max(10_000)
    .exactOptional(),
  area: word.exactOptional(),
  question: word,
  everyRepository: z.boolean().exactOptional(),
  preferred: z
    .array(z.string().transform((text) => text as RepositoryId))
    .max(100_000)
    .exactOptional(),
  weights: z.partialRecord(z.enum(fileClasses), z.number()).exactOptional(),
  repositories: repositories.exactOptional(),
  limit: z.number(),
  waitMs: z.number(),
});

export const searchBody = z.object({ scope, request });
export const rankBody = z.object({ scope, request: rank });

const match: z.ZodType<LineMatch> = z.object({
  line: position,
  column: position,
  length: count,
  text: z.string(),
  textOffset: count,
  before: context,
  after: context,
  // A newer service may send an unknown kind.
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
  reasons: z.array(z.string()).max(maxReasons),
  matches: z.array(match).max(maxMatches),
  moreMatches: count,
});

/** A file with its matching lines, of a search with `everyLine`. */
const listed = z.object({
  repository: id,
  commit: z.string(),
  path: z.string(),
  lines: z.array(position).max(maxListed.lines),
});

const summary = z.object({
  stats: z.object({ candidates: count, scanned: count, matched: count, milliseconds: z.number() }),
  incomplete: z.enum(['deadline', 'limit', 'damaged', 'definitions']).exactOptional(),
  nextOffset: count.exactOptional(),
  /** Set if the request has `everyLine`. */
  unlisted: count.exactOptional(),
});

/** The first line of a response that arrives before its result: the task left the queue. */
const startLine = z.object({ started: z.literal(true) });

/**
 * A line of the response to a search: its start, files, best first, or files with their lines, then one summary; or a
 * problem, which ends it.
 */
export const searchLine = z.union([
  startLine,
  z.object({ file }),
  z.object({ listed }),
  z.object({ summary }),
  problemLine,
]);

const rankedDefinition: z.ZodType<RankedDefinition> = z.object({
  name: z.string(),
  kind: z.enum(symbolKinds).catch('other'),
  line: position,
  startLine: position,
  endLine: position,
  doc: z.object({ startLine: position, endLine: position }).exactOptional(),
  container: z.object({ name: word, kind: z.enum(symbolKinds) }).exactOptional(),
  isTest: z.literal(true).exactOptional(),
});

const rankedFile: z.ZodType<RankedFile> = z.object({
  repository: id,
  commit: z.string(),
  path: z.string(),
  language: z.string(),
  // A newer service may send an unknown class.
  fileClass: z.enum(fileClasses).catch('source'),
  score: z.number(),
  reasons: z.array(z.string()).max(maxReasons),
});

const numberedLine = z.object({ line: position, text: z.string() });

const rankedPassage: z.ZodType<RankedPassage> = z.object({
  repository: id,
  commit: z.string(),
  path: z.string(),
  language: z.string(),
  fileClass: z.enum(fileClasses).catch('source'),
  startLine: position,
  endLine: position,
  definition: rankedDefinition.exactOptional(),
  containers: z.array(word).max(maxDefinitions),
  score: z.number(),
  lines: z.array(numberedLine).max(maxPassages.length),
  values: z.array(numberedLine).max(maxPassages.values),
});

const passages: z.ZodType<RankedPassages> = z.object({
  best: z.array(rankedPassage).max(maxPassages.count),
  nearest: z.array(rankedPassage).max(maxPassages.repositories),
  confidence: z.enum(confidences),
});

const ranking: z.ZodType<RankResult> = z.object({
  files: z.array(rankedFile),
  passages,
  unmatched: z.array(z.string()).max(10_000),
  partial: z.literal(true).exactOptional(),
  incomplete: z.literal('damaged').exactOptional(),
});

/** A line of the response to a ranking: its start, then the result; or a problem. */
export const rankLine = z.union([startLine, z.object({ ranking }), problemLine]);
