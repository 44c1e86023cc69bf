import { counted } from '../../foundation/kernel/text/counted.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { requiredWords, toggle } from '../frame/parameters.ts';
import { UsageError } from '../frame/usage-error.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { type AdvisorAnswer, advisorAnswer } from './advisor-answer.ts';
import { askInConversation } from './ask-in-conversation.ts';
import { formatAnswer, formatStart } from './citation.ts';

export const askCommand = defineCommand({
  description:
    'Asks the advisor of the organization and prints the answer with numbered sources, like the tool svc_advisor.',
  args: { prompt: requiredWords('the question, at most 32,000 characters; in quotes if it has ? or *') },
  flags: {
    full: toggle(
      'print every passage whole, with its address; on a terminal it is the start of some otherwise',
    ),
    continue: toggle('ask in the last conversation of this sign-in, or start the first one'),
    new: toggle('start a conversation that --continue goes on with'),
    ...remoteFlags,
  },
  examples: [
    'orgctx ask "Where are expired leases released?"',
    'orgctx ask --new "Where are leases renewed?"',
    'orgctx ask --continue "And who calls it?"',
  ],
  run: async ({ args, flags }, context) => {
    if (flags.continue && flags.new) {
      throw new UsageError('--continue and --new exclude each other.', 'Give one of them.');
    }
    return await withApi(context, flags, async (api) => {
      const progress = context.terminal.progress();
      progress.report({ phase: 'asking the advisor' });
      const { prompt } = args;
      const asking =
        flags.continue || flags.new
          ? askInConversation(context, api, { prompt, isNew: flags.new })
          : api
              .call({ method: 'POST', path: '/ask', body: { prompt } }, advisorAnswer)
              .then((answer) => ({ answer, notes: [] }));
      const { answer, notes } = await asking.finally(() => progress.end());
      const said = [...noticeOf(answer), ...notes];
      const { out, json } = context.terminal;
      if (!out.isTerminal || json || flags.full) {
        return { json: answer, text: formatAnswer(answer.answer, answer.citations, out), notes: said };
      }
      const { text, cut, hidden } = formatStart(answer.answer, answer.citations, out);
      const sources = hidden === 0 ? [] : [counted(hidden, 'more source')];
      const passages = cut === 0 ? [] : ['every passage whole'];
      const rest = [...sources, ...passages].join(' and ');
      return { json: answer, text, notes: [...said, ...(rest === '' ? [] : [`--full shows ${rest}`])] };
    });
  },
});

/** Returns why the language model did not write the answer, if it should have. */
function noticeOf({ notice }: AdvisorAnswer): string[] {
  return notice === undefined ? [] : [visibleLine(notice.message)];
}
