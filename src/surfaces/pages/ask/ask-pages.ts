import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Answer } from '../../../features/advisor/answer.ts';
import { ask } from '../../../features/advisor/ask.ts';
import { maxPromptCharacters } from '../../../features/advisor/prompt-limit.ts';
import { type AppPage, maxFormBytes, type Visit } from '../app/app-page.ts';
import { checkFields, filled, formErrorsOf } from '../kit/check-fields.ts';
import type { FieldErrors } from '../kit/form.ts';
import type { PageContext } from '../pages-deps.ts';
import { askView } from './ask-view.ts';

const path = '/ask';
const own = { path, role: 'member', section: 'Ask' } as const;

const fields = z.object({ prompt: filled('Enter a question.', maxPromptCharacters) });

/** The page that answers a question with citations. The question is part of the form and never of an address. */
export const askPages: readonly AppPage[] = [
  { ...own, method: 'GET', handle: (visit) => visit.show(askView(visit, {})) },
  { ...own, method: 'POST', form: { page: path, maxBytes: maxFormBytes }, handle: answerQuestion },
];

async function answerQuestion(visit: Visit, { answers, knowledge }: PageContext): Promise<FastifyReply> {
  const { values, errors } = checkFields(fields, visit.fields);
  const show = (shown: { readonly errors?: FieldErrors; readonly answer?: Answer }) =>
    visit.show(askView(visit, { prompt: visit.fields['prompt'] ?? '', ...shown }));
  if (errors !== undefined) return show({ errors });
  try {
    return show({
      answer: await ask({ ...answers, knowledge }, visit.scope, values, {
        userId: visit.access.principal.userId,
        signal: visit.signal,
      }),
    });
  } catch (error) {
    return show({ errors: formErrorsOf(error, ['prompt']) });
  }
}
