import type { RankedDefinition, RankedFile } from '../../../../backends/codesearch/port.ts';
import { isDeclarationFile } from '../../../../backends/languages/port.ts';
import { openPauses } from '../../../../foundation/kernel/limits/pauses.ts';
import { relatedWords } from '../../question/words/related-words.ts';
import { maxLineLength } from '../../sources/excerpt.ts';
import { stemsOf } from '../../text/split-words.ts';
import { isScriptPath } from '../test-path.ts';

/** A definition of a ranked file, with what it scores for a question. */
export interface ScoredDefinition {
  readonly file: RankedFile;
  readonly definition: RankedDefinition;
  /** Name of the innermost class or the like that contains it, or of the type that it is a method of. */
  readonly container: string | undefined;
  /** Higher is better; comparable within one question. */
  readonly score: number;
  /** True for a function, a method, and a constant or field that holds one. */
  readonly isFunction: boolean;
  /** Returns whether its lines below its first one contain one of some names, as written. */
  mentions(names: readonly string[]): boolean;
  /**
   * Returns how rare a word of the question is in the definitions that are compared, those that none of them has being
   * the rarest.
   */
  rarity(word: string): number;
}

/** A question as the ranking of definitions needs it. */
export interface DefinitionQuestion {
  /** Words of the question as written. */
  readonly terms: readonly string[];
  /** Those that it only tells besides, which count for less. */
  readonly context: readonly string[];
  /** A name as written in code that the definition should contain. */
  readonly names: readonly string[];
  /** True if the question asks for behaviour: a type or a constant answers it less than a function. */
  readonly asksForBehaviour: boolean;
  /** True if the question asks for tests, which otherwise answer less than what they test. */
  readonly asksForTests: boolean;
}

/**
 * Number of the best files whose definitions are compared, of their first definitions, and of the innermost
 * definitions that a line counts for. A file of functions that do not end has all of them around its last line.
 */
const max = { files: 20, definitions: 2000, nesting: 8 } as const;
const weight = {
  name: 3,
  container: 0.5,
  doc: 1.5,
  manual: 0.4,
  body: 1,
  path: 0.4,
  related: 0.4,
  said: 0.6,
  value: 0.2,
} as const;
/** Factor of a word that a question only tells besides. */
const contextFactor = 0.5;
/** Number of lines in which documentation says what a definition is; the rest is a manual with samples. */
const summaryLines = 6;
/** Exponent of the rank of a file in the score of its definitions. */
const fileExponent = 1.2;
/** Share of the score that depends on the coverage of the question. */
const coverageShare = 0.4;
/**
 * Names of constructors and of functions that declare flags. They mention all parts of an object and do little of its
 * work, so they score less.
 */
const constructors =
  /^(?:__init__|__new__|constructor|[Nn]ew(?:[A-Z]\w*)?|[Ii]nit|[Ii]nitialize|[Ss]etup|(?:[Rr]egister|[Aa]dd)_?[Ff]lags)$/u;
const constructorFactor = 0.6;
/** Number of lines after its first one of a function that only returns a value, and its factor if behaviour is asked. */
const accessor = { lines: 2, factor: 0.8 } as const;
/** Number of lines of a function that only stores a value or handler for later, and its factor. */
const setter = { lines: 8, factor: 0.5 } as const;
const asksForSetter = /^(?:set|configur|option|enabl|disabl|regist|add|assign|install)/iu;
/** Factor of a file that only declares what another one implements. */
const declarationFactor = 0.4;
/** Factor of a script that builds or maintains a repository, or completes its commands in a shell. */
const scriptFactor = 0.3;
/** Words that ask for such scripts. */
const scriptWords =
  /^(?:script|tool|bin|build|releas|publish|ci|exampl|benchmark|command|cli|complet|zsh|fish)/iu;
/** Factor of a function whose name has all that a question asks. */
const nameBonus = 0.8;
/** Factor of a test in a file of the product. */
const testFactor = 0.15;
const isValue = /^(?:constant|variable|field)$/u;
/** Number of lines in which the parameters of a function end. */
const headLines = 12;
const containers = /^(?:class|struct|interface|enum|module|trait|type|other)$/u;
const factors: Readonly<Record<string, readonly [behaviour: number, place: number]>> = {
  function: [1, 1],
  method: [1, 1],
  macro: [0.9, 0.9],
  class: [0.5, 0.95],
  struct: [0.55, 0.85],
  module: [0.5, 0.7],
  variable: [0.5, 0.7],
  constant: [0.5, 0.8],
  other: [0.6, 0.8],
  enum: [0.4, 0.7],
  interface: [0.35, 0.65],
  type: [0.35, 0.65],
  field: [0.35, 0.65],
};

type Pause = ReturnType<typeof openPauses>;

