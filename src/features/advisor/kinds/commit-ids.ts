import { isSamePath } from '../../../backends/codesearch/port.ts';
import { inTurns } from '../../../foundation/kernel/limits/in-turns.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { commitOf, orNone } from '../evidence/past-commits.ts';
import type { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { codeList } from '../text/markdown.ts';
import { statedCommits } from './state-commits.ts';
import { saysNoMore } from './weigh-commits.ts';

/**
 * Maximum numbers of commits that are stated, of ids that are looked up, of repositories that are read at once, and of
 * those that are read if the question may not mean a commit.
 */
const max = { commits: 3, ids: 3, atOnce: 4, repositories: 8 } as const;

/** Answers with the commits whose ids a question names, whichever repository has them, or that none has them. */
export async function commitIdAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { deps, scope, signal, question, ranked } = inquiry;
  // A question with a pasted patch is about what that changes, not about its ids.
  const ids = question.mentions.commits.filter((id) => question.head.includes(id)).slice(0, max.ids);
  // Other hexadecimal numbers, such as those of requests, are words of the question.
  const isAsked = /\bcommits?\b/iu.test(question.head) || saysNoMore(inquiry, ...ids);
  const repositories = [...new Set([...ranked.named, ...ranked.repositories])];
  const lookups = repositories
    .slice(0, isAsked ? undefined : max.repositories)
    .flatMap((repository) => ids.map((commit) => ({ repository, commit })));
  const read = await inTurns(lookups, max.atOnce, async ({ repository, commit }) => {
    const found = deps.sources.findCommits(scope, { repository: repository.id, commit }, signal);
    return (await orNone(inquiry, found))?.map((one) => commitOf(repository, one));
  });
  const all = read.flatMap((commits) => commits ?? []);
  const missing = ids.filter((id) => !all.some((commit) => commit.id.startsWith(id)));
  const where = counted(ranked.repositories.length, 'repository', 'repositories');
  const lead = `Not found: no commit ${codeList(missing)} in ${where}.`;
  if (all.length > 0) {
    const { repository, paths } = all[0]!;
    const path = paths.find((one) => question.subject.paths.some((named) => isSamePath(one, named)));
    const target = path === undefined ? undefined : { repository, path };
    const stated = await statedCommits(inquiry, all.slice(0, max.commits), { isSure: true, target });
    return { ...stated, passages: 0, notes: missing.length > 0 ? [lead] : [] };
  }
  const isSure = ids.length > 0 && isAsked && !read.includes(undefined);
  return isSure ? { lines: [[lead]], passages: 0, isNotFound: true } : undefined;
}
