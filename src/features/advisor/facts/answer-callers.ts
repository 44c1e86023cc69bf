import type { RelatedNode } from '../../knowledge/queries/related-node.ts';
import { showImpact } from '../../knowledge/queries/show-impact.ts';
import { joined, type Sentence, type Statements } from '../answer/statements.ts';
import { inlineCode } from '../text/markdown.ts';
import { type Inquiry, maxPassages, nodePlace } from './inquiry.ts';
import { findTarget, type Target, targetOf } from './targets/target.ts';
import { targetSource } from './targets/target-source.ts';
import { isDeclarationFile, isTestPath } from './test-path.ts';
import { answerUses, answerUsesOf } from './uses/answer-uses.ts';
import { describePlaces, namesOfPlaces } from './uses/state-places.ts';
import { findPlaces, type UsePlace } from './uses/use-places.ts';

/** Answers what calls, uses or imports a definition or file. */
export async function answerCallers(inquiry: Inquiry): Promise<Statements | undefined> {
  const used = await findUsed(inquiry);
  if (used?.target?.isNamed !== true) {
    const uses = (await answerUses(inquiry)) ?? (await answerName(inquiry));
    if (uses !== undefined) return uses;
  }
  if (used?.target === undefined) return undefined;
  const { target, others } = used;
  const own = await targetSource(inquiry, target);
  const { places: all } = await findPlaces(inquiry, { ...used, name: target.node.name });
  const heirs = asksForHeirs.test(inquiry.asked) ? all.filter(isHeir) : [];
  const places = heirs.length > 0 ? heirs : all;
  const subject = nodePlace(inquiry, target.node);
  if (places.length === 0)
    return withoutUses(inquiry, target, [subject, ...(own === undefined ? [] : [own])]);
  const verb = heirs.length > 0 ? 'extended' : verbOf(target, used.dependents, places);
  return {
    lead: [
      ...absentName(inquiry, target),
      [`${subject} is ${verb} by `, ...namesOfPlaces(inquiry, places), '.'],
    ],
    reasons: [...describePlaces(inquiry, places), ...namesakesOf(inquiry, others)],
    sources: [...(own === undefined ? [] : [own]), ...inquiry.code.slice(0, maxPassages)],
    notes: [textNote, ...(used.isLimited ? [limitNote] : [])],
  };
}

/** Asks for what extends a type, not for all that uses it. */
const asksForHeirs = /\b(?:sub-?class|inherit|extend|implement|deriv)\w*/iu;

const headOfType =
  /^(?:(?:export|default|abstract|public|private|protected|internal|final|sealed|static|data|pub)\s+)*(?:class|interface|struct|trait|impl|record|enum|object|protocol)\b/u;

/** Returns whether a place is the head of a type, which names what it extends. */
function isHeir({ lines }: UsePlace): boolean {
  return lines.some(({ text }) => headOfType.test(text.trim()));
}

export const limitNote = 'The lists are limited: there may be more uses.';
export const textNote =
  'Uses are resolved from the syntax of the files, and found by the name in their text: one under another name, such as an alias, may be missing.';

/** A definition with its uses. */
interface Used {
  readonly target: Target;
  readonly dependents: readonly RelatedNode[];
  /** True if the graph may know more uses. */
  readonly isLimited: boolean;
  /** Other definitions with its name in its repository. */
  readonly others: readonly Target[];
  readonly namesakes: number;
}

/**
 * Maximum numbers of definitions of one name whose uses are looked up, of uses that the graph returns for one, and of
 * other definitions that are named.
 */
const max = { targets: 12, dependents: 100, others: 4 } as const;

/**
 * Returns the definition that is meant, with its uses. If several classes define the name and the question names none of
 * them, the uses of all count, because a call through a variable may mean any of them; the one that is used is shown.
 */
