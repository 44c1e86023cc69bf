import type { CodeSearch, RankedFile, RankedPassages } from '../../backends/codesearch/port.ts';
import type { GraphNode } from '../../backends/graph/port.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { VisibleGraph } from '../knowledge/queries/visible-graph.ts';
import type { PendingRepository, SearchableRepository } from '../search/repositories-in-scope.ts';
import type { AdvisorDeps } from './advisor-deps.ts';
import type { Question } from './question/read-question.ts';

/** The file or definition that a question is about. */
export interface Target {
  readonly node: GraphNode;
  readonly repository: SearchableRepository;
  readonly path: string;
  /** First and last line of a definition, or of a file those that the question names. */
  readonly lines?: { readonly first: number; readonly last: number };
  /** False if only the ranking found it, so that the question may not mean it. */
  readonly isNamed: boolean;
}

/** The entities of the knowledge graph that a question names. */
export interface Named {
  readonly issues: readonly GraphNode[];
  readonly incidents: readonly GraphNode[];
  readonly commits: readonly GraphNode[];
  readonly pulls: readonly GraphNode[];
  readonly files: readonly Target[];
  /** Definitions, the most likely one first. */
  readonly symbols: readonly Target[];
  /** Identifiers of issues that the organization does not have. */
  readonly unknown: readonly string[];
}

/** The result of code search for a question, and the repositories that it searched. */
export interface RankedQuestion {
  /** Best first. */
  readonly passages: RankedPassages;
  /** Best first. */
  readonly files: readonly RankedFile[];
  /** Names and phrases of the question that no indexed file contains. */
  readonly unmatched: readonly string[];
  /** Repositories that can be searched. */
  readonly repositories: readonly SearchableRepository[];
  /** Those that were searched: the ones that the question certainly names, or else all. */
  readonly searched: readonly SearchableRepository[];
  /** Those that the question names. */
  readonly named: readonly SearchableRepository[];
  /** True if the question certainly names them. */
  readonly isCertain: boolean;
  /** Repositories that cannot be searched yet. */
  readonly pending: readonly PendingRepository[];
  /** True if the ranking was cut short, so that files may be missing. */
  readonly partial: boolean;
  /** True if the index of a repository cannot be read, so that all its files are missing. */
  readonly damaged: boolean;
}

/** A question, what was ranked for it and what it names: the input of every kind of answer. */
export interface Inquiry {
  readonly deps: Omit<AdvisorDeps, 'codeSearch'> & { readonly codeSearch: Pick<CodeSearch, 'search'> };
  readonly scope: OrgScope;
  readonly question: Question;
  readonly ranked: RankedQuestion;
  readonly view: VisibleGraph;
  readonly named: Named;
  readonly signal: AbortSignal;
}

/** Returns the repository with an id, if it can be searched. */
export function repositoryWith(
  { ranked }: Pick<Inquiry, 'ranked'>,
  id: string | undefined,
): SearchableRepository | undefined {
  return ranked.repositories.find((repository) => repository.id === id);
}

/** Returns whether a question is about several repositories. */
export function isAboutSeveral({ ranked, question }: Pick<Inquiry, 'ranked' | 'question'>): boolean {
  return question.asksEvery || (ranked.isCertain && ranked.named.length > 1);
}
