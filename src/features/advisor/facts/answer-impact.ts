import { type Impact, showImpact } from '../../knowledge/queries/show-impact.ts';
import { joined, listSentence, type Sentence, type Statements } from '../answer/statements.ts';
import { looksLikeCode } from '../question/prompt/read-prompt.ts';
import { plainText } from '../text/markdown.ts';
import { type Inquiry, maxPassages, nodePlace, placeText } from './inquiry.ts';
import { recordSentence } from './issue-text.ts';
import { useSource } from './targets/node-source.ts';
import { containerOf, findTargets, type Target, targetOf } from './targets/target.ts';
import { subjectOf } from './targets/target-source.ts';
import { testsLast } from './test-path.ts';
import { findText } from './text-uses.ts';
import { fieldHandlers } from './uses/field-handlers.ts';
import type { FoundUse } from './uses/find-uses.ts';
import { describePlaces, namesOfPlaces, possiblePlaces } from './uses/state-places.ts';
import { absentName, answerName, limitNote, otherDefinitions, textNote } from './uses/state-used.ts';
import { byCertainty, findPlaces } from './uses/use-places.ts';
import { usesOf } from './uses/used-name.ts';

const max = { targets: 3, named: 5, people: 4, declarations: 3 } as const;

/** Answers what a change of a definition, a file, or the files of a diff touches. */
export async function answerImpact(inquiry: Inquiry): Promise<Statements | undefined> {
  const found = await findTargets(inquiry);
  const [first] = found;
  const { identifiers } = inquiry.ranked.subject;
  // A word of the sentence may be a name by chance; one that is written as in code is meant.
  const isWritten = first !== undefined && identifiers.some((name) => name.endsWith(first.node.name));
  if (first?.isNamed !== true || (first.node.kind === 'symbol' && !isWritten)) {
    const ofName = await answerName(inquiry, {
      begin: (name) => `A change of ${name} touches `,
      more: async (name, declarations) => [
        ...declaredAt(inquiry, declarations),
        ...(await documentedAt(inquiry, name)),
      ],
    });
    if (ofName !== undefined) return ofName;
  }
  if (first === undefined) return undefined;
  const targets = [...found, ...otherFiles(inquiry, first)].slice(0, max.targets);
  const all = await Promise.all(targets.map((target) => usedImpactOf(inquiry, target)));
  const distinct = all.filter(({ key }, index) => all.findIndex((one) => one.key === key) === index);
  const used = distinct.filter(({ uses }) => uses > 0);
  const parts = used.length > 0 && !first.isNamed ? used : distinct;
  return {
    lead: [...absentName(inquiry, first), ...parts.flatMap(({ lead }) => lead)],
    reasons: parts.flatMap(({ reasons }) => reasons),
    sources: inquiry.code.slice(0, maxPassages),
    notes: [textNote, ...(parts.some(({ isLimited }) => isLimited) ? [limitNote] : [])],
  };
}

/** Returns the further files that the prompt names, such as those of a diff. */
function otherFiles({ named }: Inquiry, first: Target): readonly Target[] {
  if (first.node.kind !== 'file') return [];
  return named.files
    .filter(({ key }) => key !== first.node.key)
    .flatMap((node) => targetOf(node, true) ?? []);
}

interface TargetImpact {
  readonly key: string;
  readonly lead: readonly Sentence[];
  readonly reasons: readonly Sentence[];
  /** Number of its uses. */
  readonly uses: number;
  readonly isLimited: boolean;
}

/** A method that implements an interface is used through its class. */
async function usedImpactOf(inquiry: Inquiry, target: Target): Promise<TargetImpact> {
  const impactOf = target.node.kind === 'file' ? impactOfFile : impactOfDefinition;
  const own = await impactOf(inquiry, target);
  const container = own.uses > 0 ? undefined : await containerOf(inquiry, target);
  return container === undefined ? own : impactOfDefinition(inquiry, container);
}

