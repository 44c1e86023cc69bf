import { stemWord } from '../../../foundation/kernel/text/stem-word.ts';
import { isWord, partEnd, wordsIn } from '../../../foundation/kernel/text/words.ts';
import type { Extent } from '../../languages/port.ts';
import type { FileClass, RankedDefinition } from '../port.ts';
import { type CutPassage, cutPassages } from './cut-passages.ts';
import type { ReadText } from './definition-extents.ts';
import { relatedStems } from './related-words.ts';

/** A file whose passages are ranked. */
export interface PassageFile extends ReadText {
  readonly repository: string;
  readonly path: string;
  readonly language: string;
  readonly fileClass: FileClass;
  /** True if the question asks for files of this class. */
  readonly isAskedFor: boolean;
  /** Its score as a file, as a share of the best one. */
  readonly share: number;
  /** In line order. */
  readonly definitions: readonly RankedDefinition[];
  /** Lines to which the question points. */
  readonly places: readonly number[];
}

/** The parts of a passage in which words are counted apart. */
export const fields = [
  'container',
  'file',
  'folders',
  'signature',
  'doc',
  'comments',
  'strings',
  'code',
] as const;
export type Field = (typeof fields)[number];
const field = Object.fromEntries(fields.map((name, index) => [name, index])) as Record<Field, number>;

export interface ReadPassage extends CutPassage {
  readonly file: PassageFile;
  /** By word of the question and field: number of occurrences. */
  readonly counts: Uint32Array;
  /** By word of the question and field: number of occurrences of words that mean about the same. */
  readonly related: Uint32Array;
  /** By field: number of words. */
  readonly lengths: Float32Array;
  /** By pair of neighbouring words of the question: how often they are neighbours here, too. */
  readonly pairs: Uint8Array;
  /** Stems of the words of its name. */
  readonly nameWords: readonly string[];
}

/** A stem as a form of a word of the question: its own or a short one, or one that only means about the same. */
interface WordForm {
  readonly word: number;
  readonly isRelated: boolean;
}

/** A question as its words are looked for. */
export interface PassageQuestion {
  /** Number of distinct words. */
  readonly size: number;
  /** By stem: the word that it is a form of. */
  readonly forms: ReadonlyMap<string, WordForm>;
  /** Neighbouring words of the question. */
  readonly pairs: readonly (readonly [number, number])[];
  /** By word: the pairs that it belongs to. */
  readonly pairsOf: readonly (readonly number[])[];
  /** Tells most other words apart by their first characters. */
  readonly beginnings: Uint8Array;
}

const maxWords = 32;
const maxSignatureLines = 6;
const endsSignature = /[{:;)]\s*$|=>\s*$/;
/** Maximum distance of two words that count as neighbours, and number of times that they count. */
const maxDistance = 2;
const maxPairs = 8;

/**
 * Words of prose and the short forms that code has for them. Each group is one word of a question. Keywords and
 * built-in names of a language, such as `var` and `str`, are none: they say nothing.
 */
const shortForms = [
  'environment env|configuration configure config conf cfg|parameter param|argument arg|option opt',
  'authentication authenticate authorization authorize auth|certificate cert|password pwd passwd|signal sig',
  'maximum max|minimum min|directory folder dir|source src|destination dest|temporary temp tmp|address addr',
  'message msg|request req|response resp|connection conn|context ctx|command cmd|process proc|database db|package pkg',
].flatMap((line) => line.split('|').map((group) => [...new Set(wordsIn(group))]));

export function passageQuestion(stems: readonly string[]): PassageQuestion {
  const own = [...new Set(stems)].slice(0, maxWords);
  const forms = new Map<string, WordForm>(own.map((stem, word) => [stem, { word, isRelated: false }]));
  const add = (stem: string, form: WordForm): void => void (forms.has(stem) || forms.set(stem, form));
  for (const group of shortForms) {
    const asked = group.find((stem) => forms.has(stem));
    if (asked !== undefined) for (const stem of group) add(stem, forms.get(asked)!);
  }
  own.forEach((stem, word) => {
    for (const related of relatedStems(stem)) add(related, { word, isRelated: true });
  });
  const sequence = stems.flatMap((stem) => forms.get(stem)?.word ?? []).slice(0, 2 * maxWords);
  const pairs = sequence
    .slice(1)
    .map((word, index): [number, number] => [sequence[index]!, word])
    .filter(([a, b]) => a !== b);
  const pairsOf = own.map((_, word) => pairs.flatMap((pair, at) => (pair.includes(word) ? [at] : [])));
  return { size: own.length, forms, pairs, pairsOf, beginnings: beginnings(forms.keys()) };
}

/** Cuts a file into passages, and counts the words of the question in each. */
export function readPassages(file: PassageFile, question: PassageQuestion): ReadPassage[] {
  const { passages, owners } = cutPassages(file.lines, file.language, file.definitions);
  const size = question.size * fields.length;
  const base = file.path
    .split('/')
    .at(-1)!
    .replace(/\.\w+$/, '');
  const fileWords = wordsIn(base);
  const folderWords = wordsIn(file.path.split('/').slice(0, -1).join(' '));
  const containerWords = new Map<string, readonly string[]>();
  const read = passages.map((passage): ReadPassage => {
    const one: ReadPassage = {
      ...passage,
      file,
      counts: new Uint32Array(size),
      related: new Uint32Array(size),
      lengths: new Float32Array(fields.length),
      pairs: new Uint8Array(question.pairs.length),
      nameWords: passage.definition === undefined ? [] : wordsIn(passage.definition.name),
    };
    addWords(one, field.file, fileWords, question);
    addWords(one, field.folders, folderWords, question);
    const containers = passage.containers.join(' ');
    const words = containerWords.get(containers) ?? wordsIn(containers);
    containerWords.set(containers, words);
    addWords(one, field.container, words, question);
    return one;
  });
  countText(file, { passages: read, owners }, question);
  return read;
}

