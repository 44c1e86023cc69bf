import { z } from 'zod';
import type { Answer } from '../features/advisor/answer.ts';
import { answerFromContext, type ContextEvidence } from '../features/advisor/answer-from-context.ts';
import { mostItems } from '../features/advisor/ask.ts';
import { isoTime } from '../foundation/kernel/clock.ts';
import { visibleText } from '../foundation/kernel/visible-text.ts';
import type { ApiClient } from './api-client.ts';
import { repositoryPage } from './repository-record.ts';

const evidenceShape = z.object({
  rank: z.number(),
  kind: z.literal('code'),
  repository: z.string(),
  path: z.string(),
  startLine: z.number(),
  endLine: z.number(),
  commit: z.string(),
  uri: z.string(),
  url: z.string(),
  title: z.string(),
  excerpt: z.string(),
  score: z.number(),
  reasons: z.array(z.string()),
});

const contextShape = z.object({
  items: z.array(evidenceShape),
  truncated: z.boolean(),
  freshness: z.array(
    z.object({ repository: z.string(), indexedCommit: z.string(), indexedAt: z.iso.datetime() }),
  ),
});

/** The answer in the form of `svc_advisor`. */
export interface ContextAnswer extends Omit<Answer, 'freshness'> {
  readonly freshness: readonly z.output<typeof contextShape>['freshness'][number][];
}

/**
 * Asks over REST, for a login, which /mcp refuses (specification: Authentication 5): the evidence that the advisor
 * would cite, quoted here by the same rules.
 */
export async function askByContext(api: ApiClient, prompt: string): Promise<ContextAnswer> {
  const body = { prompt, limit: mostItems };
  const context = await api.call({ method: 'POST', path: '/context', body }, contextShape);
  const freshness = context.freshness.map((state) => ({ ...state, indexedAt: Date.parse(state.indexedAt) }));
  const pending = freshness.length === 0 ? await pendingRepositories(api) : [];
  const answer = answerFromContext(prompt, { ...context, freshness, pending });
  return {
    ...answer,
    freshness: answer.freshness.map((state) => ({ ...state, indexedAt: isoTime(state.indexedAt) })),
  };
}

/** Nothing is searchable: what is on its way? */
async function pendingRepositories(api: ApiClient): Promise<ContextEvidence['pending']> {
  const page = await api.call({ path: '/repositories' }, repositoryPage);
  return page.items.map(({ name, state, progress, error }) => ({
    repository: visibleText(name),
    state,
    progress: state === 'failed' ? (error?.message ?? '') : (progress?.phase ?? ''),
  }));
}
