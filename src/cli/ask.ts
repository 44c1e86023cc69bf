import { z } from 'zod';
import { type ApiClient, withApi } from './api-client.ts';
import { askByContext, type ContextAnswer } from './ask-by-context.ts';
import { callTool } from './call-tool.ts';
import { answerInWords } from './citation.ts';
import { defineCommand } from './frame/command.ts';
import { requiredText } from './frame/parameters.ts';
import { remoteFlags } from './remote-target.ts';

/** `structuredContent` of `svc_advisor` (contract section 4). */
const answerShape = z.looseObject({
  answer: z.string(),
  citations: z.array(
    z.looseObject({
      n: z.number(),
      repository: z.string().optional(),
      path: z.string().optional(),
      startLine: z.number().optional(),
      endLine: z.number().optional(),
      commit: z.string().optional(),
      url: z.string(),
      title: z.string(),
    }),
  ),
  truncated: z.boolean(),
});

export const askCommand = defineCommand({
  description:
    'Asks the advisor of the organization, answered with numbered citations. With an API key it is the tool ' +
    'svc_advisor that answers; a login may not call /mcp, so its answer quotes the same evidence over REST.',
  args: { prompt: requiredText('prompt', 'the question, at most 32,000 characters') },
  flags: remoteFlags,
  examples: ['orgctx ask "How are expired leases given back?" --org acme'],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const progress = context.terminal.progress();
      progress.report({ phase: 'asking the advisor' });
      const answer = await askAdvisor(api, args.prompt).finally(() => progress.end());
      return { json: answer, text: answerInWords(answer.answer, answer.citations, context.terminal.out) };
    }),
});

async function askAdvisor(
  api: ApiClient,
  prompt: string,
): Promise<z.output<typeof answerShape> | ContextAnswer> {
  return api.target.credential.kind === 'login'
    ? askByContext(api, prompt)
    : callTool(api, 'svc_advisor', { prompt }, answerShape);
}