/** The words of a question, with related ones, and its names as written. Texts are searched for these only. */
interface Asked {
  readonly words: ReadonlySet<string>;
  readonly names: readonly string[];
}

interface Candidate {
  readonly file: RankedFile;
  readonly definition: RankedDefinition;
  readonly container: string | undefined;
  /** The weighted number of occurrences of each word of the question that it contains. */
  readonly tf: Map<string, number>;
  /** The words of the question outside of its manual. */
  readonly said: Set<string>;
  /** The lines that belong to it, but not to a definition in it. */
  readonly lines: string[];
  length: number;
  readonly isFunction: boolean;
  readonly isSetter: boolean;
}

/**
 * Ranks the definitions of the best files by a question (BM25 over name, comment, body and path), best first. A ranking
 * of files finds the file; which definition in it answers, its own text tells. What a class contains counts for its
 * members, not for the class. Other requests go on meanwhile.
 */
export async function rankDefinitions(
  files: readonly RankedFile[],
  { terms, context, names, asksForBehaviour, asksForTests }: DefinitionQuestion,
): Promise<readonly ScoredDefinition[]> {
  const candidates: Candidate[] = [];
  const compared = files.slice(0, max.files).filter(({ definitions }) => definitions.length > 0);
  const own = new Set([...terms.flatMap(stemsOf), ...names]);
  const related = new Set(
    relatedWords(terms)
      .flatMap(stemsOf)
      .filter((word) => !own.has(word)),
  );
  const asked: Asked = { words: new Set([...own, ...related]), names };
  const pause = openPauses();
  for (const file of compared) candidates.push(...(await candidatesOf(file, asked, pause)));
  if (candidates.length === 0) return [];
  const counts = new Map<string, number>();
  for (const { tf } of candidates)
    for (const word of tf.keys()) counts.set(word, (counts.get(word) ?? 0) + 1);
  const told = toldBesides(terms, context);
  const idf = (word: string): number => {
    const count = counts.get(word) ?? 0;
    const rarity = Math.log(1 + (candidates.length - count + 0.5) / (count + 0.5));
    return told.has(word) ? contextFactor * rarity : rarity;
  };
  const known = [...own].filter((word) => counts.has(word));
  const total = known.reduce((sum, word) => sum + idf(word), 0);
  const average = candidates.reduce((sum, { length }) => sum + length, 0) / candidates.length;
  const best = Math.max(...compared.map(({ score }) => score));
  const scoreOf = (candidate: Candidate): ScoredDefinition => {
    const { file, definition, container, tf, said, lines, length, isFunction } = candidate;
    const norm = 0.6 + 0.4 * Math.min(5, length / Math.max(1, average));
    const valueOf = (word: string): number => {
      const count = (tf.get(word) ?? 0) / norm;
      return count === 0 ? 0 : (idf(word) * 2.2 * count) / (count + 1.2);
    };
    const found = known.filter((word) => tf.has(word));
    const covered = found.filter((word) => said.has(word)).reduce((sum, word) => sum + idf(word), 0);
    const coverage = total === 0 ? 0 : covered / total;
    const inName = new Set(stemsOf(nameOf(file, definition)));
    const named = found.filter((word) => inName.has(word));
    const nameScore =
      named.reduce((sum, word) => sum + idf(word), 0) * (named.length / Math.max(1, inName.size));
    const text =
      weight.said * nameScore +
      found.reduce((sum, word) => sum + valueOf(word), 0) +
      weight.related * [...related].reduce((sum, word) => sum + valueOf(word), 0);
    const kind = isFunction ? 'function' : definition.kind === 'method' ? 'interface' : definition.kind;
    const [behaviour, place] = factors[kind] ?? [0.6, 0.8];
    const factor = asksForBehaviour ? behaviour : place;
    const prior = (file.score / best) ** fileExponent;
    const { role, isNameable } = roleOf(candidate, { terms, asksForBehaviour, asksForTests });
    const naming = isNameable ? 1 + (nameBonus * nameScore) / Math.max(1, total) : 1;
    const score = naming * text * (1 - coverageShare + coverageShare * coverage) * factor * role * prior;
    return {
      file,
      definition,
      container,
      isFunction,
      score,
      rarity: idf,
      mentions: (wanted: readonly string[]) => lines.some((line) => containsName(line, wanted)),
    };
  };
  const scored: ScoredDefinition[] = [];
  for (const candidate of candidates) {
    await pause();
    scored.push(scoreOf(candidate));
  }
  return scored.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
}

/** Returns the words that a question only tells besides. */
function toldBesides(terms: readonly string[], context: readonly string[]): ReadonlySet<string> {
  const asked = new Set(terms.filter((term) => !context.includes(term)).flatMap(stemsOf));
  return new Set(context.flatMap(stemsOf).filter((word) => !asked.has(word)));
}

