import { counted } from '../../../foundation/kernel/text/counted.ts';
import { listed } from '../../../foundation/kernel/text/listed.ts';
import { progressInWords } from '../../../foundation/kernel/text/progress.ts';
import type { PendingRepository } from '../../search/repositories-in-scope.ts';
import type { Pack } from '../collect-pack.ts';
import type { RankedQuestion } from '../inquiry.ts';
import { namedRepositories } from '../question/named-repositories.ts';
import { inlineCode, plainText } from '../text/markdown.ts';

const maxListed = 8;

/** Says why nothing could be answered, and what to do. */
export function emptyLine({ repositories, pending, damaged, partial }: RankedQuestion): string {
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

/** Returns the sentences about what was not found, was not searched or is not fresh. */
export function notesOf({ finding, inquiry, missing, withoutGraph }: Pack): readonly string[] {
  const { ranked, named, question } = inquiry;
  const message = finding?.message?.toLowerCase() ?? '';
  const words =
    finding?.isNotFound === true
      ? []
      : [...new Set([...missing.absent, ...ranked.unmatched])].filter(
          (word) => !message.includes(word.toLowerCase()),
        );
  // A word of prose that no passage has says nothing of them.
  const elsewhere = missing.elsewhere.filter((word) => question.subject.identifiers.includes(word));
  return [
    ...(finding?.notes ?? []),
    words.length === 0
      ? ''
      : `No ${fileOf(ranked)} has ${listed(words.slice(0, maxListed).map(inlineCode), maxListed)}.`,
    finding !== undefined || elsewhere.length === 0
      ? ''
      : `No ranked passage has ${listed(elsewhere.map(inlineCode), maxListed)}, but other files do: \`search_code\` finds them.`,
    named.unknown.length === 0
      ? ''
      : `No issue ${named.unknown.map(inlineCode).join(', ')} is mirrored in this organization.`,
    ranked.partial
      ? 'The ranking was cut short, so better places may be missing. Name a repository or ask a narrower question.'
      : '',
    ranked.damaged
      ? 'The index of a repository is damaged and is being rebuilt; its files are missing here.'
      : '',
    withoutGraph
      ? 'The knowledge graph did not answer in time, so callers, owners and changes are missing.'
      : '',
    graphNote(inquiry),
    ...pendingNotes(ranked, question.prompt),
  ].filter((note) => note !== '');
}

/** Names the files that were searched. */
function fileOf({ searched, repositories }: RankedQuestion): string {
  if (searched.length === repositories.length) return 'indexed file';
  const names = searched.map(({ name }) => inlineCode(name));
  return `file of ${listed(names, maxListed)}`;
}

/** Says of which searched repositories the graph lacks the indexed commit, if the graph answers the question. */
function graphNote({ ranked, question: { kind } }: Pack['inquiry']): string {
  if (kind === 'code' || kind === 'exists') return '';
  const near = new Set<string>(ranked.passages.best.slice(0, maxListed).map(({ repository }) => repository));
  const behind = ranked.searched.filter(
    ({ id, indexedCommit, graphCommit }) =>
      graphCommit !== indexedCommit && (near.has(id) || ranked.named.some((one) => one.id === id)),
  );
  if (behind.length === 0) return '';
  const names = listed(
    behind.map(({ name }) => inlineCode(name)),
    maxListed,
  );
  return `The knowledge graph of ${names} is not built yet for ${behind.length === 1 ? 'its indexed commit' : 'their indexed commits'}, so owners, callers and changes may be missing.`;
}

/**
 * Lists the repositories that were not searched. Those that failed are only counted if others were searched, except
 * those that the prompt names: they are described, with what an admin can do.
 */
function pendingNotes({ pending, repositories }: RankedQuestion, prompt: string): readonly string[] {
  const failed = pending.filter(({ state }) => state === 'failed');
  const others = pending.filter(({ state }) => state !== 'failed');
  const described = repositories.length === 0 ? failed : namedRepositories(prompt, failed).named;
  return [
    others.length === 0 ? '' : `Not searched because not indexed yet: ${pendingList(others)}.`,
    failed.length === 0 || described.length > 0
      ? ''
      : `Not searched because indexing failed: ${counted(failed.length, 'repository', 'repositories')}. \`orgctx repo list\` shows ${failed.length === 1 ? 'it' : 'them'}.`,
    described.length === 0
      ? ''
      : `Not searched because indexing failed: ${pendingList(described)}. After the fix, \`orgctx repo sync <name>\` tries again; \`orgctx repo set <name> --source <source>\` corrects the source.`,
  ];
}

function pendingList(pending: readonly PendingRepository[]): string {
  const described = pending.map(({ name, state, progress, error }) => {
    const doing = progress === undefined ? '' : progressInWords(progress);
    const told = state === 'failed' ? (error?.message ?? '') : doing;
    const parts = [state === 'failed' ? '' : state, plainText(told).replace(/\.$/, '')].filter(Boolean);
    return parts.length === 0 ? inlineCode(name) : `${inlineCode(name)} (${parts.join(', ')})`;
  });
  return listed(described, maxListed);
}
