import type { CallToolResult, Tool as ToolListing } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Access } from '../../../features/identity/access/principal.ts';
import { InvalidInput, isCallerError, OrgctxError } from '../../../foundation/kernel/errors.ts';
import { fittingLines } from '../../../foundation/kernel/text/fitting-lines.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { fieldName } from '../../../foundation/kernel/wire/json-pointer.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import type { McpDeps } from '../deps.ts';
import { isCursorLine, quotedNote } from './page-notes.ts';

/** The context of a call of a tool. The organization comes from here, never from an argument. */
export interface ToolContext {
  readonly deps: Pick<McpDeps, 'answers' | 'knowledge'>;
  readonly access: Pick<Access, 'scope'>;
  readonly log: Pick<Logger, 'error'>;
  /** Aborted when the caller disconnects or cancels. */
  readonly signal: AbortSignal;
}

/** The context of a call over MCP, which also says who calls. */
export interface CallContext extends ToolContext {
  readonly deps: McpDeps;
  readonly access: Access;
  /** Reports the current step to a caller that requested progress. */
  progress(message: string): void;
}

/** A tool, as `tools/list` returns it and `tools/call` runs it. Built once, when the module is loaded. */
export interface Tool<Context extends ToolContext = CallContext> {
  readonly listing: ToolListing;
  call(args: unknown, context: Context): Promise<CallToolResult>;
}

export interface ToolOptions<Input, Context extends ToolContext = ToolContext> {
  readonly name: string;
  /** Its first sentence stands alone within 160 characters: some clients show a model no more of it. */
  readonly description: string;
  readonly input: z.ZodObject & z.ZodType<Input>;
  /** True for a tool that clients with a search for tools offer without one. */
  readonly isAlwaysLoaded?: true;
  /** Returns the text of the result: the answer and the total first, one record a line, the cursor and notices last. */
  run(input: Input, context: Context): Promise<string>;
}

/**
 * Limits of the text of a result. Common clients cut a longer one in the middle, or replace it by the name of a file
 * (contract, section 8): `page` by `shownSize` for a page that the caller did not ask to be larger, `bytes` for any.
 */
export const maxText = { page: 7_000, bytes: 19_000, line: 2_000 } as const;

/**
 * The sizes of a result up to which all clients show it whole. Cline counts the characters of its JSON (8,000), in
 * which quotes, tabs, line breaks and backslashes take two; Codex counts bytes, 12,000 with a model that it does not
 * know.
 */
const shownWhole = { json: 7_900, bytes: 11_500 } as const;

/** Returns the size of a text for `maxText.page`: its characters, or more if a client would cut it sooner. */
export function shownSize(text: string): number {
  const json = (JSON.stringify(text).length - 2) / shownWhole.json;
  const bytes = Buffer.byteLength(text) / shownWhole.bytes;
  return Math.max(text.length, Math.ceil(maxText.page * Math.max(json, bytes)));
}

/** The size that a text may have. */
export interface Room {
  readonly max: number;
  readonly sizeOf: (text: string) => number;
}

/** Returns the room of a whole result. `isLarge`: the caller asked for a longer text than usual. */
export function roomFor(isLarge: boolean): Room {
  return isLarge
    ? { max: maxText.bytes, sizeOf: Buffer.byteLength }
    : { max: maxText.page, sizeOf: shownSize };
}

/** The number of records that a caller asked for. */
export interface PageSize {
  readonly limit: number;
  /** True if the caller asked for more than usual, and gets a longer text. */
  readonly isLarge: boolean;
  /** Number of pages that share one result. Default: 1. */
  readonly pages?: number;
}

/**
 * Returns the largest page that fits: builds it with at most `limit` records, then with fewer, so that its cursor is
 * that of its last record. It asks again for each try.
 */
export async function fitting(
  { limit, isLarge, pages = 1 }: PageSize,
  build: (limit: number) => string | Promise<string>,
): Promise<string> {
  const room = roomFor(isLarge);
  // The rest is for a note after all pages.
  const max = Math.floor((room.max - 100) / pages);
  let count = limit;
  for (;;) {
    const text = await build(count);
    const share = room.sizeOf(text) / max;
    if (count <= 1 || share <= 1) return text;
    count = Math.max(1, Math.floor((count * 0.9) / share));
  }
}

