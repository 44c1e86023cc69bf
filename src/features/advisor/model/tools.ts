import { z } from 'zod';
import type { ModelCall, ModelTool } from '../../../backends/models/port.ts';
import { InvalidInput, OrgctxError } from '../../../foundation/kernel/errors.ts';
import { withoutEnd } from '../../../foundation/kernel/text/cut-text.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { relatedEntities, searchEntities } from '../../knowledge/ask-graph.ts';
import { type EntityRecord, notesOfPaths, type RelationRecord } from '../../knowledge/entity-record.ts';
import { readSource } from '../../search/read-source.ts';
import { searchCode } from '../../search/search-code.ts';
import type { AdvisorDeps } from '../advisor-deps.ts';
import type { Source } from '../answer.ts';
import type { Pack } from '../collect-pack.ts';
import { placeSource, shownLines } from '../evidence/place-source.ts';
import { sourceKindOf } from '../evidence/sources.ts';
import type { Fence } from './instructions.ts';
import type { IssuedSources } from './issued-sources.ts';
import { UnusableAnswer } from './model-notice.ts';

/** The dependencies of a tool of the model. The organization comes from the caller's session, never from the model. */
export interface ToolContext {
  readonly deps: AdvisorDeps;
  readonly inquiry: Pack['inquiry'];
  readonly signal: AbortSignal;
}

interface ToolResult {
  readonly sources: readonly Source[];
  /** Names what is missing or the next step, in words of this program. */
  readonly notes: readonly string[];
}

/** A read-only tool of the model. It reads only what the caller may read. */
interface AnswerTool {
  readonly declaration: ModelTool;
  /** @throws InvalidInput for arguments that do not fit, and what the function behind it throws */
  run(args: unknown, context: ToolContext): Promise<ToolResult>;
}

function answerTool<Args>(
  name: string,
  description: string,
  args: z.ZodType<Args>,
  run: (args: Args, context: ToolContext) => Promise<ToolResult>,
): AnswerTool {
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(args, { io: 'input' });
  return {
    declaration: { name, description, parameters },
    run: (given, context) => run(args.parse(given), context),
  };
}

/**
 * Maximum lengths of the arguments and of the result of a call, in characters. Numbers of files of a search, of matches
 * of one, and of lines around a match; of lines that a call reads, and of lines of one source, which is short so that
 * citations are exact; of entities.
 */
const max = {
  arguments: 8_000,
  result: 24_000,
  files: 8,
  matches: 2,
  around: 3,
  read: 160,
  source: 40,
  entities: 12,
  related: 24,
} as const;

const tools: readonly AnswerTool[] = [
  answerTool(
    'search_code',
    'Finds exact text, patterns, paths and definitions in the indexed repositories, with the lines around them.',
    z.strictObject({
      query: z
        .string()
        .min(1)
        .max(500)
        .describe(
          'Words are literal and all must match; "a phrase"; /regex/; or; -not. Filters: repo: file: lang: content: case:yes, and sym: for definitions.',
        ),
    }),
    async ({ query }, context) => {
      const request = { q: query, limit: max.files, context: max.around, matches: max.matches };
      const found = await searchCode(context.deps, context.inquiry.scope, request, context.signal);
      const sources = found.items.flatMap(({ matches, ...file }) =>
        matches.flatMap(({ line, before, text, after }) => {
          const part = { ...file, startLine: line - before.length, lines: [...before, text, ...after] };
          return linesSource(context, part, 'found by a search');
        }),
      );
      const isAll = found.incomplete === undefined && found.nextCursor === null;
      const none = sources.length === 0 ? ['No file matches. Try fewer or shorter words.'] : [];
      return { sources, notes: [...none, ...(isAll ? [] : ['There are more matches.'])] };
    },
  ),
  answerTool(
    'read_file',
    `Reads ${max.read} lines of a file, in sources of ${max.source} lines.`,
    z.strictObject({
      repository: z.string().min(1).max(300).describe('Name of the repository.'),
      path: z.string().min(1).max(4000).describe('Path from the root of the repository.'),
      from: z.int().min(1).max(10_000_000).default(1).describe('First line, counted from 1.'),
    }),
    async ({ repository, path, from }, context) => {
      const request = { repository, path, lines: { first: from, last: from + max.read - 1 } };
      const file = await readSource(context.deps, context.inquiry.scope, request, context.signal);
      const text = withoutEnd(file.content, '\r\n').split('\n');
      const starts = Array.from({ length: Math.ceil(text.length / max.source) }, (_, n) => n * max.source);
      const sources = starts.flatMap((start) => {
        const lines = text.slice(start, start + max.source);
        const part = { ...file, startLine: file.startLine + start, lines };
        return linesSource(context, part, 'read by the language model');
      });
      return { sources, notes: [`Lines ${file.startLine}-${file.endLine} of ${file.totalLines}.`] };
    },
  ),
  answerTool(
    'find_entity',
    'Finds issues, incidents, services, people, projects, commits, files and symbols by the words of their names, with the keys that related needs.',
    z.strictObject({ text: z.string().min(1).max(200) }),
    async ({ text }, context) => {
      const { deps, inquiry } = context;
      const request = { text, limit: max.entities };
      const { items } = await searchEntities(deps.knowledge, inquiry.scope, request);
      const sources = items.map((entity) => entitySource(context, entity, []));
      return { sources, notes: sources.length === 0 ? ['Nothing has this name.'] : [] };
    },
  ),
  answerTool(
    'related',
    'Returns what an entity is connected with, and why: who certainly or possibly calls a function, who owns a file, what an issue or incident touches.',
    z.strictObject({
      entity: z.string().min(1).max(3072).describe('A key, or an identifier such as ENG-123.'),
      direction: z.enum(['out', 'in', 'both']).default('both'),
    }),
    async (asked, context) => {
      const question = { ...asked, depth: 1, limit: max.related } as const;
      const { deps, inquiry, signal } = context;
      const found = await relatedEntities(deps.knowledge, inquiry.scope, question, signal);
      const own = found.nodes.filter(({ key }) => key === found.key);
      const others = found.nodes.filter(({ key }) => key !== found.key);
      const sources = [
        ...own.map((node) => entitySource(context, node, found.edges)),
        ...others.map((node) => entitySource(context, node, [])),
      ];
      const more = found.truncated ? ['There are more connections.'] : [];
      return { sources, notes: [...more, ...own.flatMap(notesOfPaths)] };
    },
  ),
];