async function impactOfDefinition(inquiry: Inquiry, found: Target): Promise<TargetImpact> {
  const used = await usesOf(inquiry, found);
  const { target, others, isLimited } = used;
  const { node } = target;
  const [impact, subject, handlers, { places, declarations }] = await Promise.all([
    showImpact(inquiry.view.graph, inquiry.scope, node.key),
    subjectOf(inquiry, target),
    fieldHandlers(inquiry, target),
    findPlaces(inquiry, used),
  ]);
  const [certain, possible] = byCertainty(places);
  const touched = certain.length > 0 ? certain : possible;
  return {
    key: node.key,
    lead: [
      places.length === 0
        ? ['Nothing that calls, uses or imports ', ...subject, ' is known.']
        : [
            'A change of ',
            ...subject,
            certain.length > 0 ? ' touches ' : ' possibly touches ',
            ...namesOfPlaces(inquiry, touched),
            '.',
          ],
      ...handlers,
    ],
    reasons: [
      ...describePlaces(inquiry, certain),
      ...possiblePlaces(inquiry, possible),
      ...declaredAt(inquiry, declarations),
      ...(await documentedAt(inquiry, node.name, target)),
      ...otherDefinitions(inquiry, others),
      ...recordsOf(inquiry, impact),
    ],
    uses: places.length,
    isLimited,
  };
}

function declaredAt(inquiry: Inquiry, declarations: readonly FoundUse[]): Sentence[] {
  const shown = declarations
    .slice(0, max.declarations)
    .map(({ source }): Sentence => [placeText(inquiry, source), source]);
  return listSentence('Declared at ', shown, declarations.length);
}

const document = /\.(?:mdx?|rst|txt|adoc)$/iu;

/** Says which documents mention a name as in code, other than those of past changes. */
async function documentedAt(inquiry: Inquiry, name: string, target?: Target): Promise<Sentence[]> {
  if (!looksLikeCode(name)) return [];
  const { repositories: all, named } = inquiry.ranked;
  const own = all.filter(({ id }) => id === target?.repositoryId);
  const repositories = own.length > 0 ? own : named.length > 0 ? named : all;
  const found = await findText(inquiry, { text: name, caseSensitive: true, repositories, around: 1 });
  const documents = found
    .filter(({ path }) => document.test(path) && !/(?:^|\/)(?:changes|changelog|history|news)\b/iu.test(path))
    .filter(({ path }, index, list) => list.findIndex((one) => one.path === path) === index);
  const shown = documents
    .slice(0, max.declarations)
    .map((source): Sentence => [placeText(inquiry, source), source]);
  return listSentence('Documents that mention it: ', shown, documents.length);
}

async function impactOfFile(inquiry: Inquiry, target: Target): Promise<TargetImpact> {
  const { view, scope } = inquiry;
  const impact = await showImpact(view.graph, scope, target.node.key);
  const uses = testsLast(
    impact.dependents.filter(({ node }) => node.key !== target.file),
    ({ node }) => node.key,
  );
  const named = await Promise.all(
    uses.slice(0, max.named).map(async ({ node, edge }): Promise<Sentence> => {
      const source = await useSource(inquiry, node, edge);
      return [nodePlace(inquiry, node), ...(source === undefined ? [] : [source])];
    }),
  );
  const subject = await subjectOf(inquiry, target);
  const lead: Sentence =
    uses.length === 0
      ? ['Nothing that calls, uses or imports ', ...subject, ' is known.']
      : [
          'A change of ',
          ...subject,
          ` touches ${uses.length} direct ${uses.length === 1 ? 'dependent' : 'dependents'}: `,
          ...joined(named, uses.length),
          '.',
        ];
  const { truncated: isLimited } = impact;
  return {
    key: target.node.key,
    lead: [lead],
    reasons: recordsOf(inquiry, impact),
    uses: uses.length,
    isLimited,
  };
}

/** Says who owns what changes, and which open issues and incidents are about it. */
function recordsOf(inquiry: Inquiry, impact: Impact): Sentence[] {
  const owners = impact.owners.slice(0, max.people).map(({ node }): Sentence => [plainText(node.name)]);
  const issues = impact.issues
    .slice(0, max.people)
    .map(({ node }) => recordSentence(inquiry, node, 'open issue'));
  const incidents = impact.incidents
    .slice(0, max.people)
    .map(({ node }) => recordSentence(inquiry, node, 'open incident'));
  return [
    ...listSentence('Owned by ', owners, impact.owners.length),
    ...listSentence('Open issues about it: ', issues, impact.issues.length),
    ...listSentence('Open incidents about it: ', incidents, impact.incidents.length),
  ];
}
