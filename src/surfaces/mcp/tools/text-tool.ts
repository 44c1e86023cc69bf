import { z } from 'zod';
import { defineTool, type Tool, type ToolContext, type ToolOptions } from './tool.ts';

/** Declares a tool whose answer is one text. */
export function defineTextTool<Input>(
  options: Omit<ToolOptions<Input, object>, 'output' | 'run'> & {
    run(input: Input, context: ToolContext): Promise<string>;
  },
): Tool {
  return defineTool<Input, object>({
    ...options,
    output: z.object({}),
    run: async (input, context) => ({ structured: {}, text: await options.run(input, context) }),
  });
}
