import type { RankedFile } from '../../../../backends/codesearch/port.ts';
import { maxLineLength } from '../../sources/excerpt.ts';
import { stemsOf } from '../../text/split-words.ts';
import { condensed, versionsIn } from '../../text/versioned-names.ts';
import type { Inquiry } from '../inquiry.ts';
import { isProductFile } from '../test-path.ts';
import { measureFit } from './measure-fit.ts';
import { rankDefinitions, type ScoredDefinition } from './rank-definitions.ts';

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

/** Asks for the place of a thing. Other questions for a place ask for code that does something: "where is it decided". */
const asksForDeclaration =
  /\b(?:defined|declared|set|stored|located|lives?|kept|class|type|interface|constant|struct|default)\b/iu;

const passive = /\bgets?\s+\w{2,20}(?:[ed]d|en|nt|lt|wn|ght)\b/iu;

/** Words that say what kind of thing a name is. */
const generic =
  /^(?:class|function|method|module|middleware|type|interface|object|setting|option|component|helper|hook|work|do|doe|mean)$/u;

/**
 * Chooses the definition that answers a question. A question that names one and asks for nothing else is about that
 * one. A function that is named answers itself, unless it only stores or passes on what it gets: then the code that
 * shares the names of its body may say more of the question. For a class, a type or a constant, the answer is the
 * member, or the code that uses it, which holds the other words of the question.
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
  const ownWords = new Set(stemsOf(names.join(' ')));
  const rest = terms.filter((term) =>
    stemsOf(term).some((word) => !ownWords.has(word) && !generic.test(word)),
  );
  const itself = { best: [named], named: undefined, isAsked: true } as const;
  const passedOn = isShallow(named) && rest.length >= minRest ? namesIn(named) : [];
  if ((named.isFunction && passedOn.length === 0) || rest.length === 0) return itself;
  const wanted = new Set(rest.flatMap(stemsOf));
  const isMember = ({ container }: ScoredDefinition): boolean =>
    !named.isFunction && names.includes(container ?? '');
  const isPassedTo = (one: ScoredDefinition): boolean =>
    one.isFunction && (passedOn.includes(one.definition.name) || one.mentions(passedOn));
  // A part that a class leaves to another file is next to it, and is not always among the best files.
  const isNeighbour = (file: RankedFile): boolean => folderOf(file) === folderOf(named.file);
  const near = [...files.filter(isNeighbour), ...files.filter((file) => !isNeighbour(file))];
  const usable = await rankDefinitions(near, { ...question, terms: rest });
  const users = usable.filter((one) => {
    if (one.definition === named.definition) return false;
    if (named.isFunction) return isPassedTo(one);
    const saysIt = stemsOf(one.definition.name).some((word) => wanted.has(word));
    if (isMember(one) || one.mentions(names)) return one.isFunction || saysIt;
    return one.isFunction && saysIt && isNeighbour(one.file);
  });
  // A member of what is named, and what it passes on to, is nearer to the question than other code that mentions it.
  const isNear = (one: ScoredDefinition): boolean => isMember(one) || passedOn.includes(one.definition.name);
  const weigh = (one: ScoredDefinition): number => one.score * (isNear(one) ? 2 : 1);
  const best = users.toSorted((a, b) => weigh(b) - weigh(a));
  const [first] = best;
  if (first === undefined) return itself;
  const gain = measureFit(first, rest).share - measureFit(named, rest).share;
  const isBetter = !named.isFunction || gain > 0 || (gain === 0 && passedOn.includes(first.definition.name));
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
