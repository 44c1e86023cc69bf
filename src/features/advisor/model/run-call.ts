import { z } from 'zod';
import type { ModelCall, ModelTool } from '../../../backends/models/port.ts';
import { InvalidInput, OrgctxError } from '../../../foundation/kernel/errors.ts';
import { shorten } from '../../../foundation/kernel/text/visible-text.ts';
import type { Fence } from './instructions.ts';
import type { IssuedSources } from './issued-sources.ts';
import { UnusableAnswer } from './model-notice.ts';
import { readFileTool, searchCodeTool } from './tools/code-tools.ts';
import { findEntityTool, relatedTool } from './tools/graph-tools.ts';
import type { AnswerTool, ToolContext, ToolResult } from './tools/tool.ts';

/** The tools of the model. All only read, and only what the caller may read. */
const tools: readonly AnswerTool[] = [searchCodeTool, readFileTool, findEntityTool, relatedTool];

export const modelTools: readonly ModelTool[] = tools.map(({ declaration }) => declaration);

/** Maximum length of the arguments and of the result of a call, in characters. */
const max = { arguments: 8_000, result: 24_000 } as const;

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
  return [...shown, ...(result.notes ?? []), ...cut].join('\n\n');
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
