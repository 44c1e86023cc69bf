import type { RankedFile } from '../../../../backends/codesearch/port.ts';
import { maxLineLength } from '../../sources/excerpt.ts';
import { stemsOf } from '../../text/split-words.ts';
import { measureFit } from './measure-fit.ts';
import { type DefinitionQuestion, rankDefinitions, type ScoredDefinition } from './rank-definitions.ts';

export interface ChosenDefinition {
  /** The definition that answers, best first. */
  readonly best: readonly ScoredDefinition[];
  /** The definition that the question names, if another one answers. */
  readonly named: ScoredDefinition | undefined;
  /** True if the question names the best one, as in code or by the words of its name. */
  readonly isAsked: boolean;
}

/** Words that say what kind of thing a name is. */
export const generic =
  /^(?:class|function|method|module|middleware|type|interface|object|setting|option|component|helper|hook|work|do|doe|mean)$/u;

/**
 * Chooses the definition that answers a question that names one: itself, or a better one. A function that only stores or
 * passes on what it gets leads to the code that shares the names of its body, if that says more of the question. A class,
 * a type or a constant leads to its member, or to the code that uses it, which holds the other words.
 */
export async function followNamed(
  named: ScoredDefinition,
  { files, ...question }: DefinitionQuestion & { readonly files: readonly RankedFile[] },
): Promise<ChosenDefinition> {
  const { names, terms } = question;
  const ownWords = new Set(stemsOf(names.join(' ')));
  const rest = terms.filter((term) =>
    stemsOf(term).some((word) => !ownWords.has(word) && !generic.test(word)),
  );
  const itself = { best: [named], named: undefined, isAsked: true } as const;
  const passedOn = isShallow(named) && rest.length >= minRest ? namesIn(named) : [];
  if ((named.isFunction && passedOn.length === 0) || rest.length === 0) return itself;
  // A part that a class leaves to another file is next to it, and is not always among the best files.
  const isNeighbour = (file: RankedFile): boolean => folderOf(file) === folderOf(named.file);
  const near = [...files.filter(isNeighbour), ...files.filter((file) => !isNeighbour(file))];
  const usable = await rankDefinitions(near, { ...question, terms: rest });
  const others = usable.filter(({ definition }) => definition !== named.definition);
  const isPart = ({ definition, container }: ScoredDefinition): boolean =>
    named.isFunction ? passedOn.includes(definition.name) : names.includes(container ?? '');
  const wanted = new Set(rest.flatMap(stemsOf));
  const uses = (one: ScoredDefinition): boolean => {
    if (named.isFunction) return one.isFunction && (isPart(one) || one.mentions(passedOn));
    const saysIt = stemsOf(one.definition.name).some((word) => wanted.has(word));
    if (isPart(one) || one.mentions(names)) return one.isFunction || saysIt;
    return one.isFunction && saysIt && isNeighbour(one.file);
  };
  // A member of what is named, and what it passes on to, is nearer to the question than other code that mentions it.
  const weigh = (one: ScoredDefinition): number => one.score * (isPart(one) ? 2 : 1);
  const best = others.filter(uses).toSorted((a, b) => weigh(b) - weigh(a));
  const [first] = best;
  if (first === undefined) return itself;
  const gain = measureFit(first, rest).share - measureFit(named, rest).share;
  const isBetter = !named.isFunction || gain > 0 || (gain === 0 && isPart(first));
  return isBetter ? { best, named, isAsked: false } : itself;
}

/** Number of lines of a function, without its documentation, that only stores or passes on what it gets. */
const shallowLines = 8;
/** Number of words besides a name that ask for more than a function that passes on. */
const minRest = 2;

function isShallow({ isFunction, definition: { line, endLine, doc } }: ScoredDefinition): boolean {
  const documented = doc === undefined || doc.startLine < line ? 0 : doc.endLine - doc.startLine + 1;
  return isFunction && endLine - line + 1 - documented <= shallowLines;
}

/** Returns the names written as in code in the body of a definition. */
function namesIn({ file, definition: { line, endLine, doc, name } }: ScoredDefinition): readonly string[] {
  const found = new Set<string>();
  for (const { startLine, text } of file.spans) {
    for (const [at, one] of text.split(/\r?\n/u).entries()) {
      const number = startLine + at;
      const isDoc = doc !== undefined && number >= doc.startLine && number <= doc.endLine;
      if (number <= line || number > endLine || isDoc) continue;
      for (const word of one.slice(0, maxLineLength).match(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu) ?? [])
        if (/_|[a-z\d][A-Z]/u.test(word) && word !== name) found.add(word);
    }
  }
  return [...found];
}

function folderOf({ repository, path }: RankedFile): string {
  return `${repository}:${path.slice(0, path.lastIndexOf('/') + 1)}`;
}
