import { fileKey } from '../../knowledge/links/keys.ts';
import { showImpact } from '../../knowledge/queries/show-impact.ts';
import { listSentence, quoted, type Sentence, type Statements } from '../answer/statements.ts';
import type { CodeSource, Evidence } from '../answer.ts';
import { overlap } from '../sources/code-source.ts';
import { inlineCode } from '../text/markdown.ts';
import { splitWords } from '../text/split-words.ts';
import { bestSection } from './best-section.ts';
import { answerDefinition } from './definitions/answer-definition.ts';
import { answerValue } from './definitions/answer-value.ts';
import { fittingChange } from './history/fitting-change.ts';
import { type Inquiry, nodePlace, placeText } from './inquiry.ts';
import { nodeOf } from './targets/target.ts';
import { isTestPath, testsLast } from './test-path.ts';

const max = { others: 3, callers: 3 } as const;
/** Minimum score of a passage that is named besides the best one, as a share of its score. */
const minShare = 0.2;

/**
 * Answers with the definition that fits best, or else with the best passage: its place, its author's description, its
 * callers and the change behind it.
 */
export async function answerCode(inquiry: Inquiry, { graph = true } = {}): Promise<Statements> {
  const found = bestFirst(inquiry);
  const section = found[0]?.kind === 'document' ? await bestSection(inquiry) : undefined;
  const passages = section === undefined ? found : [section, ...found];
  const [first] = passages;
  const defined =
    first === undefined || isPassageAsked(inquiry, first)
      ? undefined
      : ((await answerValue(inquiry)) ?? (await answerDefinition(inquiry, { graph })));
  const naming = defined?.isNotFound === true ? documentNaming(inquiry) : undefined;
  if (defined !== undefined && naming === undefined) return defined;
  const best = naming ?? first;
  if (best === undefined) return { lead: [], reasons: [], sources: [], notes: [] };
  const others = passages.filter((one) => one !== best);
  return await answerPassage(inquiry, best, others, graph);
}

async function answerPassage(
  inquiry: Inquiry,
  best: Evidence<CodeSource>,
  others: readonly Evidence<CodeSource>[],
  graph: boolean,
): Promise<Statements> {
  const related = others
    .filter(({ score }) => score >= best.score * minShare)
    .filter(({ path }) => path !== best.path && (isTestPath(best.path) || !isTestPath(path)))
    .filter(({ path }, index, all) => all.findIndex((one) => one.path === path) === index)
    .slice(0, max.others)
    .map((source): Sentence => [passageName(inquiry, source), source]);
  return {
    lead: [leadOf(inquiry, best)],
    reasons: [...(graph ? await graphReasons(inquiry, best) : []), ...listSentence('See also ', related)],
    sources: [best, ...others],
    notes: [],
  };
}

/** Returns the passage of a document with a name of the question: some names are in documents only. */
function documentNaming({ code, ranked }: Inquiry): Evidence<CodeSource> | undefined {
  const { identifiers } = ranked.subject;
  return code.find(
    ({ kind, excerpt }) => kind === 'document' && identifiers.some((name) => excerpt.includes(name)),
  );
}

/** Number of passages of which the first of an answer is chosen. */
const maxCompared = 8;

/**
 * Puts the best passage first: the definition of a name that the prompt mentions, or else the passage whose name shares
 * most words with the prompt, product code before tests.
 */
function bestFirst({ code, ranked }: Inquiry): readonly Evidence<CodeSource>[] {
  const { identifiers, terms, paths } = ranked.subject;
  const names = new Set(identifiers.flatMap((name) => [name, name.split(/\.|::|#/u).at(-1) ?? name]));
  const words = new Set(terms.flatMap(splitWords));
  const asksForTests = /\btests?\b/iu.test(terms.join(' '));
  const weightOf = ({ definition, path, score }: Evidence<CodeSource>): number => {
    const isTest = isTestPath(path) && !asksForTests;
    const isNamed = paths.some((named) => path === named || path.endsWith(`/${named}`));
    if (definition === undefined) return score * (isTest ? 0.3 : 1) * (isNamed ? 2 : 1);
    const isMinor = /^(?:type|interface|variable|constant|field)$/u.test(definition.kind);
    const said = overlap(definition.name, words);
    const weight = names.has(definition.name) ? 10 : said + (isMinor ? 0.2 : 0.6);
    return score * weight * (isTest ? 0.3 : 1) * (isNamed ? 2 : 1);
  };
  const compared = code.slice(0, maxCompared).toSorted((a, b) => weightOf(b) - weightOf(a));
  return [...compared, ...code.slice(maxCompared)];
}

/** Returns whether the prompt names the file of a passage, or asks for documents and a document fits best. */
function isPassageAsked({ ranked, code }: Inquiry, { path }: Evidence<CodeSource>): boolean {
  const { subject, intent } = ranked;
  const asksForDocuments = (intent.weights.docs ?? 0) >= 1 && code[0]?.kind === 'document';
  return asksForDocuments || subject.paths.some((named) => path.endsWith(named));
}

function leadOf(inquiry: Inquiry, best: Evidence<CodeSource>): Sentence {
  const { definition, heading, summary, path, repository } = best;
  const says = summary === undefined ? ['.'] : [`: ${quoted(summary)}`];
  if (definition !== undefined) {
    const place = placeText(inquiry, { repository, path, line: definition.line });
    const isAsked = inquiry.ranked.subject.identifiers.some((name) => name.endsWith(definition.name));
    const what = `${isAsked ? '' : `the ${definition.kind} `}${inlineCode(definition.name)}`;
    if (isAsked) return [`${what} is a ${definition.kind} in ${place}`, best, ...says];
    return [
      `${inquiry.kind === 'where' ? 'The best match is' : 'Look at'} ${what} in ${place}`,
      best,
      ...says,
    ];
  }
  const place = placeText(inquiry, { repository, path, line: best.startLine });
  if (heading !== undefined && (inquiry.absent ?? []).length > 0)
    return [`The nearest is ${place}, under ${quoted(heading, 100)}`, best, ...says];
  if (heading !== undefined) return [`${place} describes this under ${quoted(heading, 100)}`, best, ...says];
  return [`The best match is ${place}`, best, ...says];
}

function passageName(
  inquiry: Inquiry,
  { definition, heading, repository, path, startLine }: CodeSource,
): string {
  const place = placeText(inquiry, { repository, path, line: definition?.line ?? startLine });
  if (definition !== undefined) return `${inlineCode(definition.name)} (${place})`;
  return heading === undefined ? place : `${quoted(heading, 60)} (${place})`;
}

/** Says who calls the best passage, and which change and issue are behind it. */
async function graphReasons(inquiry: Inquiry, best: Evidence<CodeSource>): Promise<Sentence[]> {
  if (best.kind !== 'code') return [];
  const node = await nodeOf(inquiry, best);
  if (node === undefined) return [];
  const { view, scope } = inquiry;
  const file = fileKey(best.repositoryId, best.path);
  const [impact, change] = await Promise.all([
    showImpact(view.graph, scope, node.key),
    fittingChange(inquiry, file),
  ]);
  const uses = impact.dependents.filter((one) => one.node.key !== file);
  const callers = testsLast(uses, (one) => one.node.key);
  const shown = callers.slice(0, max.callers).map((one): Sentence => [nodePlace(inquiry, one.node)]);
  const verb = node.kind === 'file' ? 'Imported' : 'Used';
  return [...listSentence(`${verb} by `, shown, callers.length), ...change];
}
