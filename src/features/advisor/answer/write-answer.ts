import { shortCommit } from '../../../foundation/kernel/text/short-commit.ts';
import type { Answer, Citation, Evidence, Freshness } from '../answer.ts';
import type { Pack } from '../collect-pack.ts';
import { minuteOf } from '../facts/minute-of.ts';
import { inlineCode } from '../text/markdown.ts';
import { emptyLead, graphNote, pendingNotes } from './repository-notes.ts';
import type { Sentence } from './statements.ts';

const maxListed = 8;
/** Maximum number of sources of an answer that no sentence cites. */
const maxUncited = 4;

/**
 * Writes the answer of a pack without a language model: the point, the reasons for it, then what was not found, what
 * was left out and how fresh the index is. Passages are in the citations.
 */
export function writeAnswer(pack: Pack): Answer {
  const { statements, items, inquiry } = pack;
  const { ranked } = inquiry;
  const cited = new Map(items.map((item) => [item.uri, item]));
  const numbers = new Map<string, number>();
  const textOf = (sentence: Sentence): string =>
    sentence
      .map((piece) => {
        if (typeof piece === 'string') return piece;
        const item = cited.get(piece.uri) ?? containing(items, piece);
        if (item === undefined) return '';
        const n = numbers.get(item.uri) ?? numbers.size + 1;
        numbers.set(item.uri, n);
        return ` [${n}]`;
      })
      .join('');
  const lead = statements.lead.map(textOf).join(' ');
  const reasons = statements.reasons.map((reason) => `- ${textOf(reason)}`).join('\n');
  const citations = numbered(items, numbers);
  const freshness = freshnessOf(pack, citations);
  const notes = answerNotes(pack, freshness);
  const empty = lead === '' ? emptyLead(ranked) : lead;
  return {
    answer: [empty, reasons, notes.join('\n')].filter((part) => part !== '').join('\n\n'),
    citations,
    freshness,
    truncated: pack.truncated,
  };
}

/** Returns the source that contains the lines of another one, which was therefore left out. */
function containing(
  items: readonly Evidence[],
  piece: Exclude<Sentence[number], string>,
): Evidence | undefined {
  return items.find(
    ({ repository, path, startLine = 0, endLine = 0 }) =>
      path !== undefined &&
      repository === piece.repository &&
      path === piece.path &&
      startLine <= (piece.startLine ?? 0) &&
      endLine >= (piece.endLine ?? 0),
  );
}

/**
 * Numbers the sources: those that the text cites in its order, then some others, those of the repositories that it
 * cites before those of other ones.
 */
function numbered(items: readonly Evidence[], numbers: Map<string, number>): readonly Citation[] {
  const cited = items.filter(({ uri }) => numbers.has(uri));
  const repositories = new Set(cited.map(({ repository }) => repository));
  const isNear = ({ repository }: Evidence): boolean => cited.length === 0 || repositories.has(repository);
  const rest = items.filter(({ uri }) => !numbers.has(uri));
  const near = rest.filter(isNear);
  const others = (near.length > 0 ? near : rest).slice(0, maxUncited);
  for (const { uri } of others) numbers.set(uri, numbers.size + 1);
  return [...cited, ...others]
    .map((item) => citationOf(item, numbers.get(item.uri) ?? 0))
    .toSorted((a, b) => a.n - b.n);
}

function citationOf(item: Evidence, n: number): Citation {
  const { kind, repository, path, startLine, endLine, commit, uri, url, title, excerpt, focus, reasons } =
    item;
  return {
    n,
    kind,
    ...(repository === undefined ? {} : { repository }),
    ...(path === undefined ? {} : { path }),
    ...(startLine === undefined ? {} : { startLine }),
    ...(endLine === undefined ? {} : { endLine }),
    ...(commit === undefined ? {} : { commit }),
    uri,
    url,
    title,
    excerpt,
    ...(focus === undefined ? {} : { focus }),
    reason: reasons.slice(0, 3).join('; '),
  };
}

/** Returns the states of the indexes that the answer relies on: those of its sources, or of all if it has none. */
export function freshnessOf(
  { inquiry }: Pack,
  citations: readonly Pick<Citation, 'repository'>[],
): readonly Freshness[] {
  const cited = new Set(citations.flatMap(({ repository }) => repository ?? []));
  return inquiry.ranked.repositories
    .filter(({ name }) => cited.size === 0 || cited.has(name))
    .map(({ name, indexedCommit, indexedAt }) => ({ repository: name, indexedCommit, indexedAt }));
}

/** Returns the sentences about what was not found, was not searched or is not fresh. */
export function answerNotes(
  { statements, inquiry, withoutGraph, partial, items }: Pack,
  freshness: readonly Freshness[],
): string[] {
  const { ranked, kind, prompt } = inquiry;
  const unmatched = ranked.unmatched
    .filter((text) => statements.found?.includes(text) !== true)
    .slice(0, maxListed)
    .map(inlineCode)
    .join(', ');
  const isSaid = items.length === 0 || statements.isNotFound === true;
  return [
    ...statements.notes,
    unmatched === '' || isSaid ? '' : `Not found as written in any indexed file: ${unmatched}.`,
    partial
      ? 'The ranking was cut short, so better places may be missing. Name a repository or ask a narrower question.'
      : '',
    ranked.damaged
      ? 'The index of a repository is damaged and is being rebuilt; its files are missing here.'
      : '',
    withoutGraph
      ? 'The knowledge graph did not answer in time, so callers, owners and changes are missing.'
      : '',
    graphNote(inquiry, freshness),
    ...pendingNotes(ranked, prompt),
    kind === 'service' ? '' : freshnessNote(freshness),
  ].filter((note) => note !== '');
}

function freshnessNote(freshness: readonly Freshness[]): string {
  if (freshness.length === 0) return '';
  const states = freshness
    .slice(0, maxListed)
    .map(
      ({ repository, indexedCommit, indexedAt }) =>
        `${inlineCode(repository)} at ${shortCommit(indexedCommit)}, indexed ${minuteOf(indexedAt)}`,
    );
  const more = freshness.length > maxListed ? `; and ${freshness.length - maxListed} more` : '';
  return `Freshness: ${states.join('; ')}${more}.`;
}
