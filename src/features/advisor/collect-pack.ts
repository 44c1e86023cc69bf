import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { checkRange } from '../../foundation/kernel/wire/invalid-field.ts';
import { type EntityRecord, toEntity } from '../knowledge/entity-record.ts';
import { openVisibleGraph } from '../knowledge/queries/visible-graph.ts';
import type { AdvisorDeps } from './advisor-deps.ts';
import type { Statements } from './answer/statements.ts';
import type { Evidence, Source } from './answer.ts';
import { answerCode } from './facts/answer-code.ts';
import { findNamed } from './facts/find-named.ts';
import type { Inquiry, Named } from './facts/inquiry.ts';
import { stateAnswer } from './facts/state-answer.ts';
import { inTime } from './in-time.ts';
import { patientSearch } from './patient-search.ts';
import { checkPrompt } from './prompt-limit.ts';
import { readMentions } from './question/prompt/mentions.ts';
import { kindOf } from './question/question-kind.ts';
import { choosePassages } from './ranking/choose-passages.ts';
import { type RankedCode, rankCode } from './ranking/rank-code.ts';
import { codeEvidence } from './sources/code-source.ts';
import { fitSources } from './sources/fit-sources.ts';
import { stoppableGraph } from './stoppable-graph.ts';

export interface PackRequest {
  readonly prompt: string;
  /** Maximum number of items: 1 to 100. Default: 20. */
  readonly limit?: number;
  /** Budget in tokens of about four characters: 200 to 32,000. Default: 8,000. */
  readonly budgetTokens?: number;
}

/** Everything that was found for a prompt: the sources within the budget, and what they say. */
export interface Pack {
  readonly inquiry: Inquiry;
  readonly statements: Statements;
  /** Best first: what the statements cite, then further passages. */
  readonly items: readonly Evidence[];
  /** Entities that the prompt names. */
  readonly entities: readonly EntityRecord[];
  /** True if the limit or the budget left something out. */
  readonly truncated: boolean;
  /** True if the knowledge graph did not answer in time. */
  readonly withoutGraph: boolean;
  /** True if the ranking of files was cut short, so that better ones may be missing. */
  readonly partial: boolean;
}

export interface PackOptions {
  readonly signal: AbortSignal;
  /** The end of the question, as a time of `performance.now()`: its searches wait until then. */
  readonly until: number;
  readonly onProgress?: ((message: string) => void) | undefined;
}

/** Number of files that are ranked for a pack. */
const rankedFiles = 40;
/** Time-out of everything that asks the knowledge graph, in milliseconds, without the wait for searches. */
const graphTimeoutMs = 8000;
const nothingNamed: Named = {
  issues: [],
  incidents: [],
  commits: [],
  pulls: [],
  files: [],
  symbols: [],
  unknown: [],
};

/**
 * Collects what the organization's code, records, history and knowledge graph say about a prompt, within the budget.
 * Every text in it is third-party data, never instructions.
 * @throws InvalidInput for too long a prompt and for a limit or budget out of range.
 */
export async function collectPack(
  advisor: AdvisorDeps,
  scope: OrgScope,
  request: PackRequest,
  { signal, until, onProgress }: PackOptions,
): Promise<Pack> {
  const { prompt, limit = 20, budgetTokens = 8000 } = request;
  checkPrompt(prompt);
  checkRange('limit', limit, 1, 100);
  checkRange('budgetTokens', budgetTokens, 200, 32_000);
  const step = openSteps(onProgress);
  const codeSearch = patientSearch(advisor.codeSearch, { until, onWaiting: step.wait });
  const deps = { ...advisor, codeSearch };
  step.begin('Searching the indexed repositories');
  const budget = { limit, characters: budgetTokens * 4 };
  const ranked = await rankCode(deps, scope, { prompt, limit: rankedFiles }, signal);
  signal.throwIfAborted();
  const offered = choosePassages(ranked.files, { ...budget, limit: limit + 1 });
  const code = codeEvidence(
    { urls: deps.urls, scope, repositories: ranked.repositories, terms: ranked.subject.terms },
    offered.slice(0, limit),
  );
  const view = await openVisibleGraph(deps.knowledge, scope);
  const base: Inquiry = {
    deps,
    scope,
    prompt,
    asked: ranked.asked,
    kind: kindOf(prompt, ranked.asked),
    ranked,
    code,
    view,
    signal,
    named: nothingNamed,
  };
  step.begin('Following the knowledge graph');
  const graphTime = { milliseconds: graphTimeoutMs, isPaused: codeSearch.isWaiting };
  const stated = await inTime(graphTime, signal, async (inTimeSignal) => {
    const bounded = { ...view, graph: stoppableGraph(view.graph, inTimeSignal) };
    const named = await findNamed(bounded, scope, readMentions(prompt, ranked.asked), base);
    const inquiry = {
      ...base,
      view: bounded,
      signal: inTimeSignal,
      named,
      code: withoutRecords(code, named),
    };
    return { inquiry, statements: await stateAnswer(inquiry) };
  });
  signal.throwIfAborted();
  const { inquiry, statements } = stated ?? {
    inquiry: base,
    statements: await answerCode(base, { graph: false }),
  };
  const { items, truncated } = fitSources(
    { cited: citedBy(statements), further: statements.sources },
    budget,
  );
  return {
    inquiry,
    statements,
    items,
    entities: entitiesOf(inquiry),
    truncated: truncated || offered.length > limit || spansOf(ranked.files) > offered.length,
    withoutGraph: stated === undefined,
    partial: ranked.partial,
  };
}

/** Reports the steps of a question, and while its searches wait, that they do. */
function openSteps(onProgress: PackOptions['onProgress']) {
  let current = '';
  return {
    begin: (step: string): void => {
      current = step;
      onProgress?.(step);
    },
    wait: (isWaiting: boolean): void =>
      onProgress?.(isWaiting ? 'Waiting until other searches are done' : current),
  };
}

/** Returns the sources that statements cite, in the order of their first mention. */
function citedBy({ lead, reasons }: Statements): Source[] {
  return [...lead, ...reasons].flat().filter((piece) => typeof piece !== 'string');
}

/** Leaves out the mirrored files of records that are named: the records themselves are sources. */
function withoutRecords(code: Inquiry['code'], { issues, incidents }: Named): Inquiry['code'] {
  const paths = new Set([...issues, ...incidents].map(({ props }) => props['path']));
  return code.filter(({ path }) => !paths.has(path));
}

/** Maximum number of definitions of a name that a pack lists. */
const maxSymbols = 5;

function entitiesOf({ named, view }: Inquiry): EntityRecord[] {
  const { issues, incidents, commits, pulls, files, symbols } = named;
  const nodes = [...issues, ...incidents, ...commits, ...pulls, ...files, ...symbols.slice(0, maxSymbols)];
  return nodes.map((node) => toEntity(view.repositories, node));
}

function spansOf(files: RankedCode['files']): number {
  return files.reduce((sum, { spans }) => sum + spans.length, 0);
}
