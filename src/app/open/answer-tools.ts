import type { AnswerTool } from '../../features/advisor/advisor-deps.ts';
import { readingTools } from '../../surfaces/mcp/tools/all.ts';

/** The tools of MCP for the language model that writes answers. */
export const answerTools: readonly AnswerTool[] = readingTools.map(({ listing, call }) => ({
  declaration: {
    name: listing.name,
    description: listing.description ?? '',
    parameters: listing.inputSchema,
  },
  async run(args, { deps, scope, log, signal }) {
    const context = { deps: { answers: deps, knowledge: deps.knowledge }, access: { scope }, log, signal };
    const { content } = await call(args, context);
    return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  },
}));