export async function findUsed(inquiry: Inquiry, found?: Target): Promise<Used | undefined> {
  const { view, scope, named, ranked } = inquiry;
  const first = found ?? (await findTarget(inquiry));
  if (first === undefined) return undefined;
  const isQualified = ranked.subject.identifiers.some(
    (name) => /[.#:]/u.test(name) && name.endsWith(first.node.name),
  );
  const same = named.symbols
    .filter(({ name, key }) => name === first.node.name && key !== first.node.key && !isTestPath(key))
    .flatMap((node) => targetOf(node, first.isNamed) ?? []);
  const others = same.filter(({ repositoryId }) => repositoryId === first.repositoryId);
  const targets = [first, ...(isQualified ? [] : others.length > 0 ? others : same)].slice(0, max.targets);
  const impacts = await Promise.all(
    targets.map(async (target) => ({ ...(await showImpact(view.graph, scope, target.node.key)), target })),
  );
  const isUsed = ({ dependents, target }: (typeof impacts)[number]): boolean =>
    dependents.some(({ node }) => !isTestPath(node.key) && node.key !== target.file);
  const best = impacts.find(isUsed) ?? impacts[0];
  if (best === undefined) return undefined;
  const { target } = best;
  const own = impacts.filter((one) => one.target.repositoryId === target.repositoryId);
  const dependents = new Map(own.flatMap((one) => one.dependents.map((use) => [use.node.key, use] as const)));
  return {
    target,
    dependents: [...dependents.values()],
    isLimited: own.some((one) => one.dependents.length >= max.dependents),
    others: targets.filter((one) => one !== target && one.repositoryId === target.repositoryId),
    namesakes: isQualified ? 1 : 1 + others.length,
  };
}

/** Answers for a name as in code that the graph has no definition of, such as that of an imported module. */
async function answerName(inquiry: Inquiry): Promise<Statements | undefined> {
  const name = nameInCode(inquiry);
  if (name === undefined) return undefined;
  const { places } = await findPlaces(inquiry, { name, target: undefined, dependents: [], namesakes: 1 });
  if (places.length === 0) return undefined;
  return {
    lead: [[`${inlineCode(name)} is used by `, ...namesOfPlaces(inquiry, places), '.']],
    reasons: describePlaces(inquiry, places),
    sources: inquiry.code.slice(0, maxPassages),
    notes: [textNote],
  };
}

/** Returns the first name of the question that is written as in code and exists. */
export function nameInCode({ ranked: { subject, unmatched } }: Inquiry): string | undefined {
  return subject.identifiers.find((one) => !unmatched.includes(one) && !/[.#:]/u.test(one));
}

/** Says that no code has a name that a question writes as in code, before what was found by its other words. */
export function absentName({ ranked: { subject } }: Inquiry, target: Target): Sentence[] {
  const name = subject.identifiers.find((one) => !/[.#:]/u.test(one));
  if (target.isNamed || name === undefined) return [];
  return [[`No definition or use of ${inlineCode(name)} was found in code; the nearest is this.`]];
}

/** Says how a definition is used: "called" if lines or the graph show a call, "imported" if nothing else is known. */
function verbOf({ node }: Target, dependents: readonly RelatedNode[], places: readonly UsePlace[]): string {
  if (node.kind === 'file') return 'imported';
  if (/^(?:class|struct|interface|type|enum|trait)$/u.test(String(node.props['kind']))) return 'used';
  if (dependents.some(({ edge }) => edge.kind === 'calls')) return 'called';
  const text = places.flatMap(({ lines }) => lines.map((line) => line.text)).join('\n');
  if (text.includes(`${node.name}(`)) return 'called';
  return dependents.length > 0 && dependents.every(({ edge }) => edge.kind === 'imports')
    ? 'imported'
    : 'used';
}

/** Says where else a name is defined, and where it is only declared. */
export function namesakesOf(inquiry: Inquiry, others: readonly Target[]): Sentence[] {
  const declared = others.filter(({ path }) => isDeclarationFile(path));
  const defined = others.filter((one) => !declared.includes(one));
  const listOf = (some: readonly Target[]): Sentence =>
    joined(
      some.slice(0, max.others).map(({ node }): Sentence => [nodePlace(inquiry, node)]),
      some.length,
    );
  return [
    ...(declared.length === 0 ? [] : [['Declared as ', ...listOf(declared), '.']]),
    ...(defined.length === 0
      ? []
      : [
          [
            'The name is also defined as ',
            ...listOf(defined),
            '; a call through a variable may mean any of them.',
          ],
        ]),
  ];
}

/** Orders uses: those of the product before those of its tests. */
export function productFirst(uses: readonly RelatedNode[]): readonly RelatedNode[] {
  return [
    ...uses.filter(({ node }) => !isTestPath(node.key)),
    ...uses.filter(({ node }) => isTestPath(node.key)),
  ];
}

/** Says that no use is known to the graph, and where the name occurs: it may be read by its name in a string. */
async function withoutUses(inquiry: Inquiry, { node }: Target, subject: Sentence): Promise<Statements> {
  const inText =
    node.kind === 'symbol' ? await answerUsesOf(inquiry, { name: node.name, verb: 'use' }) : undefined;
  if (inText !== undefined) return inText;
  const none = node.kind === 'symbol' ? 'No call or other use' : 'No import';
  const lead: Sentence = [`${none} of `, ...subject, ' was found.'];
  return { lead: [lead], reasons: [], sources: inquiry.code.slice(0, maxPassages), notes: [] };
}
