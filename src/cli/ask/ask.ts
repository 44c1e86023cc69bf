import { z } from 'zod';
import { answerRecord, citationRecord } from '../../features/advisor/answer-record.ts';
import { visibleLine } from '../../foundation/kernel/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { requiredText, toggle } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { tolerant } from '../remote/tolerant.ts';
import { formatAnswer, formatStart } from './citation.ts';

const advisorAnswer = tolerant(
  z.object({
    answer: answerRecord.shape.answer,
    citations: z.array(
      citationRecord.pick({
        n: true,
        repository: true,
        path: true,
        startLine: true,
        endLine: true,
        commit: true,
        url: true,
        title: true,
        excerpt: true,
      }),
    ),
    model: answerRecord.shape.model,
    // A later server may have other codes.
    notice: z.object({ code: z.string(), message: z.string() }).optional(),
    truncated: answerRecord.shape.truncated,
  }),
);

export const askCommand = defineCommand({
  description:
    'Asks the advisor of the organization and prints the answer with numbered sources, like the tool svc_advisor.',
  args: { prompt: requiredText('prompt', 'the question, at most 32,000 characters') },
  flags: {
    full: toggle(
      'print every passage whole, with its address; on a terminal it is the start of some otherwise',
    ),
    ...remoteFlags,
  },
  examples: ['orgctx ask "Where are expired leases released?" --org acme'],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const progress = context.terminal.progress();
      progress.report({ phase: 'asking the advisor' });
      const request = { method: 'POST', path: '/ask', body: { prompt: args.prompt } } as const;
      const answer = await api.call(request, advisorAnswer).finally(() => progress.end());
      const { out, json } = context.terminal;
      if (!out.isTerminal || json || flags.full) {
        return {
          json: answer,
          text: formatAnswer(answer.answer, answer.citations, out),
          notes: noticeOf(answer),
        };
      }
      const { text, omitted } = formatStart(answer.answer, answer.citations, out);
      const omission =
        omitted === 0
          ? []
          : [`${omitted} ${omitted === 1 ? 'passage is' : 'passages are'} not whole: add --full`];
      return { json: answer, text, notes: [...noticeOf(answer), ...omission] };
    }),
});

/** Returns why the language model did not write the answer, if it should have. */
function noticeOf({ notice }: z.infer<typeof advisorAnswer>): string[] {
  return notice === undefined ? [] : [visibleLine(notice.message)];
}
