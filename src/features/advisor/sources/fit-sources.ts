import type { Evidence, Source } from '../answer.ts';
import type { PassageBudget } from '../ranking/choose-passages.ts';

/** Characters that a source costs besides its excerpt: its address, title and reasons. */
const overheadCharacters = 160;

/**
 * Returns sources within a budget, in their order, each once. Lines that an earlier source contains are left out. What
 * does not fit is skipped, because a shorter one after it may fit.
 */
export function fitSources(
  sources: readonly Source[],
  { limit, characters }: PassageBudget,
): { readonly items: readonly Evidence[]; readonly truncated: boolean } {
  const items: Evidence[] = [];
  let left = characters;
  let truncated = false;
  for (const source of sources) {
    if (items.some((item) => contains(item, source))) continue;
    const cost = source.excerpt.length + overheadCharacters;
    if (items.length >= limit || cost > left) {
      truncated = true;
      continue;
    }
    left -= cost;
    items.push({ ...source, rank: items.length + 1, score: scoreOf(source) ?? 1 / (items.length + 1) });
  }
  return { items, truncated };
}

function contains(item: Source, source: Source): boolean {
  if (item.uri === source.uri) return true;
  if (item.path === undefined || item.repository !== source.repository || item.path !== source.path)
    return false;
  return (item.startLine ?? 0) <= (source.startLine ?? 0) && (item.endLine ?? 0) >= (source.endLine ?? 0);
}

function scoreOf(source: Source): number | undefined {
  return 'score' in source && typeof source.score === 'number' ? source.score : undefined;
}
