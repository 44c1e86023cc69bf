import type { RankedFile } from '../../../../backends/codesearch/port.ts';
import { condensed, versionsIn } from '../../text/versioned-names.ts';
import type { Inquiry } from '../inquiry.ts';
import { isProductFile } from '../test-path.ts';
import { rankDefinitions, type ScoredDefinition, stemsOf } from './rank-definitions.ts';

export interface ChosenDefinition {
  /** The definition that answers, best first. */
  readonly best: readonly ScoredDefinition[];
  /** The definition that the question names, if another one answers. */
  readonly named: ScoredDefinition | undefined;
  /** True if the question names the best one, as in code or by the words of its name. */
  readonly isAsked: boolean;
}

const asksWhatItIs =
  /\b(?:what (?:is|are|does|do)|where (?:is|are)|explain|describe)\b|\bhow (?:is|are|do|does)\b[^?.]{0,80}\bworks?\s*(?:[?.]|$)/iu;

const passive = /\bgets?\s+\w{2,20}(?:[ed]d|en|nt|lt|wn|ght)\b/iu;

/** Words that say what kind of thing a name is. */
const generic =
  /^(?:class|function|method|module|middleware|type|interface|object|setting|option|component|helper|hook|work|do|doe|mean)$/u;

/**
 * Chooses the definition that answers a question. A question that names one and asks for nothing else is about that
 * one. A function that is named answers itself. For a class, a type or a constant, the answer is the member, or the
 * code that uses it, which holds the other words of the question.
 */
export async function chooseDefinition({ ranked, kind, asked }: Inquiry): Promise<ChosenDefinition> {
  const { identifiers } = ranked.subject;
  const terms = subjectTerms({ ranked, asked });
  const asksForTests = terms.some((term) => /^tests?$/iu.test(term));
  const files = ranked.files.filter(
    (file) => isProductFile(file) || (asksForTests && file.fileClass === 'test'),
  );
  const names = identifiers.map((name) => name.split(/\.|::|#/u).at(-1) ?? name);
  // Code writes `HTTP/2` as `http2`.
  const versions = versionsIn(asked).map(condensed);
  const { context } = ranked;
  const question = {
    names: [...names, ...versions],
    context,
    asksForBehaviour: kind !== 'where',
    asksForTests,
  };
  const scored = await rankDefinitions(files, { ...question, terms });
  const named = scored.find(({ definition }) => names.includes(definition.name));
  if (named === undefined) {
    const called = asksWhatItIs.test(asked)
      ? scored.find(({ definition }) => isCalled(definition.name, terms))
      : undefined;
    return called === undefined
      ? { best: scored, named: undefined, isAsked: false }
      : { best: [called], named: undefined, isAsked: true };
  }
  const ofName = new Set(stemsOf(names.join(' ')));
  const rest = terms.filter((term) => stemsOf(term).some((word) => !ofName.has(word) && !generic.test(word)));
  const itself = { best: [named], named: undefined, isAsked: true } as const;
  if (named.isFunction || rest.length === 0) return itself;
  const wanted = new Set(rest.flatMap(stemsOf));
  const isMember = ({ container }: ScoredDefinition): boolean => names.includes(container ?? '');
  // A part that a class leaves to another file is next to it, and is not always among the best files.
  const isNeighbour = (file: RankedFile): boolean => folderOf(file) === folderOf(named.file);
  const near = [...files.filter(isNeighbour), ...files.filter((file) => !isNeighbour(file))];
  const usable = await rankDefinitions(near, { ...question, terms: rest });
  const users = usable.filter((one) => {
    if (one.definition === named.definition) return false;
    const saysIt = stemsOf(one.definition.name).some((word) => wanted.has(word));
    if (isMember(one) || one.mentions(names)) return one.isFunction || saysIt;
    return one.isFunction && saysIt && isNeighbour(one.file);
  });
  // A member of what is named is nearer to the question than other code that mentions it.
  const weigh = (one: ScoredDefinition): number => one.score * (isMember(one) ? 2 : 1);
  const best = users.toSorted((a, b) => weigh(b) - weigh(a));
  return best.length === 0 ? itself : { best, named, isAsked: false };
}

/**
 * Returns the terms of a question without the names of repositories, of which their files are full, and without the
 * "get" of a passive: "where does the lease get renewed".
 */
export function subjectTerms({ ranked, asked }: Pick<Inquiry, 'ranked' | 'asked'>): readonly string[] {
  const left = new Set(ranked.named.map(({ name }) => name.toLowerCase()));
  if (passive.test(asked)) left.add('get');
  const text = asked.toLowerCase();
  const isOwner = (term: string): boolean =>
    ranked.named.some(({ name }) => text.includes(`${term}/${name.toLowerCase()}`));
  const rest = ranked.subject.terms.filter((term) => {
    const word = term.toLowerCase();
    return !left.has(word) && !isOwner(word);
  });
  return rest.length === 0 ? ranked.subject.terms : rest;
}

/** Returns whether a question consists of the words of a name: "the retry middleware" of `RetryMiddleware`. */
function isCalled(name: string, terms: readonly string[]): boolean {
  const own = new Set(stemsOf(name));
  const asked = new Set(terms.flatMap(stemsOf));
  const isAsked = (word: string): boolean => own.has(word) || generic.test(word);
  return own.size > 0 && [...own].every((word) => asked.has(word)) && [...asked].every(isAsked);
}

function folderOf({ repository, path }: RankedFile): string {
  return `${repository}:${path.slice(0, path.lastIndexOf('/') + 1)}`;
}
