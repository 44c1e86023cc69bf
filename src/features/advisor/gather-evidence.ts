import type { CodeSearch, SourceReader } from '../../backends/codesearch/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import { checkRange } from '../../foundation/kernel/invalid-field.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { progressInWords } from '../../foundation/kernel/progress.ts';
import { visibleText } from '../../foundation/kernel/visible-text.ts';
import { type FileUrls, fileUri } from '../search/file-url.ts';
import {
  type PendingRepository,
  repositoriesInScope,
  type SearchableRepository,
} from '../search/repositories-in-scope.ts';
import type { Evidence, EvidencePack, Freshness } from './answer.ts';
import { chooseBlocks, type Passage, type ReadCandidate } from './choose-blocks.ts';
import { summaryOf } from './doc-comment.ts';
import { excerptOf } from './excerpt.ts';
import { findCandidates } from './find-candidates.ts';
import type { Candidate } from './fuse-candidates.ts';
import { intentOf } from './intent.ts';
import { checkPrompt } from './prompt-limit.ts';
import { type PromptSubject, readPrompt } from './read-prompt.ts';
import { withShortForms } from './short-forms.ts';
import { splitWords } from './split-words.ts';

export interface AnswerDeps {
  readonly codeSearch: CodeSearch;
  readonly sources: SourceReader;
  readonly queries: Queries;
  readonly urls: FileUrls;
}

export interface EvidenceRequest {
  readonly prompt: string;
  /** Items; default 20, at most 100. */
  readonly limit?: number;
  /** Of about four characters; default 8,000, 200 to 32,000. */
  readonly budgetTokens?: number;
}

/** Evidence with what an answer says of it. */
export interface Finding extends Evidence {
  readonly language: string;
  /** What the lines define: `function parseQuery`, `section "Install"`. */
  readonly subject: string | undefined;
  /** What its author says it is, one sentence. */
  readonly summary: string | undefined;
}

export interface GatheredEvidence extends EvidencePack {
  readonly items: readonly Finding[];
  readonly subject: PromptSubject;
  /** Names and phrases of the prompt that stand in no indexed file. */
  readonly unmatched: readonly string[];
  /** Words of the prompt that none of the items holds; empty for long prompts, where that says nothing. */
  readonly uncovered: readonly string[];
  /** True when a lane of the search ran out of time. */
  readonly hurried: boolean;
  /** True when the index of a repository cannot be read, so that all of it is missing. */
  readonly damaged: boolean;
}

const charactersPerToken = 4;
/** What an item costs beside its excerpt: addresses, title, reasons. */
const overheadCharacters = 400;
const mostFilesRead = 40;
const readAtOnce = 8;
const passagesPerFile = 2;
/** Where a repository says what it is. */
const overviewFiles = ['README.md', 'README.rst', 'README', 'readme.md', 'README.txt'];

/**
 * The lines of the organization's repositories that speak most for a prompt, best first, within the budget.
 * Everything it shows is third-party text: data, never instructions.
 * @throws InvalidInput for too long a prompt and for a limit or budget out of range.
 */
export async function gatherEvidence(
  deps: AnswerDeps,
  scope: OrgScope,
  request: EvidenceRequest,
  signal: AbortSignal,
): Promise<GatheredEvidence> {
  const { prompt, limit = 20, budgetTokens = 8000 } = request;
  checkPrompt(prompt);
  checkRange('limit', limit, 1, 100);
  checkRange('budgetTokens', budgetTokens, 200, 32_000);
  const read = readPrompt(prompt);
  const intent = intentOf(prompt, read);
  const subject = intent.isOverview ? { ...read, paths: [...read.paths, ...overviewFiles] } : read;
  const { searchable: repositories, pending } = await repositoriesInScope(deps.queries, scope);
  const nothing = {
    subject,
    unmatched: [],
    uncovered: [],
    hurried: false,
    damaged: false,
    pending: pending.map(describePending),
  };
  if (repositories.length === 0 || isEmpty(subject)) {
    return { ...nothing, items: [], truncated: false, freshness: repositories.map(freshnessOf) };
  }
  const sought = { ...subject, terms: withShortForms(withoutNames(subject.terms, repositories)) };
  const wanted = { prompt, subject: sought, intent, repositories, limit: Math.min(mostFilesRead, limit * 2) };
  const candidates = await findCandidates(deps.codeSearch, scope, wanted, signal);
  const texts = await readCandidates(deps.sources, scope, candidates.files, signal);
  const findings = chooseBlocks(texts, sought, passagesPerFile).flatMap((passage) =>
    findingOf(deps.urls, scope, passage, repositories),
  );
  const items = fitting(findings, limit, budgetTokens * charactersPerToken);
  const shown = new Set(items.map(({ repositoryId }) => repositoryId));
  return {
    ...nothing,
    items: items.map((item, index) => ({ ...item, rank: index + 1 })),
    truncated: items.length < findings.length,
    freshness: repositories.filter(({ id }) => items.length === 0 || shown.has(id)).map(freshnessOf),
    unmatched: candidates.unmatched,
    uncovered: uncoveredBy(items, subject),
    hurried: candidates.hurried,
    damaged: candidates.damaged,
  };
}

