import { stemsOf } from '../../text/split-words.ts';
import { condensed, versionsIn } from '../../text/versioned-names.ts';
import type { Inquiry } from '../inquiry.ts';
import { isProductFile } from '../test-path.ts';
import { type ChosenDefinition, followNamed, generic } from './follow-named.ts';
import { rankDefinitions } from './rank-definitions.ts';

const asksWhatItIs =
  /\b(?:what (?:is|are|does|do)|where (?:is|are)|explain|describe)\b|\bhow (?:is|are|do|does)\b[^?.]{0,80}\bworks?\s*(?:[?.]|$)/iu;

/** Asks for the place of a thing. Other questions for a place ask for code that does something: "where is it decided". */
const asksForDeclaration =
  /\b(?:defined|declared|set|stored|located|lives?|kept|class|type|interface|constant|struct|default)\b/iu;

const passive = /\bgets?\s+\w{2,20}(?:[ed]d|en|nt|lt|wn|ght)\b/iu;

/**
 * Chooses the definition that answers a question. A question that names one and asks for nothing else is about that
 * one, or about what it leads to.
 */
export async function chooseDefinition({
  ranked,
  kind,
  asked,
}: Pick<Inquiry, 'ranked' | 'kind' | 'asked'>): Promise<ChosenDefinition> {
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
    asksForBehaviour: kind !== 'where' || !asksForDeclaration.test(asked),
    asksForTests,
  };
  const scored = await rankDefinitions(files, { ...question, terms });
  const ofName = scored.filter(({ definition }) => names.includes(definition.name));
  // None of several names is what the question is about.
  const isOne = new Set(ofName.map(({ definition }) => definition.name)).size === 1;
  const named = isOne ? ofName[0] : undefined;
  if (named === undefined) {
    const called = asksWhatItIs.test(asked)
      ? scored.find(({ definition }) => isCalled(definition.name, terms))
      : undefined;
    return called === undefined
      ? { best: scored, named: undefined, isAsked: false }
      : { best: [called], named: undefined, isAsked: true };
  }
  return followNamed(named, { ...question, terms, files });
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