/** Cuts a text to a number of bytes, with an ellipsis. */
export function clip(text: string, bytes: number): string {
  const whole = Buffer.from(text);
  if (whole.length <= bytes) return text;
  return `${whole
    .subarray(0, bytes - 3)
    .toString('utf8')
    .replace(/\uFFFD$/u, '')}…`;
}

/**
 * Declares a read-only tool. Invalid arguments and errors that the caller can correct become `isError` results, whose
 * text says what to do next. Any other error is logged, and the result contains no detail of it.
 */
export function defineTool<Input, Context extends ToolContext>(
  options: ToolOptions<Input, Context>,
): Tool<Context> {
  return {
    listing: {
      name: options.name,
      description: options.description,
      inputSchema: inputSchema(options.input),
      ...(options.isAlwaysLoaded ? { _meta: { 'anthropic/alwaysLoad': true } } : {}),
      annotations: {
        readOnlyHint: true,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    async call(args, context) {
      try {
        const text = await options.run(parseArguments(options, args), context);
        return { content: [{ type: 'text', text: bounded(text) }] };
      } catch (error) {
        return errorResult(options.name, error, context);
      }
    },
  };
}

/** Maximum number of wrong arguments that an answer names. */
const maxIssues = 10;

/**
 * Reads the arguments of a call. Unknown ones are ignored: Gemini CLI adds `wait_for_previous` to every schema and
 * sends it. `null` counts as absent, because some models write it for each optional argument.
 */
function parseArguments<Input>(options: Pick<ToolOptions<Input>, 'name' | 'input'>, args: unknown): Input {
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
  if (isCallerError(error)) return failure(withFieldErrors(error));
  context.log.error({ err: error, tool }, 'tool failed');
  const advice =
    'This is an error of the service, not of the question. Try again; if it persists, tell the operator.';
  return failure(
    error instanceof OrgctxError ? visibleLine(error.message) : `${tool} failed unexpectedly. ${advice}`,
  );
}

function withFieldErrors(error: OrgctxError): string {
  if (!(error instanceof InvalidInput) || error.errors.length === 0) return visibleLine(error.message);
  const further = error.errors.filter(({ message }) => !error.message.includes(message));
  // A message repeats names of files, and a name with a newline must not forge a line.
  return [
    error.message,
    ...further.map((problem) => `- ${fieldName(problem.path) || 'arguments'}: ${problem.message}`),
  ]
    .map(visibleLine)
    .join('\n');
}

/** Maximum length of the text of an error, which may repeat arguments. */
export const maxErrorCharacters = 500;

/** Half of the clients do not tell their model that a result is an error, so the text says it. */
function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: shorten(`Error: ${text}`, maxErrorCharacters) }] };
}

const leftOut = '(The rest is left out: ask for less.)';

/**
 * Shortens long lines, and a text that is longer than any client shows, at the end of a line. Keeps its last lines: how
 * to continue, and what quoted text is.
 */
function bounded(text: string): string {
  const lines = text.split('\n').map((line) => shorten(line, maxText.line));
  const whole = lines.join('\n');
  if (Buffer.byteLength(whole) <= maxText.bytes) return whole;
  let end = lines.length;
  if (lines[end - 1] === quotedNote) end -= 1;
  if (isCursorLine(lines[end - 1] ?? '')) end -= 1;
  const last = [leftOut, ...lines.slice(end)];
  const left = maxText.bytes - Buffer.byteLength(last.join('\n')) - 1;
  return [...fittingLines(lines.slice(0, end), left), ...last].join('\n');
}

/** Keywords that the list of tools leaves out, because each conversation pays for it; an error names them. */
const unlisted = ['maxLength', 'minLength', 'maxItems', 'minItems', 'minimum'] as const;

function inputSchema(schema: z.ZodType): ToolListing['inputSchema'] {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    override({ jsonSchema }) {
      for (const keyword of unlisted) delete jsonSchema[keyword];
    },
  });
  return json as ToolListing['inputSchema'];
}