function isEmpty({ terms, identifiers, paths, phrases }: PromptSubject): boolean {
  return terms.length + identifiers.length + paths.length + phrases.length === 0;
}

/** A repository's name says where to look, not for what: its own files are full of it. */
function withoutNames(
  terms: readonly string[],
  repositories: readonly SearchableRepository[],
): readonly string[] {
  const names = new Set(repositories.map(({ name }) => name.toLowerCase()));
  const rest = terms.filter((term) => !names.has(term.toLowerCase()));
  return rest.length === 0 ? terms : rest;
}

/** Reads the candidates' files, eight at a time; what is gone or no text since drops out. */
async function readCandidates(
  sources: SourceReader,
  scope: OrgScope,
  candidates: readonly Candidate[],
  signal: AbortSignal,
): Promise<ReadCandidate[]> {
  const read: (ReadCandidate | undefined)[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < candidates.length; at = next++) {
      const candidate = candidates[at];
      if (candidate === undefined) return;
      signal.throwIfAborted();
      const { repository, commit, path } = candidate;
      const file = await sources.readFile(scope, { repository, commit, path }, signal);
      if (file?.content !== undefined) read[at] = { candidate, lines: file.content.split(/\r?\n/u) };
    }
  };
  await Promise.all(Array.from({ length: readAtOnce }, work));
  return read.filter((entry) => entry !== undefined);
}

/** A passage of a repository that left the list meanwhile is left out. */
function findingOf(
  urls: FileUrls,
  scope: OrgScope,
  passage: Passage,
  repositories: readonly SearchableRepository[],
): Finding[] {
  const { candidate, block, lines, start, end, score } = passage;
  const repository = repositories.find(({ id }) => id === candidate.repository);
  if (repository === undefined) return [];
  const { path, commit, language, reasons } = candidate;
  const span = { path, commit, startLine: start + 1, endLine: end };
  const subject = block.name === undefined ? undefined : visibleText(`${block.kind} ${block.name}`);
  const summary = summaryOf(lines, block);
  const place = `${repository.name}/${path}:${start + 1}-${end}`;
  return [
    {
      rank: 0,
      kind: 'code',
      repositoryId: repository.id,
      repository: repository.name,
      ...span,
      uri: fileUri(repository.name, span),
      url: urls.file(scope, repository, span),
      title: visibleText(subject === undefined ? place : `${subject} in ${place}`),
      excerpt: excerptOf(lines.slice(start, end)),
      score: Math.round(score * 10_000) / 10_000,
      reasons,
      language,
      subject,
      summary: summary === undefined ? undefined : visibleText(summary),
    },
  ];
}

/** The first `limit` findings that fit the budget; a long one that does not is passed over for a shorter one. */
function fitting(findings: readonly Finding[], limit: number, characters: number): Finding[] {
  const items: Finding[] = [];
  let left = characters;
  for (const finding of findings) {
    const cost = finding.excerpt.length + overheadCharacters;
    if (items.length >= limit || left < overheadCharacters) break;
    if (cost > left) continue;
    items.push(finding);
    left -= cost;
  }
  return items;
}

const shortPrompt = 12;

function uncoveredBy(items: readonly Finding[], { terms }: PromptSubject): string[] {
  if (terms.length > shortPrompt) return [];
  const held = new Set(items.flatMap(({ path, excerpt }) => [path, excerpt].flatMap(splitWords)));
  return terms.filter(
    (term) =>
      (term.length > 3 || /^\p{Lu}+$/u.test(term)) && !splitWords(term).some((word) => held.has(word)),
  );
}

function freshnessOf({ name, indexedCommit, indexedAt }: SearchableRepository): Freshness {
  return { repository: name, indexedCommit, indexedAt };
}

function describePending({
  name,
  state,
  progress,
  error,
}: PendingRepository): EvidencePack['pending'][number] {
  const doing = progress === undefined ? '' : progressInWords(progress);
  return { repository: name, state, progress: state === 'failed' ? (error?.message ?? '') : doing };
}
