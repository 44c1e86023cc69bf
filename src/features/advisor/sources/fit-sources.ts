import type { Evidence, Source } from '../answer.ts';
import type { PassageBudget } from '../ranking/choose-passages.ts';

/** Characters that a source costs besides its excerpt: its address, title and reasons. */
const overheadCharacters = 160;

/**
 * Returns sources within a budget, in their order, each once: those that are cited, then further ones. A source is left
 * out if an earlier one has all of its lines, a further one also if an earlier one has half of them. What does not fit is
 * skipped, because a shorter one after it may fit.
 */
export function fitSources(
  { cited, further }: { readonly cited: readonly Source[]; readonly further: readonly Source[] },
  { limit, characters }: PassageBudget,
): { readonly items: readonly Evidence[]; readonly truncated: boolean } {
  const items: Evidence[] = [];
  let left = characters;
  let truncated = false;
  const offer = (source: Source, maxShared: number): void => {
    if (items.some((item) => item.uri === source.uri || sharedLines(item, source) >= maxShared)) return;
    const cost = source.excerpt.length + overheadCharacters;
    if (items.length >= limit || cost > left) {
      truncated = true;
      return;
    }
    left -= cost;
    items.push({ ...source, rank: items.length + 1, score: scoreOf(source) ?? 1 / (items.length + 1) });
  };
  for (const source of cited) offer(source, 1);
  for (const source of further) offer(source, maxSharedOfFurther);
  return { items, truncated };
}

/** Share of the lines of a further source that an earlier one may have. */
const maxSharedOfFurther = 0.5;

/** Returns the share of the lines of a source that another one has. */
function sharedLines(item: Source, { repository, path, startLine = 0, endLine = 0 }: Source): number {
  if (path === undefined || item.repository !== repository || item.path !== path) return 0;
  const shared = Math.min(item.endLine ?? 0, endLine) - Math.max(item.startLine ?? 0, startLine) + 1;
  return Math.max(0, shared) / (endLine - startLine + 1);
}

function scoreOf(source: Source): number | undefined {
  return 'score' in source && typeof source.score === 'number' ? source.score : undefined;
}
