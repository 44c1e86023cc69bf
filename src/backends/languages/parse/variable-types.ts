import type { Enclosing } from './enclosing.ts';

/** A variable, parameter or field with its type as written. */
export interface Variable {
  readonly name: string;
  readonly type: string;
  readonly offset: number;
  /** True if a method declares it as a field of its type. */
  readonly isField: boolean;
}

/** An anonymous function, as offsets in the text. */
export interface Block {
  readonly start: number;
  readonly end: number;
}

interface NestedBlock extends Block {
  readonly parent: NestedBlock | undefined;
}

/** Returns the declared type of a receiver at an offset in a definition; empty if it is not a plain name. */
export type TypeOfReceiver = (
  receiver: string,
  offset: number,
  from: number | undefined,
) => string | undefined;

/**
 * Reads the types of variables. A variable is known in the definition or anonymous function that declares it and those
 * inside, a field (`this.field`) in the members of its type. One that is declared twice with different types has no
 * plain type.
 */
export function readVariableTypes(
  variables: readonly Variable[],
  { at, symbols }: Enclosing,
  blocks: readonly Block[],
): TypeOfReceiver {
  const types = new Map<string, string>();
  const blockAt = nestBlocks(blocks);
  const nameOf = (symbol: number | undefined): string =>
    symbol === undefined ? '' : (symbols[symbol]?.qualifiedName ?? '');
  /** Returns the anonymous functions around an offset that are inside its definition, the innermost first. */
  const blocksInside = (offset: number, symbol: number | undefined): readonly Block[] => {
    const inside: Block[] = [];
    for (let block = blockAt(offset); block !== undefined; block = block.parent) {
      if (at(block.start).symbol !== symbol) break;
      inside.push(block);
    }
    return inside;
  };
  for (const { name, type, offset, isField } of variables) {
    const { symbol } = at(offset);
    const around = nameOf(symbol);
    // A field may be a definition of the index itself.
    const isOwn = symbol !== undefined && symbols[symbol]?.name === name;
    const [block] = isField || isOwn ? [] : blocksInside(offset, symbol);
    const place = block === undefined ? (isField || isOwn ? outer(around) : around) : `${block.start}`;
    const key = `${place} ${name}`;
    const plain = plainType(type);
    const known = types.get(key);
    types.set(key, known === undefined || known === plain ? plain : '');
  }
  const find = (receiver: string, offset: number, from: number | undefined): string | undefined => {
    const field = /^this\.[#$]?([^.]+)$/.exec(receiver)?.[1];
    const name = field ?? receiver;
    for (const { start } of field === undefined ? blocksInside(offset, from) : []) {
      const type = types.get(`${start} ${name}`);
      if (type !== undefined) return type;
    }
    for (let around = nameOf(from); around !== ''; around = outer(around)) {
      const type = types.get(`${around} ${name}`);
      if (type !== undefined) return type;
    }
    return types.get(` ${name}`);
  };
  return (receiver, offset, from) => {
    const type = find(receiver, offset, from);
    const dot = receiver.indexOf('.');
    if (type !== undefined || dot < 0 || receiver.startsWith('this.')) return type;
    // The types of the members of a type are not known here.
    const head = find(receiver.slice(0, dot), offset, from);
    return head === undefined || head.endsWith('()') ? undefined : '';
  };
}

/** Returns a function that finds the innermost block around an offset. */
function nestBlocks(blocks: readonly Block[]): (offset: number) => NestedBlock | undefined {
  const nested: NestedBlock[] = [];
  let around: NestedBlock | undefined;
  for (const { start, end } of blocks.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    while (around !== undefined && around.end <= start) around = around.parent;
    around = { start, end, parent: around };
    nested.push(around);
  }
  return (offset) => {
    let [low, high] = [0, nested.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (nested[middle]!.start <= offset) low = middle + 1;
      else high = middle;
    }
    let block = nested[low - 1];
    while (block !== undefined && block.end <= offset) block = block.parent;
    return block;
  };
}

function outer(qualifiedName: string): string {
  return qualifiedName.slice(0, Math.max(qualifiedName.lastIndexOf('.'), 0));
}

/**
 * Returns the name of a type without type arguments and pointers, or a call of a plain name; empty for an array or
 * another expression.
 */
export function plainType(type: string): string {
  if (type.endsWith('()')) return type.length > 2 ? type : '';
  const bare = withoutArguments(type.trim().replace(/^(?:[*&?]|mut\s|const\s|'\w+\s)+/, '')).replaceAll(
    '::',
    '.',
  );
  return /^[\p{L}_][\w.\u0080-\uffff]*$/u.test(bare) ? bare : '';
}

/** Removes type arguments: `<…>` or `[…]` at the end, but not the `[]` of an array. */
function withoutArguments(type: string): string {
  const [open, shortest] = type.endsWith('>') ? ['<', 2] : ['[', 3];
  const at = open === '<' || type.endsWith(']') ? type.indexOf(open) : -1;
  return at < 0 || type.length - at < shortest ? type : type.slice(0, at);
}
