import { isoTime } from '../../foundation/kernel/clock.ts';
import { shortCommit } from '../../foundation/kernel/short-commit.ts';
import type { Answer, Citation, EvidencePack, Freshness } from './answer.ts';
import type { GatheredEvidence, Finding as GatheredFinding } from './gather-evidence.ts';
import { fenced, inlineCode, plainText } from './markdown.ts';

/** What an answer needs of a finding: also what the service hands out of it (`answer-from-context.ts`). */
export type Finding = Omit<GatheredFinding, 'repositoryId'>;

export type AnswerEvidence = Omit<GatheredEvidence, 'items'> & { readonly items: readonly Finding[] };

/** Characters, about 8,000 tokens: clients refuse a result of more than 25,000. */
const longestAnswer = 32_000;
/** Lines quoted of a passage: the first ones in full, later ones shorter. */
const quotedLines = { first: 40, rest: 16, inFull: 4 } as const;
const mostListed = 8;

/** The extractive answer: a lead, the quoted passages, then what was not found, what was cut and how fresh it is. */
export function writeAnswer(evidence: AnswerEvidence): Answer {
  const { items, freshness } = evidence;
  const closing = [...notes(evidence), freshnessLine(freshness)].filter((line) => line !== '').join('\n\n');
  if (items.length === 0) {
    return {
      answer: [nothingFound(evidence), closing].filter(Boolean).join('\n\n'),
      citations: [],
      freshness,
      truncated: false,
    };
  }
  const sections = fittingSections(items, longestAnswer - closing.length - lead(items).length - reserve);
  const quoted = items.slice(0, sections.length);
  const truncated = evidence.truncated || quoted.length < items.length;
  return {
    answer: [lead(quoted), ...sections, ...(truncated ? [moreMatches] : []), closing].join('\n\n'),
    citations: quoted.map(citationOf),
    freshness,
    truncated,
  };
}

/** For the sentence below and what joins the parts. */
const reserve = 200;
const moreMatches =
  'More passages match than are quoted here; a narrower question or `search_code` shows them.';

/** The first passages that fit, in order, so that the numbers of the citations have no gap. */
function fittingSections(items: readonly Finding[], characters: number): string[] {
  const sections: string[] = [];
  let left = characters;
  for (const [index, item] of items.entries()) {
    const section = quote(item, index);
    left -= section.length + 2;
    if (left < 0) break;
    sections.push(section);
  }
  return sections;
}

function lead(items: readonly Finding[]): string {
  const [best, ...others] = items;
  if (best === undefined) return '';
  const said = best.summary === undefined ? '' : ` It says of itself: “${plainText(best.summary)}” [1]`;
  const next = others
    .slice(0, 3)
    .map((item, index) => `${nameOf(item)} [${index + 2}]`)
    .join(', ');
  return `The best match is ${nameOf(best)} [1].${said}${next === '' ? '' : `\n\nThen: ${next}.`}`;
}

function nameOf(item: Finding): string {
  const place = inlineCode(`${item.repository}/${item.path}`);
  return item.subject === undefined ? place : `${inlineCode(item.subject)} in ${place}`;
}

function quote(item: Finding, index: number): string {
  const lines = item.excerpt.split('\n');
  const most = index < quotedLines.inFull ? quotedLines.first : quotedLines.rest;
  const last = item.startLine + Math.min(most, lines.length) - 1;
  const heading = `**[${index + 1}]** ${inlineCode(`${item.repository}/${item.path}:${item.startLine}-${last}`)}`;
  const what = item.subject === undefined ? '' : `: ${inlineCode(item.subject)}`;
  const summary =
    item.summary === undefined || index === 0 || saysItself(item, item.summary)
      ? []
      : [`“${plainText(item.summary)}” [${index + 1}]`];
  const rest =
    lines.length > most
      ? [`(to line ${item.endLine}: \`read_file\` with lines=${last + 1}-${item.endLine})`]
      : [];
  return [heading + what, ...summary, fenced(lines.slice(0, most).join('\n'), item.language), ...rest].join(
    '\n\n',
  );
}

