import type { RankedFile } from '../../../../backends/codesearch/port.ts';
import type { Inquiry } from '../inquiry.ts';
import { isTestPath } from '../test-path.ts';
import { rankDefinitions, type ScoredDefinition, stemsOf } from './rank-definitions.ts';

export interface ChosenDefinition {
  /** The definition that answers, best first. */
  readonly best: readonly ScoredDefinition[];
  /** The definition that the question names, if another one answers. */
  readonly named: ScoredDefinition | undefined;
}

/** Words that say what kind of thing a name is. */
const generic =
  /^(?:class|function|method|module|middleware|type|interface|object|setting|option|component|helper|hook|work|do|doe|mean)$/u;

/**
 * Chooses the definition that answers a question. A question that names one and asks for nothing else is about that
 * one. A function that is named answers itself. For a class, a type or a constant, the answer is the member, or the
 * code that uses it, which holds the other words of the question.
 */
export function chooseDefinition({ ranked, kind }: Inquiry): ChosenDefinition {
  const { terms, identifiers } = ranked.subject;
  const asksForTests = terms.some((term) => /^tests?$/iu.test(term));
  const files = ranked.files.filter((file) => isProduct(file) || (asksForTests && file.fileClass === 'test'));
  const names = identifiers.map((name) => name.split(/\.|::|#/u).at(-1) ?? name);
  const question = { names, asksForBehaviour: kind !== 'where' };
  const scored = rankDefinitions(files, { ...question, terms });
  const named = scored.find(({ definition }) => names.includes(definition.name));
  if (named === undefined) return { best: scored, named: undefined };
  const ofName = new Set(stemsOf(names.join(' ')));
  const rest = terms.filter((term) => stemsOf(term).some((word) => !ofName.has(word) && !generic.test(word)));
  if (named.isFunction || rest.length === 0) return { best: [named], named: undefined };
  const wanted = new Set(rest.flatMap(stemsOf));
  const isMember = ({ container }: ScoredDefinition): boolean => names.includes(container ?? '');
  // A part that a class leaves to another file is next to it, and is not always among the best files.
  const isNeighbour = (file: RankedFile): boolean => folderOf(file) === folderOf(named.file);
  const near = [...files.filter(isNeighbour), ...files.filter((file) => !isNeighbour(file))];
  const users = rankDefinitions(near, { ...question, terms: rest }).filter((one) => {
    if (one.definition === named.definition) return false;
    const saysIt = stemsOf(one.definition.name).some((word) => wanted.has(word));
    if (isMember(one) || one.mentions(names)) return one.isFunction || saysIt;
    return one.isFunction && saysIt && isNeighbour(one.file);
  });
  // A member of what is named is nearer to the question than other code that mentions it.
  const weigh = (one: ScoredDefinition): number => one.score * (isMember(one) ? 2 : 1);
  const best = users.toSorted((a, b) => weigh(b) - weigh(a));
  return best.length === 0 ? { best: [named], named: undefined } : { best, named };
}

function folderOf({ repository, path }: RankedFile): string {
  return `${repository}:${path.slice(0, path.lastIndexOf('/') + 1)}`;
}

function isProduct({ fileClass, path }: RankedFile): boolean {
  return fileClass === 'source' && !isTestPath(path);
}
