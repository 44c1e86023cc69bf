import type { RankedFile } from '../../../../../backends/codesearch/port.ts';
import type { GraphNode } from '../../../../../backends/graph/port.ts';
import { textBefore } from '../../../../../foundation/kernel/text/cut-text.ts';
import { excludedNames } from '../../../question/grammar/excluded-names.ts';
import { stemsOf } from '../../../text/split-words.ts';
import { chooseDefinition } from '../../definitions/choose-definition.ts';
import type { Inquiry } from '../../inquiry.ts';
import { findTarget, nodeOf, type Target, targetOf } from '../../targets/target.ts';
import { isProductFile } from '../../test-path.ts';
import { saysMore } from '../asked-words.ts';
import { type Area, areaOf } from './area.ts';
import { typedTarget } from './typed-target.ts';

/** The code that people are asked for. */
export interface OwnedTarget {
  readonly target: Target;
  /** The area whose file the target is, if the question names one. */
  readonly area: Area | undefined;
  /** True if the question names it as in code. */
  readonly isExplicit: boolean;
}

/** Returns what a question for people names, or else the area or file that it is about. */
export async function ownedTarget(inquiry: Inquiry): Promise<OwnedTarget | undefined> {
  const explicit = await explicitTarget(inquiry);
  if (explicit !== undefined) return { target: explicit, area: undefined, isExplicit: true };
  const area = areaOf(inquiry);
  const ofArea = area && (await targetOfArea(inquiry, area));
  const target = ofArea ?? (await targetOfTopic(inquiry));
  return target && { target, area: ofArea && area, isExplicit: false };
}

/** Returns what a question names as in code; a word of the sentence only if it says nothing else. */
export async function explicitTarget(inquiry: Inquiry): Promise<Target | undefined> {
  const typed = await typedTarget(inquiry);
  if (typed !== undefined) return typed;
  const { named, ranked, asked } = inquiry;
  const excluded = excludedNames(asked);
  const repositories = new Set(ranked.repositories.map(({ name }) => name.toLowerCase()));
  const isMeant = ({ name }: GraphNode): boolean =>
    !excluded.has(name.toLowerCase()) &&
    !repositories.has(name.toLowerCase()) &&
    (isWritten(ranked.subject.identifiers, name) || !saysMore(inquiry, name));
  const symbols = named.symbols.filter(isMeant);
  return symbols.length + named.files.length === 0
    ? undefined
    : findTarget({ ...inquiry, named: { ...named, symbols } });
}

function isWritten(identifiers: readonly string[], name: string): boolean {
  return identifiers.some(
    (one) => one === name || (one.endsWith(name) && /\W/u.test(one.at(-name.length - 1) ?? '')),
  );
}

/** Factor of a file whose name consists of words of the question: of one word, which files may share, or of several. */
const namedFactor = { one: 1.25, several: 1.5 } as const;
/** Bonus of the file that has the best definition. */
const definitionBonus = 0.5;
/** Factor of a file with a name that the question says not to mean. */
const excludedFactor = 0.3;

/** Returns the file that a topic is about: the best one of the ranking, where one with its words as name is better. */
async function targetOfTopic(inquiry: Inquiry): Promise<Target | undefined> {
  const { files, subject } = inquiry.ranked;
  const { best: definitions } = await chooseDefinition(inquiry);
  const top = definitions[0]?.score ?? 1;
  const wanted = new Set(subject.terms.flatMap(stemsOf));
  const excluded = excludedNames(inquiry.asked);
  const rate = (file: RankedFile): number => {
    const name = textBefore(file.path.slice(file.path.lastIndexOf('/') + 1), '.');
    const share = (definitions.find((one) => one.file === file)?.score ?? 0) / top;
    const ofName = nameFactor(stemsOf(name), wanted);
    return (
      file.score *
      ofName *
      (1 + definitionBonus * share) *
      (excluded.has(name.toLowerCase()) ? excludedFactor : 1)
    );
  };
  const [best] = files.filter(isProductFile).toSorted((a, b) => rate(b) - rate(a));
  const node = best && (await nodeOf(inquiry, { repositoryId: best.repository, path: best.path }));
  return node === undefined ? findTarget(inquiry) : targetOf(node, false);
}

function nameFactor(words: readonly string[], wanted: ReadonlySet<string>): number {
  if (words.length === 0 || !words.every((word) => wanted.has(word))) return 1;
  return words.length > 1 ? namedFactor.several : namedFactor.one;
}

/** Returns the file of an area that fits the question best. */
async function targetOfArea(inquiry: Inquiry, { repositoryId, file }: Area): Promise<Target | undefined> {
  const node = await nodeOf(inquiry, { repositoryId, path: file });
  return node && targetOf(node, false);
}
