import { listed } from '../../../foundation/kernel/text/listed.ts';
import { progressInWords } from '../../../foundation/kernel/text/progress.ts';
import type { Pack } from '../collect-pack.ts';
import type { RankedQuestion } from '../inquiry.ts';
import { codeList, fileOf, inlineCode, namesOf, plainText } from '../text/markdown.ts';

/** Maximum number of words or repositories in a sentence. */
const maxListed = 8;

/** Says why nothing could be answered, and what to do. */
export function emptyLine({ repositories, pending, damaged, partial }: RankedQuestion): string {
  if (repositories.length === 0 && pending.length === 0) {
    return 'Nothing is indexed in this organization yet, so there is nothing to answer from. Add a repository with `orgctx repo add <source>` (a Git URL or a folder) and ask again when it is indexed.';
  }
  if (repositories.length === 0)
    return 'No repository of this organization is indexed yet, so nothing can be answered. Ask again when one is; `orgctx repo list` shows their states.';
  return damaged || partial ? 'Nothing was found in the part that was searched.' : 'Nothing was found.';
}

/** Returns the sentences about what was not found, was not searched or is not fresh. */
export function notesOf({ finding, inquiry, missing, withoutGraph }: Pack): readonly string[] {
  const { ranked, named } = inquiry;
  const notes = [...(finding?.notes ?? [])];
  const message = finding?.message?.toLowerCase() ?? '';
  const all = [...new Set([...missing, ...ranked.unmatched])];
  const words = all.filter((word) => !message.includes(word.toLowerCase())).slice(0, maxListed);
  if (finding?.isNotFound !== true && words.length > 0)
    notes.push(`No ${fileOf(ranked)} has ${codeList(words)}.`);
  if (named.unknown.length > 0)
    notes.push(`No issue ${codeList(named.unknown)} is mirrored in this organization.`);
  if (ranked.partial)
    notes.push(
      'The ranking was cut short, so better places may be missing. Name a repository or ask a narrower question.',
    );
  if (ranked.damaged)
    notes.push('The index of a repository is damaged and is being rebuilt; its files are missing here.');
  if (withoutGraph)
    notes.push('The knowledge graph did not answer in time, so callers, owners and changes are missing.');
  return [...notes, ...graphNotes(inquiry), ...pendingNotes(ranked)];
}

/** Says of which searched repositories the graph lacks the indexed commit, if the graph answers the question. */
function graphNotes({ ranked, question: { isOfCode } }: Pack['inquiry']): readonly string[] {
  if (isOfCode) return [];
  const near = new Set<string>(ranked.passages.best.slice(0, maxListed).map(({ repository }) => repository));
  const behind = ranked.searched.filter(
    ({ id, indexedCommit, graphCommit }) =>
      graphCommit !== indexedCommit && (near.has(id) || ranked.named.some((one) => one.id === id)),
  );
  if (behind.length === 0) return [];
  const commits = behind.length === 1 ? 'its indexed commit' : 'their indexed commits';
  return [
    `The knowledge graph of ${namesOf(behind)} is not built yet for ${commits}, so owners, callers and changes may be missing.`,
  ];
}

/** Lists the repositories that were not searched. */
function pendingNotes({ pending }: RankedQuestion): readonly string[] {
  const states = pending.map(({ name, state, progress }) => {
    const doing = progress === undefined ? '' : `, ${plainText(progressInWords(progress))}`;
    return `${inlineCode(name)} (${state}${doing})`;
  });
  return states.length === 0 ? [] : [`Not searched because not indexed: ${listed(states, maxListed)}.`];
}
