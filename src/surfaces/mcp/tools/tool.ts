import type { CallToolResult, Tool as ToolListing } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Access } from '../../../features/identity/access/principal.ts';
import { InvalidInput, OrgctxError } from '../../../foundation/kernel/errors.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import type { McpDeps } from '../deps.ts';

/** What a tool is given beside its arguments. The organization comes from here, never from an argument. */
export interface ToolContext {
  readonly deps: McpDeps;
  readonly access: Access;
  readonly log: Pick<Logger, 'error'>;
  /** Aborted when the caller disconnects or cancels. */
  readonly signal: AbortSignal;
  /** Tells a caller who asked for progress what is being done now. */
  progress(message: string): void;
}

/**
 * The complete answer twice: as data and as the same content in text. Clients hand a model only one of the two,
 * so neither may hold less than the other.
 */
export interface ToolAnswer<Output> {
  readonly structured: Output;
  readonly text: string;
}

/** A tool as `tools/list` shows it and as `tools/call` runs it; built once at module load. */
export interface Tool {
  readonly listing: ToolListing;
  call(args: unknown, context: ToolContext): Promise<CallToolResult>;
}

export interface ToolOptions<Input, Output> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly output: z.ZodType<Output>;
  run(input: Input, context: ToolContext): Promise<ToolAnswer<Output>>;
}

/** Answers stay near 8,000 tokens: above 25,000 the common clients refuse the whole result. */
export const maxAnswerCharacters = 32_000;

/**
 * Declares a read-only tool. Wrong arguments and faults that the caller can act on become `isError` results whose
 * text names the next step; anything else is logged and answered without detail.
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

function parseArguments<Input, Output>(options: ToolOptions<Input, Output>, args: unknown): Input {
  const parsed = options.input.safeParse(args ?? {});
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(
    (issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`,
  );
  throw new InvalidInput(`Wrong arguments for ${options.name}. ${faults.join('; ')}.`);
}

function errorResult(tool: string, error: unknown, context: ToolContext): CallToolResult {
  if (context.signal.aborted) throw error;
  if (error instanceof OrgctxError && error.status < 500) return failure(withFieldFaults(error));
  context.log.error({ err: error, tool }, 'tool failed');
  const advice = 'This is a fault of the service, not of the question: try again, then tell its operator.';
  return failure(error instanceof OrgctxError ? error.message : `${tool} failed unexpectedly. ${advice}`);
}

function withFieldFaults(error: OrgctxError): string {
  if (!(error instanceof InvalidInput) || error.errors.length === 0) return error.message;
  return [error.message, ...error.errors.map((fault) => `- ${fault.path}: ${fault.message}`)].join('\n');
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

function objectSchema(schema: z.ZodType, io: 'input' | 'output'): ToolListing['inputSchema'] {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
  return json as ToolListing['inputSchema'];
}