/** Returns the factor of what a definition is for, and whether its name says that it does what is asked. */
function roleOf(
  { file, definition, isFunction, ...candidate }: Candidate,
  { terms, asksForBehaviour, asksForTests }: Omit<DefinitionQuestion, 'names' | 'context'>,
): { readonly role: number; readonly isNameable: boolean } {
  const { name, line, endLine } = definition;
  const isTest = definition.isTest === true && !asksForTests;
  const isAccessor = asksForBehaviour && endLine - line <= accessor.lines;
  const isSetter = candidate.isSetter && !terms.some((term) => asksForSetter.test(term));
  const role =
    (constructors.test(name) ? constructorFactor : 1) *
    (isAccessor ? accessor.factor : 1) *
    (isSetter ? setter.factor : 1) *
    (isDeclarationFile(file.path) ? declarationFactor : 1) *
    (isScriptPath(file.path) && !terms.some((term) => scriptWords.test(term)) ? scriptFactor : 1) *
    (isTest ? testFactor : 1);
  return { role, isNameable: isFunction && !isTest && !isAccessor && !isSetter };
}

/** Returns whether a definition is what its file exports without a name, which only modules of JavaScript do. */
export function isUnnamed(path: string, { name }: Pick<RankedDefinition, 'name'>): boolean {
  return (name === 'default' || name === 'exports') && /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/iu.test(path);
}

/** Returns the name of a definition; an export without a name has the name of its file, or of the folder of an index. */
function nameOf({ path }: RankedFile, definition: RankedDefinition): string {
  if (!isUnnamed(path, definition)) return definition.name;
  const names = path.split('/');
  const name = withoutExtensions(names.at(-1) ?? '');
  return (name === 'index' ? names.at(-2) : undefined) ?? name;
}

/** Returns the name of a file without its extensions, in linear time: `a` of `a.test.ts`, `.a` of `.a.ts`. */
function withoutExtensions(name: string): string {
  let end = name.length;
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', end - 1)) {
    if (!/^\w+$/u.test(name.slice(dot + 1, end))) break;
    end = dot;
  }
  return name.slice(0, end);
}

async function candidatesOf(file: RankedFile, asked: Asked, pause: Pause): Promise<readonly Candidate[]> {
  const lines = linesOf(file);
  const path = only(stemsOf(file.path), asked.words);
  const definitions = file.definitions.slice(0, max.definitions);
  const candidateOf = (definition: RankedDefinition): Candidate => {
    const { line, kind } = definition;
    const container = definition.container?.name;
    const tf = new Map<string, number>();
    add(tf, only(stemsOf(nameOf(file, definition)), asked.words), weight.name);
    add(tf, path, weight.path);
    if (container !== undefined) add(tf, only(stemsOf(container), asked.words), weight.container);
    const isFunction = isBehaviour(definition) || (isValue.test(kind) && holdsFunction(headAt(lines, line)));
    const isSetter = isFunction && onlyStores(lines, definition);
    return {
      file,
      definition,
      container,
      tf,
      said: new Set(tf.keys()),
      lines: [],
      length: 0,
      isFunction,
      isSetter,
    };
  };
  const candidates: Candidate[] = [];
  for (const definition of definitions) {
    await pause();
    candidates.push(candidateOf(definition));
  }
  await addLines(candidates, lines, asked, pause);
  return candidates;
}

/** Returns the known lines of a file by their number, in ascending order. */
function linesOf({ spans }: RankedFile): ReadonlyMap<number, string> {
  const lines = spans.flatMap(({ startLine, text }) =>
    text.split(/\r?\n/u).map((line, at) => [startLine + at, line.slice(0, maxLineLength)] as const),
  );
  return new Map(lines.toSorted(([a], [b]) => a - b));
}

function headAt(lines: ReadonlyMap<number, string>, line: number): string {
  return Array.from({ length: headLines }, (_, at) => lines.get(line + at) ?? '').join('\n');
}

