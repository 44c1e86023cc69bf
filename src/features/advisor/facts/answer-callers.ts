import type { RelatedNode } from '../../knowledge/queries/related-node.ts';
import type { Sentence, Statements } from '../answer/statements.ts';
import { type Inquiry, maxPassages, nodePlace } from './inquiry.ts';
import type { Target } from './targets/target.ts';
import { subjectOf, targetSource } from './targets/target-source.ts';
import { answerUses, answerUsesOf } from './uses/answer-uses.ts';
import { describePlaces, namesOfPlaces, possiblePlaces } from './uses/state-places.ts';
import { absentName, answerName, limitNote, otherDefinitions, textNote } from './uses/state-used.ts';
import { byCertainty, findPlaces, type UsePlace } from './uses/use-places.ts';
import { findUsed, type UsedTarget } from './uses/used-name.ts';

/** Answers what calls, uses or imports a definition or file. */
export async function answerCallers(inquiry: Inquiry): Promise<Statements | undefined> {
  const used = await findUsed(inquiry);
  if (used?.target?.isNamed !== true) {
    const uses =
      (await answerUses(inquiry)) ?? (await answerName(inquiry, { begin: (name) => `${name} is used by ` }));
    if (uses !== undefined) return uses;
  }
  if (used?.target === undefined) return undefined;
  const { target } = used;
  const { places: all } = await findPlaces(inquiry, used);
  const heirs = asksForHeirs.test(inquiry.asked) ? all.filter(isHeir) : [];
  const places = heirs.length > 0 ? heirs : all;
  if (places.length === 0) return withoutUses(inquiry, target);
  const own = await targetSource(inquiry, target);
  const verb = heirs.length > 0 ? 'extended' : verbOf(target, used.dependents, places);
  return {
    ...statePlaces(inquiry, used, places, verb),
    sources: [...(own === undefined ? [] : [own]), ...inquiry.code.slice(0, maxPassages)],
    notes: [textNote, ...(used.isLimited ? [limitNote] : [])],
  };
}

/** Names the places that certainly use a definition, then those that possibly do. */
function statePlaces(
  inquiry: Inquiry,
  { target, others }: UsedTarget,
  places: readonly UsePlace[],
  verb: string,
): Pick<Statements, 'lead' | 'reasons'> {
  const [certain, possible] = byCertainty(places);
  const isCertain = certain.length > 0;
  return {
    lead: [
      ...absentName(inquiry, target),
      [
        `${nodePlace(inquiry, target.node)} is ${isCertain ? verb : `possibly ${verb}`} by `,
        ...namesOfPlaces(inquiry, isCertain ? certain : possible),
        '.',
      ],
    ],
    reasons: [
      ...describePlaces(inquiry, certain),
      ...possiblePlaces(inquiry, possible, verb),
      ...otherDefinitions(inquiry, others),
    ],
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

/** Says that no use is known to the graph, and where the name occurs: it may be read by its name in a string. */
async function withoutUses(inquiry: Inquiry, target: Target): Promise<Statements> {
  const { node } = target;
  const inText =
    node.kind === 'symbol' ? await answerUsesOf(inquiry, { name: node.name, verb: 'use' }) : undefined;
  if (inText !== undefined) return inText;
  const none = node.kind === 'symbol' ? 'No call or other use' : 'No import';
  const lead: Sentence = [`${none} of `, ...(await subjectOf(inquiry, target)), ' was found.'];
  return { lead: [lead], reasons: [], sources: inquiry.code.slice(0, maxPassages), notes: [] };
}