function addWords(
  { counts, related, lengths }: ReadPassage,
  at: number,
  stems: readonly string[],
  { forms }: PassageQuestion,
): void {
  lengths[at]! += stems.length;
  for (const stem of stems) {
    const form = forms.get(stem);
    if (form !== undefined) (form.isRelated ? related : counts)[form.word * fields.length + at]! += 1;
  }
}

/** Returns the last line of the head of a definition. */
function signatureEnd({ definition, endLine }: CutPassage, lines: readonly string[]): number {
  if (definition === undefined) return 0;
  const last = Math.min(endLine, definition.line + maxSignatureLines - 1);
  for (let line = definition.line; line < last; line++)
    if (endsSignature.test(lines[line - 1] ?? '')) return line;
  return last;
}

const newline = 0x0a;

/** Counts the words of a text in one pass, each for the passage of its line and the field of its place. */
function countText(
  { text, lines, extents }: PassageFile,
  { passages, owners }: { readonly passages: readonly ReadPassage[]; readonly owners: Int32Array },
  { size, forms, pairs, pairsOf, beginnings: starts }: PassageQuestion,
): void {
  const signatures = passages.map((passage) => signatureEnd(passage, lines));
  const lastAt = new Int32Array(size);
  let line = 1;
  let index = owners[1]!;
  let position = 0;
  /** True on a line of the passage that is in its signature or documentation. */
  let isSignature = false;
  let isDoc = false;
  const enterLine = (): void => {
    const next = owners[line] ?? -1;
    // Words of different passages are no neighbours.
    if (next !== index) position += maxDistance + 1;
    index = next;
    if (index < 0) return;
    const { definition } = passages[index]!;
    isSignature = definition !== undefined && line >= definition.line && line <= signatures[index]!;
    isDoc =
      definition !== undefined &&
      (line < definition.line ||
        (definition.doc !== undefined && line >= definition.doc.startLine && line <= definition.doc.endLine));
  };
  const add = (start: number, end: number, kind: PartKind): void => {
    const { counts, related, lengths, pairs: near } = passages[index]!;
    const own = isDoc && kind !== 'code' ? field.doc : fieldOf[kind];
    lengths[own]! += 1;
    if (isSignature) lengths[field.signature]! += 1;
    position++;
    const two = firstTwo(text, start);
    if (starts[two] === 0 && starts[firstThree(two, text, start)] === 0) return;
    const form = forms.get(stemWord(text.slice(start, end).toLowerCase()));
    if (form === undefined) return;
    const { word, isRelated } = form;
    const found = isRelated ? related : counts;
    found[word * fields.length + own]! += 1;
    if (isSignature) found[word * fields.length + field.signature]! += 1;
    if (isRelated) return;
    lastAt[word] = position;
    for (const at of pairsOf[word]!) {
      const [a, b] = pairs[at]!;
      const before = lastAt[a === word ? b : a]!;
      if (before > 0 && position - before <= maxDistance && near[at]! < maxPairs) near[at]! += 1;
    }
  };
  enterLine();
  eachPart(text.length, extents, (from, to, kind) => {
    for (let at = from; at < to; ) {
      if (text.charCodeAt(at) === newline) {
        line++;
        enterLine();
      }
      const end = partEnd(text, at, to);
      if (index >= 0 && isWord(text, at, end)) add(at, end, kind);
      at = end;
    }
  });
}

type PartKind = Extent['kind'] | 'code';

const fieldOf: Record<PartKind, number> = {
  code: field.code,
  comment: field.comments,
  string: field.strings,
};

/** Calls `visit` with each stretch of code, comment or literal, in order. They cover the text. */
function eachPart(
  length: number,
  extents: readonly Extent[],
  visit: (from: number, to: number, kind: PartKind) => void,
): void {
  let from = 0;
  for (const { kind, start, end } of extents) {
    if (end <= from) continue;
    if (start > from) visit(from, start, 'code');
    visit(Math.max(from, start), end, kind);
    from = end;
  }
  if (from < length) visit(from, length, 'code');
}

/**
 * Returns a table of the first three characters of the words, with which most others are told apart without being read.
 * A stem keeps as many letters of its word; of shorter ones the first two count.
 */
function beginnings(words: Iterable<string>): Uint8Array {
  const table = new Uint8Array(1 << 16);
  for (const word of words) {
    const two = firstTwo(word, 0);
    table[word.length < 3 ? two : firstThree(two, word, 0)] = 1;
  }
  return table;
}

/** Returns a hash of the first two characters; others may have the same. */
function firstTwo(text: string, at: number): number {
  return (foldedAt(text, at) << 8) | foldedAt(text, at + 1);
}

/** Returns a hash of three characters, given that of the first two. */
function firstThree(two: number, text: string, at: number): number {
  return ((two * 31 + foldedAt(text, at + 2)) & 0x7fff) | 0x8000;
}

/** Characters in lower case; a stem may end with `i` where its word has `y`. */
const folded = Uint8Array.from({ length: 128 }, (_, code) => {
  const small = code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
  return small === 0x79 ? 0x69 : small;
});

/** Returns a folded character as one byte. */
function foldedAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? folded[code]! : (code & 0x7f) | 0x80;
}
