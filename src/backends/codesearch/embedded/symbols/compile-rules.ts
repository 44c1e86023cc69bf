import type { SymbolKind } from '../../port.ts';
import type { LanguageRules, LineRule } from './line-rule.ts';

export interface CompiledRule {
  /** Matches a line without its indentation. */
  readonly pattern: RegExp;
  readonly kind: SymbolKind;
  readonly inside: SymbolKind;
  readonly place: LineRule['place'];
  /** The block that the rule opens, if any. */
  readonly opens: Block | undefined;
}

/** The rules for lines directly inside a block. */
export interface Block {
  readonly members: readonly CompiledRule[];
  /** True for a namespace: its members have the same kinds as outside. */
  readonly isNamespace: boolean;
}

export interface CompiledLanguage {
  /**
   * A hash table of first words with open addressing: the hashes by slot, and beside them the rules of each word. 0
   * marks an empty slot.
   */
  readonly hashes: Int32Array;
  readonly rulesBySlot: readonly (readonly CompiledRule[] | undefined)[];
  /** Rules for lines with any first word. */
  readonly wordless: readonly CompiledRule[];
  readonly wordlessAnywhere: boolean;
  readonly blocks: readonly { readonly open: Buffer; readonly close: Buffer }[];
  /** True if comments are those of C. A comment after a definition on its line is ignored. */
  readonly slashComments: boolean;
  /** Flags of what a byte at the start of a line may begin, see `startFlags`. */
  readonly starts: Uint8Array;
}

export const startFlags = { word: 1, block: 2, lone: 4 } as const;

/** Number of slots in the table of first words; a power of two. */
export const slots = 512;
export const hashFactor = 31;
export const slotShift = 9;

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

/** Returns the part of a first word that the scan hashes: up to the first character that cannot be in a word. */
function leadingWord(word: string): string {
  return /^[#@}]?\w*/.exec(word)![0];
}

function wordTable(
  byWord: ReadonlyMap<string, readonly CompiledRule[]>,
): Pick<CompiledLanguage, 'hashes' | 'rulesBySlot'> {
  const hashes = new Int32Array(slots);
  const rulesBySlot: (readonly CompiledRule[] | undefined)[] = Array.from({ length: slots }, () => undefined);
  for (const [word, rules] of byWord) {
    let hash = 0;
    for (const byte of Buffer.from(word)) hash = addToHash(hash, byte);
    let slot = slotOf(hash);
    while (hashes[slot] !== 0) slot = (slot + 1) % slots;
    hashes[slot] = hash;
    rulesBySlot[slot] = rules;
  }
  return { hashes, rulesBySlot };
}

function addToHash(hash: number, byte: number): number {
  return (Math.imul(hash, hashFactor) + byte) | 0;
}

/** Returns the slot for a hash. Other words may share it, which costs only one pattern match. */
function slotOf(hash: number): number {
  return (hash ^ (hash >>> slotShift)) & (slots - 1);
}

export const wordByte = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || /[\w$]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

function startsTable(opens: readonly string[], words: readonly string[]): Uint8Array {
  const starts = wordByte.map((isWord) => (isWord === 1 ? startFlags.word : 0));
  // A private member or a generator begins with a sign.
  for (const sign of ['#', '*', '~', '@']) starts[sign.charCodeAt(0)]! |= startFlags.word;
  for (const word of words) {
    const byte = word.charCodeAt(0);
    starts[byte]! |= word === '}' ? startFlags.lone : startFlags.word;
  }
  for (const open of opens) starts[open.charCodeAt(0)]! |= startFlags.block;
  return starts;
}