/** The passage itself begins with these words: no need to say them twice. */
function saysItself({ excerpt }: Finding, summary: string): boolean {
  return excerpt.includes(summary.slice(0, 30));
}

function citationOf(item: Finding, index: number): Citation {
  const { kind, repository, path, startLine, endLine, commit, uri, url, title, reasons } = item;
  return {
    n: index + 1,
    kind,
    repository,
    path,
    startLine,
    endLine,
    commit,
    uri,
    url,
    title,
    reason: reasons.slice(0, 3).join('; '),
  };
}

function nothingFound({ subject, freshness, pending, hurried, damaged }: AnswerEvidence): string {
  if (freshness.length === 0 && pending.length === 0) {
    return 'Nothing is indexed in this organization yet, so there is nothing to answer from. Add a repository with `orgctx repo add <source>` (a Git URL or a folder) and ask again when it is indexed.';
  }
  if (freshness.length === 0) {
    return pending.every(({ state }) => state === 'failed')
      ? 'No repository is indexed: each one failed, see below. After the fix, `orgctx repo sync <name>` tries again; `orgctx repo add <source>` adds another.'
      : 'The repositories of this organization are still being indexed; nothing can be answered yet. Ask again in a moment; `orgctx repo list` shows their states.';
  }
  if (damaged)
    return 'No passage was found in what can be read. That is no proof that there is none: ask again in a few minutes.';
  if (hurried)
    return 'No passage was found before the time of the search was over. That is no proof that there is none: ask again.';
  const searched = freshness
    .slice(0, mostListed)
    .map(({ repository }) => inlineCode(repository))
    .join(', ');
  const more = freshness.length > mostListed ? ` and ${freshness.length - mostListed} more` : '';
  const words = [...subject.identifiers, ...subject.paths, ...subject.terms].slice(0, 12).map(inlineCode);
  if (words.length === 0) {
    return `The prompt names nothing to look for. Ask about a feature, a file, a name or an error message. Indexed: ${searched}${more}.`;
  }
  return `Nothing in ${searched}${more} speaks of ${[...new Set(words)].join(', ')}. Other words for the same thing may; \`search_code\` finds exact text, patterns and paths.`;
}

function notes({ unmatched, uncovered, hurried, damaged, pending, items }: AnswerEvidence): string[] {
  const absent = unmatched.slice(0, mostListed).map(inlineCode).join(', ');
  const unsaid = uncovered.filter((term) => !unmatched.includes(term)).map(inlineCode);
  return [
    absent === '' || items.length === 0 ? '' : `Not found as written in any indexed file: ${absent}.`,
    unsaid.length === 0 || items.length === 0
      ? ''
      : `None of these passages mentions ${unsaid.slice(0, mostListed).join(', ')}.`,
    hurried
      ? 'The search ran out of time, so better passages may be missing; asking again is often complete.'
      : '',
    damaged
      ? 'The index of a repository is damaged and is being built anew; its files are missing here.'
      : '',
    pendingLine(pending),
  ];
}

function pendingLine(pending: EvidencePack['pending']): string {
  if (pending.length === 0) return '';
  const described = pending.slice(0, mostListed).map(({ repository, state, progress }) => {
    const detail = progress === '' ? '' : `, ${plainText(progress)}`;
    return `${inlineCode(repository)} (${state}${detail})`;
  });
  const more = pending.length > mostListed ? ` and ${pending.length - mostListed} more` : '';
  return `Not searched, since not indexed yet: ${described.join(', ')}${more}.`;
}

function freshnessLine(freshness: readonly Freshness[]): string {
  if (freshness.length === 0) return '';
  const states = freshness
    .slice(0, mostListed)
    .map(
      ({ repository, indexedCommit, indexedAt }) =>
        `${inlineCode(repository)} @ ${shortCommit(indexedCommit)}, indexed ${isoTime(indexedAt)}`,
    );
  const more = freshness.length > mostListed ? `; and ${freshness.length - mostListed} more` : '';
  return `Freshness: ${states.join('; ')}${more}.`;
}