export const modelTools: readonly ModelTool[] = tools.map(({ declaration }) => declaration);

/**
 * Runs a call and returns its result for the model, with the numbers of its sources. Errors that the model can correct
 * are a result. @throws UnusableAnswer for an unknown tool; any error that the model cannot correct
 */
export async function runCall(
  { name, arguments: text }: ModelCall,
  context: ToolContext,
  { issued, fence }: { readonly issued: IssuedSources; readonly fence: Fence },
): Promise<string> {
  const tool = tools.find(({ declaration }) => declaration.name === name);
  if (tool === undefined) throw new UnusableAnswer('model_answer_invalid', 'it called an unknown tool');
  let result: ToolResult;
  try {
    result = await tool.run(parsedArguments(text), context);
  } catch (error) {
    context.signal.throwIfAborted();
    return explain(error);
  }
  const shown: string[] = [];
  let left = max.result;
  for (const source of result.sources) {
    left -= source.title.length + source.excerpt.length;
    if (left < 0) break;
    shown.push(fence.source(issued.issue(source), source));
  }
  const cut = shown.length < result.sources.length ? ['There is more than fits here.'] : [];
  return [...shown, ...result.notes, ...cut].join('\n\n');
}

function parsedArguments(text: string): unknown {
  if (text.length > max.arguments) throw new InvalidInput('The arguments are too long.');
  try {
    return JSON.parse(text === '' ? '{}' : text);
  } catch {
    throw new InvalidInput('The arguments are not JSON.');
  }
}

/** Returns what the model can correct. Any other error is not the model's, and is thrown. */
function explain(error: unknown): string {
  if (error instanceof z.ZodError) return `Wrong arguments: ${shorten(z.prettifyError(error), 1000)}`;
  if (error instanceof OrgctxError) return `Error: ${shorten(error.message, 1000)}`;
  throw error;
}

interface Lines {
  /** Name of the repository. */
  readonly repository: string;
  readonly path: string;
  readonly commit: string;
  readonly startLine: number;
  readonly lines: readonly string[];
}

/** Returns lines of a file as a source; none for a repository that was removed meanwhile. */
function linesSource({ inquiry }: ToolContext, file: Lines, reason: string): readonly Source[] {
  const { repository: name, path, commit, startLine, lines } = file;
  const repository = inquiry.ranked.repositories.find((one) => one.name === name);
  if (repository === undefined || lines.length === 0) return [];
  const place = { path, commit, startLine, endLine: startLine + lines.length - 1 };
  return [placeSource(inquiry, repository, { ...place, text: lines.join('\n'), reason })];
}

function entitySource(
  { deps, inquiry }: ToolContext,
  { key, kind, name, uri, repository, properties }: EntityRecord,
  edges: readonly RelationRecord[],
): Source {
  const page = deps.urls.entity(inquiry.scope, key);
  const facts = Object.entries(properties).map(([label, value]) => `${label}: ${value}`);
  const relations = edges.map(
    ({ from, kind: relation, to, rule, evidence, confidence, certainty }) =>
      `${from} ${certainty === 'certain' ? '' : 'possibly '}${relation} ${to} (${rule}${evidence === '' ? '' : `: ${evidence}`}; ${confidence} %)`,
  );
  return {
    kind: sourceKindOf(kind),
    ...(repository === null ? {} : { repository }),
    address: uri ?? page,
    uri: uri ?? page,
    url: page,
    title: visibleLine(`${kind} ${name}`).slice(0, 300).toWellFormed(),
    excerpt: shownLines([`key: ${key}`, ...facts, ...relations]),
    reason: edges.length === 0 ? 'knowledge graph' : 'connections in the knowledge graph',
  };
}
