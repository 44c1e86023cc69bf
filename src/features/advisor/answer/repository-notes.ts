import { counted } from '../../../foundation/kernel/text/counted.ts';
import { progressInWords } from '../../../foundation/kernel/text/progress.ts';
import type { PendingRepository } from '../../search/repositories-in-scope.ts';
import type { Freshness } from '../answer.ts';
import type { Inquiry } from '../facts/inquiry.ts';
import { isOfGraph } from '../facts/state-answer.ts';
import { namedRepositories } from '../question/named-repositories.ts';
import type { RankedCode } from '../ranking/rank-code.ts';
import { inlineCode, plainText } from '../text/markdown.ts';

const maxListed = 8;

/** Returns the lead of an answer without content: why nothing could be answered, and what to do. */
export function emptyLead({ repositories, pending, damaged, partial }: RankedCode): string {
  if (repositories.length === 0 && pending.length === 0) {
    return 'Nothing is indexed in this organization yet, so there is nothing to answer from. Add a repository with `orgctx repo add <source>` (a Git URL or a folder) and ask again when it is indexed.';
  }
  if (repositories.length === 0) {
    return pending.every(({ state }) => state === 'failed')
      ? 'No repository is indexed: each one failed, see below.'
      : 'The repositories of this organization are still being indexed; nothing can be answered yet. Ask again in a moment; `orgctx repo list` shows their states.';
  }
  if (damaged)
    return 'No passage was found in the part of the index that can be read. The result is incomplete: ask again in a few minutes.';
  if (partial) return 'No passage was found before the ranking was cut short.';
  return 'Nothing was found.';
}

/**
 * Lists the repositories that were not searched. Those that failed are only counted if others were searched, except
 * those that the prompt names: they are described, with what an admin can do.
 */
export function pendingNotes({ pending, repositories }: RankedCode, prompt: string): string[] {
  const failed = pending.filter(({ state }) => state === 'failed');
  const others = pending.filter(({ state }) => state !== 'failed');
  const described = repositories.length === 0 ? failed : namedRepositories(prompt, failed).named;
  return [
    others.length === 0 ? '' : `Not searched because not indexed yet: ${listed(others)}.`,
    failed.length === 0 || described.length > 0
      ? ''
      : `Not searched because indexing failed: ${counted(failed.length, 'repository', 'repositories')}. \`orgctx repo list\` shows ${failed.length === 1 ? 'it' : 'them'}.`,
    described.length === 0
      ? ''
      : `Not searched because indexing failed: ${listed(described)}. After the fix, \`orgctx repo sync <name>\` tries again; \`orgctx repo set <name> --source <source>\` corrects the source.`,
  ];
}

/**
 * Says of which repositories the graph lacks the indexed commit, if the graph answers the question: those that the
 * prompt names and those that the answer relies on.
 */
export function graphNote(
  { ranked, kind }: Pick<Inquiry, 'ranked' | 'kind'>,
  freshness: readonly Freshness[],
): string {
  if (!isOfGraph(kind)) return '';
  const meant = new Set([
    ...ranked.named.map(({ name }) => name),
    ...freshness.map(({ repository }) => repository),
  ]);
  const behind = ranked.searched.filter(
    ({ name, indexedCommit, graphCommit }) => graphCommit !== indexedCommit && meant.has(name),
  );
  if (behind.length === 0) return '';
  const names = behind.slice(0, maxListed).map(({ name }) => inlineCode(name));
  const shown = [...names, ...(behind.length > maxListed ? [`${behind.length - maxListed} more`] : [])].join(
    ', ',
  );
  return `The knowledge graph of ${shown} is not built yet for ${behind.length === 1 ? 'its indexed commit' : 'their indexed commits'}, so owners, callers and changes may be missing.`;
}

function listed(pending: readonly PendingRepository[]): string {
  const described = pending.slice(0, maxListed).map(({ name, state, progress, error }) => {
    const doing = progress === undefined ? '' : progressInWords(progress);
    const told = state === 'failed' ? (error?.message ?? '') : doing;
    const parts = [state === 'failed' ? '' : state, plainText(told).replace(/\.$/, '')].filter(Boolean);
    return parts.length === 0 ? inlineCode(name) : `${inlineCode(name)} (${parts.join(', ')})`;
  });
  const more = pending.length > maxListed ? ` and ${pending.length - maxListed} more` : '';
  return `${described.join(', ')}${more}`;
}
