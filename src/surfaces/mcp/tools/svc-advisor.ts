import { z } from 'zod';
import { ask } from '../../../features/advisor/ask.ts';
import { type CallContext, defineTool } from './tool.ts';

/** Exactly one argument, `prompt` (specification, MCP endpoint rule 4). */
const input = z.strictObject({
  prompt: z
    .string()
    .describe(
      'The question or task in plain words; name files, symbols, issues, incidents or errors where known.',
    ),
});

export const svcAdvisor = defineTool({
  name: 'svc_advisor',
  description:
    "Answers a question about the organization's code, history, owners, issues and incidents, with the passages that say it. " +
    'Start here: where is, how does, what calls, why changed, who owns, what changed before an incident, what would a change touch.',
  input,
  isAlwaysLoaded: true,
  async run({ prompt }, { deps, access, signal, progress }: CallContext) {
    const advisor = { ...deps.answers, knowledge: deps.knowledge };
    const options = { userId: access.principal.userId, signal, onProgress: progress };
    const { text, notice } = await ask(advisor, access.scope, { prompt }, options);
    return notice === undefined ? text : `(${notice.message})\n${text}`;
  },
});
