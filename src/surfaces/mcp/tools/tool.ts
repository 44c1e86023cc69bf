import type { CallToolResult, Tool as ToolListing } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Access } from '../../../features/identity/access/principal.ts';
import { InvalidInput, OrgctxError } from '../../../foundation/kernel/errors.ts';
import { shorten } from '../../../foundation/kernel/text/visible-text.ts';
import { fieldName } from '../../../foundation/kernel/wire/json-pointer.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import type { McpDeps } from '../deps.ts';

/** The context of a tool call. The organization comes from here, never from an argument. */
export interface ToolContext {
  readonly deps: McpDeps;
  readonly access: Access;
  readonly log: Pick<Logger, 'error'>;
  /** Aborted when the caller disconnects or cancels. */
  readonly signal: AbortSignal;
  /** Reports the current step to a caller that requested progress. */
  progress(message: string): void;
}

/**
 * An answer as data and as text. Clients may pass only one of them to a model. The data is complete; the text has the
 * same content, or its main point and where to read on.
 */
export interface ToolAnswer<Output> {
  readonly structured: Output;
  readonly text: string;
}

/** A tool, as `tools/list` returns it and `tools/call` runs it. Built once, when the module is loaded. */
export interface Tool {
  readonly listing: ToolListing;
  call(args: unknown, context: ToolContext): Promise<CallToolResult>;
}

export interface ToolOptions<Input, Output> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject & z.ZodType<Input>;
  readonly output: z.ZodType<Output>;
  run(input: Input, context: ToolContext): Promise<ToolAnswer<Output>>;
}

/**
 * Maximum length of an answer, about 8,000 tokens: common clients refuse a result above 25,000 tokens.
 * @internal Exported for the tests of the limit.
 */
export const maxAnswerCharacters = 32_000;

/**
 * Returns the largest answer within `maxAnswerCharacters`, or that with one item: builds it with at most `limit` items,
 * then with half as many, so that the cursor of a page is that of its last item.
 */
export async function fitting<Answer>(
  limit: number,
  build: (limit: number) => Answer | Promise<Answer>,
): Promise<Answer> {
  const answer = await build(limit);
  if (limit <= 1 || JSON.stringify(answer).length <= maxAnswerCharacters) return answer;
  return fitting(Math.floor(limit / 2), build);
}

/**
 * Declares a read-only tool. Invalid arguments and errors that the caller can correct become `isError` results, whose
 * text says what to do next. Any other error is logged, and the result contains no detail of it.
 */
export function defineTool<Input, Output>(options: ToolOptions<Input, Output>): Tool {
  return {
    listing: {
      name: options.name,
      title: options.title,
      description: options.description,
      inputSchema: objectSchema(options.input, 'input'),
      outputSchema: objectSchema(options.output, 'output'),
      annotations: {
        title: options.title,
        readOnlyHint: true,
        idempotentHint: true,
        destructiveHint: false,
        openWorldHint: false,
      },
    },
    async call(args, context) {
      try {
        const { structured, text } = await options.run(parseArguments(options, args), context);
        return {
          content: [{ type: 'text', text }],
          structuredContent: structured as Record<string, unknown>,
        };
      } catch (error) {
        return errorResult(options.name, error, context);
      }
    },
  };
}

/** Maximum number of wrong arguments that an answer names. */
const maxIssues = 10;

/**
 * Reads the arguments of a call. Unknown ones are ignored: Gemini CLI adds `wait_for_previous` to every schema and sends
 * it. `null` counts as absent, because some models write it for each optional argument.
 */
function parseArguments<Input, Output>(options: ToolOptions<Input, Output>, args: unknown): Input {
  const given = Object.entries(args ?? {}).filter(
    ([name, value]) => value !== null && Object.hasOwn(options.input.shape, name),
  );
  const parsed = options.input.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues
    .slice(0, maxIssues)
    .map((issue) => `${shorten(issue.path.join('.')) || 'arguments'}: ${shorten(issue.message)}`);
  throw new InvalidInput(`Wrong arguments for ${options.name}. ${errors.join('; ')}.`);
}

function errorResult(tool: string, error: unknown, context: ToolContext): CallToolResult {
  if (context.signal.aborted) throw error;
  if (error instanceof OrgctxError && error.status < 500) return failure(withFieldErrors(error));
  context.log.error({ err: error, tool }, 'tool failed');
  const advice =
    'This is an error of the service, not of the question. Try again; if it persists, tell the operator.';
  return failure(error instanceof OrgctxError ? error.message : `${tool} failed unexpectedly. ${advice}`);
}

function withFieldErrors(error: OrgctxError): string {
  if (!(error instanceof InvalidInput) || error.errors.length === 0) return error.message;
  return [
    error.message,
    ...error.errors.map((problem) => `- ${fieldName(problem.path) || 'arguments'}: ${problem.message}`),
  ].join('\n');
}

/** Maximum length of the text of an error, which may repeat arguments. */
const maxErrorCharacters = 2_000;

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: shorten(text, maxErrorCharacters) }] };
}

/**
 * Output schemas leave metadata out: MCP requires an object at the root, and a record with an id would be a reference
 * to its definition instead.
 */
function objectSchema(schema: z.ZodType, io: 'input' | 'output'): ToolListing['inputSchema'] {
  const options =
    io === 'output' ? { override: plainTypes, metadata: z.registry<{ id?: string | undefined }>() } : {};
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io, target: 'draft-2020-12', ...options });
  return json as ToolListing['inputSchema'];
}

/** The JSON Schema keywords of wire records that output schemas leave out. */
const detailKeywords = [
  'description',
  'enum',
  'format',
  'maximum',
  'minimum',
  'pattern',
  'readOnly',
] as const satisfies readonly (keyof JsonSchema)[];

type JsonSchema = z.core.JSONSchema.JSONSchema;

/**
 * Reduces an output schema to names and types. Models read the list of tools in each conversation, so it must be short,
 * and a client that validates answers with a cached list must accept values that a later version adds.
 */
function plainTypes({ jsonSchema }: { readonly jsonSchema: JsonSchema }): void {
  for (const keyword of detailKeywords) delete jsonSchema[keyword];
  if (jsonSchema.type === 'integer') jsonSchema.type = 'number';
}
