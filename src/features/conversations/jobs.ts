import type { FeatureJobs } from '../../foundation/jobs/feature-jobs.ts';
import { handle } from '../../foundation/jobs/handler.ts';
import { type PurgeConversationsDeps, purgeConversations } from './purge-conversations.ts';
import { conversationsPurge, conversationsPurgeSchedule } from './tasks.ts';

export function conversationJobs(deps: PurgeConversationsDeps): FeatureJobs {
  return {
    handlers: [handle(conversationsPurge, (_payload, { signal }) => purgeConversations(deps, signal))],
    schedules: [conversationsPurgeSchedule],
  };
}