const stores = /^(?:self|this|@|\w{1,3}\b)[\w.>-]*\s*=(?!=)/u;
const ends = /^(?:return\b[^(]*|self|this|[{}]+|end|pass);?$/u;
const isRemark = /^(?:\/\/|#|\*|"{3})/u;

/** Returns whether a short function only stores what it is given, and returns its object. */
function onlyStores(lines: ReadonlyMap<number, string>, { line, endLine }: RankedDefinition): boolean {
  if (endLine - line > setter.lines) return false;
  const known = Array.from({ length: endLine - line + 1 }, (_, at) => (lines.get(line + at) ?? '').trim());
  const head = known.findIndex((text) => /[{:]$/u.test(text));
  const body = known.slice(head + 1).filter((text) => text !== '' && !isRemark.test(text));
  if (head < 0 || !body.some((text) => stores.test(text))) return false;
  return body.every((text) => stores.test(text) || ends.test(text));
}

/** Counts the words of each line for the definitions that it belongs to. */
async function addLines(
  candidates: readonly Candidate[],
  lines: ReadonlyMap<number, string>,
  asked: Asked,
  pause: Pause,
): Promise<void> {
  const candidateOf = new Map(candidates.map((one) => [one.definition, one]));
  const definitionsAt = nesting([...candidateOf.keys()]);
  for (const [at, text] of lines) {
    // An `await` for each line would cost more than most lines.
    const rest = pause();
    if (rest !== undefined) await rest;
    const owners = ownersOf(definitionsAt(at)).flatMap((one) => candidateOf.get(one) ?? []);
    if (owners.length === 0) continue;
    const words = stemsOf(text);
    const found = only(words, asked.words);
    const mayName = found.length > 0 || containsName(text, asked.names);
    const names = mayName ? only(text.match(identifiers) ?? [], asked.words) : [];
    for (const owner of owners) {
      owner.length += words.length;
      // Its name counts more than its first line.
      if (at === owner.definition.line) continue;
      owner.lines.push(text);
      addLine(owner, at, found, names);
    }
  }
}

const identifiers = /[\p{L}_$][\p{L}\p{N}_$]{2,}/gu;

function containsName(line: string, names: readonly string[]): boolean {
  return (
    names.some((name) => line.includes(name)) &&
    line.match(identifiers)?.some((one) => names.includes(one)) === true
  );
}

function only(words: readonly string[], wanted: ReadonlySet<string>): readonly string[] {
  return words.filter((word) => wanted.has(word));
}

/** Counts the asked words and names of a line for a definition. */
function addLine(owner: Candidate, at: number, words: readonly string[], names: readonly string[]): void {
  if (words.length === 0 && names.length === 0) return;
  const { definition, isFunction, tf, said } = owner;
  const { doc, kind } = definition;
  const isDoc = doc !== undefined && at >= doc.startLine && at <= doc.endLine;
  const isManual = isDoc && at >= doc.startLine + summaryLines;
  // A list of words or a table of texts mentions many things and does none of them.
  const isPartOfValue = !isDoc && !isFunction && isValue.test(kind);
  const bodyWeight = isPartOfValue ? weight.value : weight.body;
  add(tf, words, isManual ? weight.manual : isDoc ? weight.doc : bodyWeight);
  add(tf, names, bodyWeight);
  if (isManual || isPartOfValue) return;
  for (const word of [...words, ...names]) said.add(word);
}

function add(tf: Map<string, number>, words: readonly string[], by: number): void {
  for (const word of words) tf.set(word, (tf.get(word) ?? 0) + by);
}

/** Returns those of the definitions around a line that it belongs to: a line of a member is not one of its class. */
function ownersOf(around: readonly RankedDefinition[]): readonly RankedDefinition[] {
  return around.filter((one) => !containers.test(one.kind) || !around.some((inner) => isInside(inner, one)));
}

/**
 * Returns a function that returns the innermost definitions around a line, an outer one first. It must be called with
 * lines in ascending order: then all calls together take time in proportion to the lines and definitions.
 */
function nesting(definitions: readonly RankedDefinition[]): (line: number) => readonly RankedDefinition[] {
  const coming = definitions.toSorted((a, b) => a.startLine - b.startLine);
  const begun: RankedDefinition[] = [];
  let next = 0;
  return (line) => {
    for (let one = coming[next]; one !== undefined && one.startLine <= line; one = coming[next]) {
      begun.push(one);
      next++;
    }
    const found: RankedDefinition[] = [];
    for (let at = begun.length - 1; at >= 0 && found.length < max.nesting; at--) {
      const one = begun[at];
      if (one === undefined || one.endLine < line) begun.splice(at, 1);
      else found.push(one);
    }
    return found.toReversed();
  };
}

/** A member of an interface has no body, so it does nothing. */
function isBehaviour({ kind, container }: RankedDefinition): boolean {
  return /^(?:function|method)$/u.test(kind) && !/^(?:interface|type)$/u.test(container?.kind ?? '');
}

/** Returns whether the value that a constant is given is a function. */
function holdsFunction(head: string): boolean {
  const [, value = ''] = /=(?![>=])\s*([^]*)$/u.exec(head) ?? [];
  return (
    /^(?:async\s+)?(?:function\b|\w+\s*=>)/u.test(value) ||
    (/^(?:async\s*)?[(<]/u.test(value) && value.includes('=>'))
  );
}

function isInside(inner: RankedDefinition, outer: RankedDefinition): boolean {
  return (
    inner.line >= outer.line &&
    inner.endLine <= outer.endLine &&
    inner.endLine - inner.line < outer.endLine - outer.line
  );
}
