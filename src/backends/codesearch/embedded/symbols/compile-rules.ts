import type { SymbolKind } from '../../port.ts';
import type { LanguageRules, LineRule } from './line-rule.ts';

export interface CompiledRule {
  /** For a line without its indentation. */
  readonly pattern: RegExp;
  readonly kind: SymbolKind;
  readonly inside: SymbolKind;
  readonly place: LineRule['place'];
  /** What the rule opens. */
  readonly opens: Block | undefined;
}

/** What lies directly inside of a block. */
export interface Block {
  readonly members: readonly CompiledRule[];
  /** Of a namespace the members are what they would be outside. */
  readonly isNamespace: boolean;
}

export interface CompiledLanguage {
  /** Open addressing by hashes of first words: those, and the rules of the word beside each; 0 where there is none. */
  readonly hashes: Int32Array;
  readonly ofWord: readonly (readonly CompiledRule[] | undefined)[];
  /** For lines of any first word. */
  readonly wordless: readonly CompiledRule[];
  readonly wordlessAnywhere: boolean;
  readonly blocks: readonly { readonly open: Buffer; readonly close: Buffer }[];
  /** Comments are those of C: what is behind a definition on its line is no part of it. */
  readonly slashComments: boolean;
  /** What a byte at the start of a line may begin, see `STARTS`. */
  readonly starts: Uint8Array;
}

export const STARTS = { word: 1, block: 2, lone: 4 } as const;

/** A power of two: slots of the table of first words. */
export const SLOTS = 512;
export const HASH_FACTOR = 31;
export const SLOT_SHIFT = 9;

export function compileLanguage({ rules, members = {}, blocks = [] }: LanguageRules): CompiledLanguage {
  const opened: Record<string, { members: CompiledRule[]; isNamespace: boolean }> = Object.fromEntries(
    rules
      .concat(Object.values(members).flat())
      .flatMap(({ opens }) =>
        opens === undefined ? [] : [[opens, { members: [], isNamespace: opens === 'namespace' }]],
      ),
  );
  const compile = (rule: LineRule): CompiledRule => ({
    pattern: new RegExp(`^(?:${rule.pattern})`),
    kind: rule.kind,
    inside: rule.inside ?? rule.kind,
    place: rule.place,
    opens: rule.opens === undefined ? undefined : opened[rule.opens],
  });
  for (const [name, own] of Object.entries(members)) opened[name]?.members.push(...own.map(compile));
  const byWord = new Map<string, CompiledRule[]>();
  const wordless: CompiledRule[] = [];
  for (const rule of rules) {
    const compiled = compile(rule);
    if (rule.words === undefined) wordless.push(compiled);
    for (const word of new Set(rule.words?.map(leadingWord))) {
      byWord.set(word, [...(byWord.get(word) ?? []), compiled]);
    }
  }
  return {
    ...wordTable(byWord),
    wordless,
    wordlessAnywhere: wordless.some(({ place }) => place === undefined),
    blocks: blocks.map(({ open, close }) => ({ open: Buffer.from(open), close: Buffer.from(close) })),
    slashComments: blocks.some(({ open }) => open === '/*'),
    starts: startsTable(
      blocks.map(({ open }) => open),
      [...byWord.keys()],
    ),
  };
}

/** The part of a first word that the scan hashes: up to the first character that is none of a word. */
function leadingWord(word: string): string {
  return /^[#@}]?\w*/.exec(word)![0];
}

function wordTable(
  byWord: ReadonlyMap<string, readonly CompiledRule[]>,
): Pick<CompiledLanguage, 'hashes' | 'ofWord'> {
  const hashes = new Int32Array(SLOTS);
  const ofWord: (readonly CompiledRule[] | undefined)[] = Array.from({ length: SLOTS }, () => undefined);
  for (const [word, rules] of byWord) {
    let hash = 0;
    for (const byte of Buffer.from(word)) hash = addToHash(hash, byte);
    let slot = slotOf(hash);
    while (hashes[slot] !== 0) slot = (slot + 1) % SLOTS;
    hashes[slot] = hash;
    ofWord[slot] = rules;
  }
  return { hashes, ofWord };
}

function addToHash(hash: number, byte: number): number {
  return (Math.imul(hash, HASH_FACTOR) + byte) | 0;
}

/** Other words may share a hash, which costs a look at a pattern and no more. */
function slotOf(hash: number): number {
  return (hash ^ (hash >>> SLOT_SHIFT)) & (SLOTS - 1);
}

export const WORD_BYTE = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || /[\w$]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

function startsTable(opens: readonly string[], words: readonly string[]): Uint8Array {
  const starts = WORD_BYTE.map((isWord) => (isWord === 1 ? STARTS.word : 0));
  // A member that is private or a generator begins with a sign.
  for (const sign of ['#', '*', '~', '@']) starts[sign.charCodeAt(0)]! |= STARTS.word;
  for (const word of words) {
    const byte = word.charCodeAt(0);
    starts[byte]! |= word === '}' ? STARTS.lone : STARTS.word;
  }
  for (const open of opens) starts[open.charCodeAt(0)]! |= STARTS.block;
  return starts;
}
