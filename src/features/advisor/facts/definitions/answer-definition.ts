import { certainConfidence } from '../../../knowledge/certainty.ts';
import { fileKey } from '../../../knowledge/links/keys.ts';
import { reached, step } from '../../../knowledge/queries/related-node.ts';
import { showImpact } from '../../../knowledge/queries/show-impact.ts';
import { listSentence, quoted, type Sentence, type Statements, sayingOf } from '../../answer/statements.ts';
import type { CodeSource } from '../../answer.ts';
import { inlineCode } from '../../text/markdown.ts';
import { stemsOf } from '../../text/split-words.ts';
import { fittingChange } from '../history/fitting-change.ts';
import { type Inquiry, nodePlace, placeText } from '../inquiry.ts';
import { lineOfEdge } from '../targets/node-source.ts';
import { nodeOf } from '../targets/target.ts';
import { isTestPath } from '../test-path.ts';
import { amountSentences } from './amounts.ts';
import { chooseDefinition } from './choose-definition.ts';
import { type DefinitionSource, definitionSource } from './definition-source.ts';
import { isMemberOf, type Judgement, judge, minShare, sureFirst } from './judge-definition.ts';
import { isUnnamed, type ScoredDefinition } from './rank-definitions.ts';

const max = {
  others: 2,
  unsure: 3,
  callers: 3,
  calls: 5,
  remarks: 2,
  documents: 1,
  missing: 2,
} as const;

/**
 * Answers with the definition that holds what is asked: its place and description, what its author remarks inside, what
 * it calls and what calls it.
 */
export async function answerDefinition(
  inquiry: Inquiry,
  { graph = true } = {},
): Promise<Statements | undefined> {
  const choice = await chooseDefinition(inquiry);
  const { named, isAsked } = choice;
  const [chosen, ...further] = sureFirst(inquiry, choice);
  if (chosen === undefined) return undefined;
  const source = await definitionSource(inquiry, chosen);
  if (source === undefined) return undefined;
  const about = named === undefined ? undefined : await definitionSource(inquiry, named);
  const judged = judge(inquiry, chosen, named);
  const isUnsure = judged.certainty !== 'sure' && !isAsked;
  const known = named === undefined ? [chosen] : [chosen, named];
  const others = await sourcesOf(
    inquiry,
    further
      .filter((one) => one.score >= chosen.score * minShare && !known.some((other) => isPartOf(one, other)))
      .slice(0, isUnsure ? max.unsure : max.others),
  );
  const documents = inquiry.code
    .filter(({ kind, score }) => kind === 'document' && (isUnsure || score >= source.score * minShare))
    .slice(0, max.documents);
  return {
    lead: [
      leadOf(inquiry, source, isAsked ? undefined : judged),
      ...(about === undefined ? [] : [describe(inquiry, about)]),
    ],
    reasons: [
      ...remarksOf(source),
      ...keyLinesOf(source),
      ...(await amountSentences(inquiry, source)),
      ...(graph && (!isUnsure || others.length === 0) ? await graphReasons(inquiry, source) : []),
      ...relatedSentences(inquiry, source, { others, documents, isUnsure }),
    ],
    sources: [source, ...inquiry.code],
    notes: [],
    isNotFound: isUnsure && judged.certainty === 'absent',
  };
}

/** Names what else may be meant: each candidate with its description if the answer is unsure. */
function relatedSentences(
  inquiry: Inquiry,
  source: DefinitionSource,
  {
    others,
    documents,
    isUnsure,
  }: {
    readonly others: readonly DefinitionSource[];
    readonly documents: readonly CodeSource[];
    readonly isUnsure: boolean;
  },
): Sentence[] {
  const words = new Set(inquiry.ranked.subject.terms.flatMap(stemsOf));
  const isRelated = (one: CodeSource, name: string): boolean =>
    folderOf(one) === folderOf(source) ||
    stemsOf(`${name} ${one.summary ?? ''}`).some((word) => words.has(word));
  const near = others.filter((one) => isRelated(one, one.definition.name));
  const sections = documents
    .filter((one) => isRelated(one, one.heading ?? ''))
    .map((one): Sentence => {
      const place = placeText(inquiry, { ...one, line: one.startLine });
      return [`${quoted(one.heading ?? one.path, 60)} (${place})`, one];
    });
  const named = near.map((one): Sentence => [nameOf(inquiry, one), one]);
  const listed = isUnsure ? sections : [...named, ...sections];
  return [
    ...(isUnsure ? near.map((one) => candidate(inquiry, one)) : []),
    ...listSentence('See also ', listed),
  ];
}

function folderOf({ repositoryId, path }: CodeSource): string {
  return `${repositoryId}:${path.slice(0, path.lastIndexOf('/') + 1)}`;
}

/** Returns whether one definition is the other one, or the class that the other one is a member of. */
function isPartOf(one: ScoredDefinition, other: ScoredDefinition): boolean {
  if (one.definition === other.definition) return true;
  return one.file === other.file && isMemberOf(other, one);
}

async function sourcesOf(
  inquiry: Inquiry,
  further: readonly ScoredDefinition[],
): Promise<readonly DefinitionSource[]> {
  const found = await Promise.all(further.map((one) => definitionSource(inquiry, one)));
  return found.filter((one) => one !== undefined);
}

