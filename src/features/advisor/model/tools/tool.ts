import { z } from 'zod';
import type { ModelTool } from '../../../../backends/models/port.ts';
import type { AdvisorDeps } from '../../advisor-deps.ts';
import type { Source } from '../../answer.ts';
import type { Pack } from '../../collect-pack.ts';

/** The dependencies of a tool of the model. The organization comes from the caller's session, never from the model. */
export interface ToolContext {
  readonly deps: AdvisorDeps;
  readonly inquiry: Pack['inquiry'];
  readonly signal: AbortSignal;
}

export interface ToolResult {
  readonly sources: readonly Source[];
  /** Names what is missing or the next step, in words of this program. */
  readonly notes?: readonly string[];
}

/** A read-only tool of the model. */
export interface AnswerTool {
  readonly declaration: ModelTool;
  /** @throws InvalidInput for arguments that do not fit, and what the function behind it throws */
  run(args: unknown, context: ToolContext): Promise<ToolResult>;
}

export function answerTool<Args>(options: {
  readonly name: string;
  readonly description: string;
  readonly args: z.ZodType<Args>;
  run(args: Args, context: ToolContext): Promise<ToolResult>;
}): AnswerTool {
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(options.args, { io: 'input' });
  return {
    declaration: { name: options.name, description: options.description, parameters },
    run: (args, context) => options.run(options.args.parse(args), context),
  };
}
