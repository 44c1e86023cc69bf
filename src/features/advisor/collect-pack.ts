import { asksForValue } from '../../backends/codesearch/port.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { openVisibleGraph } from '../knowledge/queries/visible-graph.ts';
import type { AdvisorDeps } from './advisor-deps.ts';
import { findNamed, nothingNamed } from './evidence/find-named.ts';
import { rankQuestion } from './evidence/rank-question.ts';
import type { Finding, Sentence } from './finding.ts';
import { type Inquiry, isAboutSeveral } from './inquiry.ts';
import { exactAnswer } from './kinds/exact-answer.ts';
import { surroundings } from './kinds/surroundings.ts';
import { inTime, patientSearch, stoppableGraph } from './patient-search.ts';
import type { Asked } from './question/follow-up.ts';
import { readQuestion } from './question/read-question.ts';

/** Everything that was found for a prompt, as data. */
export interface Pack {
  readonly inquiry: Inquiry;
  /** The exact answer of a kind of question, if there is one. */
  readonly finding?: Finding;
  /** The owners, the last change, the issues and the incidents of the first passage, as the graph knows them. */
  readonly around: readonly Sentence[];
  /** Words of the question that no searched file has. */
  readonly missing: readonly string[];
  /** True if the knowledge graph did not answer in time. */
  readonly withoutGraph: boolean;
}

export interface PackOptions {
  readonly signal: AbortSignal;
  /** The end of the question, as a time of `performance.now()`: its searches wait until then. */
  readonly until: number;
  readonly onProgress?: ((message: string) => void) | undefined;
}

/**
 * Time-out of everything that asks the knowledge graph, in milliseconds, with the searches in it. On an idle host that
 * takes less than a second, beside thirty busy processes up to ten.
 */
const graphTimeoutMs = 25_000;

/**
 * Collects what the organization's code, records, history and knowledge graph say about a prompt. Every text in it is
 * third-party data, never instructions.
 */
export async function collectPack(
  advisor: AdvisorDeps,
  scope: OrgScope,
  asked: Asked,
  { signal, until, onProgress }: PackOptions,
): Promise<Pack> {
  const { prompt } = asked;
  const codeSearch = patientSearch(advisor.codeSearch, until, () =>
    onProgress?.('Waiting until other searches are done'),
  );
  const deps = { ...advisor, codeSearch };
  const question = readQuestion(prompt);
  onProgress?.('Searching the indexed repositories');
  const ranked = await rankQuestion(deps, scope, { ...question, ...asked }, signal);
  signal.throwIfAborted();
  const view = await openVisibleGraph(deps.knowledge, scope);
  const base: Inquiry = { deps, scope, question, ranked, view, named: nothingNamed, signal };
  onProgress?.('Following the knowledge graph');
  const answered = await inTime(graphTimeoutMs, signal, async (inTimeSignal) => {
    const bounded = { ...view, graph: stoppableGraph(view.graph, inTimeSignal) };
    const inquiry = { ...base, view: bounded, signal: inTimeSignal };
    return await answerInquiry({ ...inquiry, named: await findNamed(inquiry) });
  });
  signal.throwIfAborted();
  return {
    ...(answered ?? { inquiry: base, around: [], missing: [] }),
    withoutGraph: answered === undefined,
  };
}

type Answered = Pick<Pack, 'inquiry' | 'finding' | 'around' | 'missing'>;

async function answerInquiry(inquiry: Inquiry): Promise<Answered> {
  const { finding, missing } = await exactAnswer(inquiry);
  if (finding !== undefined) return { inquiry, finding, around: [], missing };
  const isOfPlace = !isAboutSeveral(inquiry) && !asksForValue(inquiry.question.prompt);
  return { inquiry, around: isOfPlace ? await surroundings(inquiry) : [], missing };
}
