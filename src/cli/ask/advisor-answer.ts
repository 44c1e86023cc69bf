import { z } from 'zod';
import { answerRecord, citationRecord } from '../../features/advisor/answer.ts';
import { tolerant } from '../remote/tolerant.ts';

/** The members of an answer that the command `ask` reads; it passes the others on. */
export const advisorAnswer = tolerant(
  z.object({
    answer: answerRecord.shape.answer,
    citations: z.array(
      citationRecord.pick({
        n: true,
        kind: true,
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
    notice: answerRecord.shape.notice,
    truncated: answerRecord.shape.truncated,
  }),
);

export type AdvisorAnswer = z.infer<typeof advisorAnswer>;
