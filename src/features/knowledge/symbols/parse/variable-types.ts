import type { Enclosing } from './enclosing.ts';

/** A variable, parameter or field with its type as written. */
export interface Variable {
  readonly name: string;
  readonly type: string;
  readonly offset: number;
  /** True if a method declares it as a field of its type. */
  readonly isField: boolean;
}

/** Returns the declared type of a receiver in a definition; empty if it is not a plain name. */
export type TypeOfReceiver = (receiver: string, from: number | undefined) => string | undefined;

/**
 * Reads the types of variables. A variable is known in the definition that declares it and those inside, a field
 * (`this.field`) in the members of its type. One that is declared twice with different types has no plain type.
 */
export function readVariableTypes(
  variables: readonly Variable[],
  { at, symbols }: Enclosing,
): TypeOfReceiver {
  const types = new Map<string, string>();
  const nameOf = (symbol: number | undefined): string =>
    symbol === undefined ? '' : (symbols[symbol]?.qualifiedName ?? '');
  for (const { name, type, offset, isField } of variables) {
    const { symbol } = at(offset);
    const around = nameOf(symbol);
    // A field may be a definition of the index itself.
    const isOwn = symbol !== undefined && symbols[symbol]?.name === name;
    const key = `${isField || isOwn ? outer(around) : around} ${name}`;
    const plain = plainType(type);
    const known = types.get(key);
    types.set(key, known === undefined || known === plain ? plain : '');
  }
  return (receiver, from) => {
    const field = /^this\.[#$]?([^.]+)$/.exec(receiver)?.[1];
    const name = field ?? receiver;
    for (let around = nameOf(from); around !== ''; around = outer(around)) {
      const type = types.get(`${around} ${name}`);
      if (type !== undefined) return type;
    }
    return types.get(` ${name}`);
  };
}

function outer(qualifiedName: string): string {
  return qualifiedName.slice(0, Math.max(qualifiedName.lastIndexOf('.'), 0));
}

/** Returns the name of a type without type arguments and pointers; empty for an array or another expression. */
function plainType(type: string): string {
  const bare = type
    .trim()
    .replace(/^(?:[*&?]|mut\s|const\s|'\w+\s)+/, '')
    .replace(/<[^]*>$|\[[^]+\]$/, '')
    .replaceAll('::', '.');
  return /^[\p{L}_][\w.\u0080-\uffff]*$/u.test(bare) ? bare : '';
}