function leadOf(inquiry: Inquiry, source: DefinitionSource, judged: Judgement | undefined): Sentence {
  if (judged === undefined) return describe(inquiry, source);
  const { certainty, missing } = judged;
  const what = kindAndPlace(inquiry, source);
  const says = sayingOf(source.summary);
  if (certainty === 'sure') {
    const about = isStep(source) ? 'This is done by' : 'See';
    return [`${inquiry.kind === 'where' ? 'That is in' : about} the ${what}`, source, says];
  }
  const words = missing.filter((word) => !(inquiry.absent ?? []).includes(word));
  const isListed = words.length > 0 && words.length <= max.missing;
  const misses = isListed ? ` It does not mention ${words.map(inlineCode).join(', ')}.` : '';
  if (certainty === 'unsure' && (inquiry.absent ?? []).length === 0)
    return [
      `${inquiry.kind === 'where' ? 'The best match is' : 'Look at'} the ${what}`,
      source,
      says,
      misses,
    ];
  const isMissing = certainty === 'absent' && (inquiry.absent ?? []).length === 0;
  // Code says most things in other words, so that nothing is denied.
  const begin = isMissing ? 'No definition surely says that. ' : '';
  return [`${begin}The nearest is the ${what}`, source, says, misses];
}

function isStep({ definition: { kind } }: DefinitionSource): boolean {
  return kind === 'function' || kind === 'method';
}

/** Formats the kind, name and place of a definition: "function `acquire`, at `lease.ts:3`". */
function kindAndPlace(inquiry: Inquiry, source: DefinitionSource): string {
  const { kind } = source.definition;
  const place = placeOf(inquiry, source);
  return isUnnamed(source.path, source.definition)
    ? `${kind} that ${place} exports`
    : `${kind} ${fullName(source)}, at ${place}`;
}

function describe(inquiry: Inquiry, source: DefinitionSource): Sentence {
  if (isUnnamed(source.path, source.definition))
    return [`This is the ${kindAndPlace(inquiry, source)}`, source, sayingOf(source.summary)];
  const { kind } = source.definition;
  const article = /^[aeiou]/u.test(kind) ? 'an' : 'a';
  return [
    `${fullName(source)} is ${article} ${kind} in ${placeOf(inquiry, source)}`,
    source,
    sayingOf(source.summary),
  ];
}

/** Quotes the statements that share most words with the question. */
function keyLinesOf({ keyLines }: DefinitionSource): Sentence[] {
  const shown = keyLines.map(({ line, text }): Sentence => [`${inlineCode(text)} (line ${line})`]);
  return listSentence('The lines to read: ', shown);
}

function remarksOf({ remarks }: DefinitionSource): Sentence[] {
  const shown = remarks.slice(0, max.remarks).toSorted((a, b) => a.line - b.line);
  return listSentence(
    'Its comments say: ',
    shown.map(({ line, text }) => [`${quoted(text)} (line ${line})`]),
  );
}

/** Formats the name of a definition: `Lease.renew`. */
function fullName({ definition: { name, container } }: DefinitionSource): string {
  return inlineCode(container === undefined ? name : `${container}.${name}`);
}

function nameOf(inquiry: Inquiry, source: DefinitionSource): string {
  if (isUnnamed(source.path, source.definition)) return `the ${kindAndPlace(inquiry, source)}`;
  return `${fullName(source)} (${placeOf(inquiry, source)})`;
}

function placeOf(inquiry: Inquiry, { repository, path, definition: { line } }: DefinitionSource): string {
  return placeText(inquiry, { repository, path, line });
}

/** Describes a further definition that may be meant. */
function candidate(inquiry: Inquiry, one: DefinitionSource): Sentence {
  return [`Perhaps ${nameOf(inquiry, one)}`, one, sayingOf(one.summary)];
}

/** Says what the definition calls, in its order, who uses it, and which change fits the question. */
async function graphReasons(inquiry: Inquiry, source: DefinitionSource): Promise<Sentence[]> {
  const node = await nodeOf(inquiry, source);
  if (node === undefined) return [];
  const { view, scope } = inquiry;
  const file = fileKey(source.repositoryId, source.path);
  const [impact, called, change] = await Promise.all([
    showImpact(view.graph, scope, node.key),
    step(view.graph, scope, {
      from: [node.key],
      direction: 'out',
      kinds: ['calls'],
      minConfidence: certainConfidence,
    }),
    fittingChange(inquiry, file),
  ]);
  const uses = impact.dependents.filter((one) => one.node.key !== file && one.node.key !== node.key);
  const callers = uses.filter((one) => !isTestPath(one.node.key));
  const users = callers.slice(0, max.callers).map((one): Sentence => [nodePlace(inquiry, one.node)]);
  const calls = reached(called, [node.key], ['symbol'])
    .filter(({ node: { key } }) => !isTestPath(key))
    .toSorted((a, b) => (lineOfEdge(a.edge) ?? 0) - (lineOfEdge(b.edge) ?? 0));
  const steps = calls.slice(0, max.calls).map((one): Sentence => [nodePlace(inquiry, one.node)]);
  return [
    ...listSentence('It calls ', steps, calls.length),
    ...listSentence('Used by ', users, callers.length),
    ...change,
  ];
}
