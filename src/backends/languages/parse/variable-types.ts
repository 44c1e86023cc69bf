import { type FileSymbol, isTypeKind, parentOf } from '../outline.ts';
import { type Enclosing, isVariable, type Place } from './enclosing.ts';
import { elementType, plainType } from './type-text.ts';

/** A variable, parameter or field with its type as written. */
export interface Variable {
  readonly name: string;
  readonly type: string;
  readonly offset: number;
  /** True if a method declares it as a field of its type. */
  readonly isField: boolean;
  /** The variable whose value, and so whose type, it has. */
  readonly from?: string;
  /** True if its value is one of those that `from` has. */
  readonly isElement?: boolean;
}

/** A value that a function returns at an offset: a chain of names and calls (`readChain`), empty for another expression. */
export interface Result {
  readonly expression: string;
  readonly offset: number;
}

/** Maximum number of variables that one type is followed through, and of characters of a type. */
const max = { depth: 3, type: 200 } as const;

/** The name under which the type of a result is kept; a variable cannot have it. */
const result = 'return';

/** The place of what no definition encloses. */
const outside: Place = { symbol: undefined, self: undefined, blocks: [] };

/** Words in place of a type that follows from the value. */
const inferred = /^(?:var|auto|const auto)\s*[&*]*$/;

/**
 * The types of the variables and fields of a file. A variable is known in the definition or anonymous function that
 * declares it and those inside, a field (`this.field`) in the members of its type. One that is declared twice with
 * different types has no plain type.
 */
export class VariableTypes {
  readonly #enclosing: Enclosing;
  /** Types by the place and the name of a variable; those of the elements of a list by its name and `[]`. */
  readonly #types = new Map<string, string>();
  /** The declared types of the fields of each type, by name; empty for one that is no plain name. */
  readonly #fields = new Map<string, Map<string, string>>();

  constructor(variables: readonly Variable[], results: readonly Result[], enclosing: Enclosing) {
    this.#enclosing = enclosing;
    for (const { kind, qualifiedName } of enclosing.symbols)
      if (isTypeKind(kind)) this.#fields.set(qualifiedName, new Map());
    for (const each of variables) if (each.from === undefined && !inferred.test(each.type)) this.#add(each);
    for (const each of variables) {
      if (each.from === undefined) continue;
      const place = enclosing.at(each.offset);
      const type =
        each.isElement === true ? this.#find(`${each.from}[]`, place) : this.typeOf(each.from, place);
      if (type !== undefined || each.isElement === true || each.isField)
        this.#add({ ...each, type: type ?? '' });
    }
    for (const { expression, offset } of results) this.#addResult(expression, offset);
  }

  /**
   * Returns the type of a receiver at a place, as `Use.receiverType` has it; `undefined` if the receiver is a name that
   * the file gives no type.
   */
  typeOf(receiver: string, place: Place): string | undefined {
    return receiver === '' ? '' : this.#typeAt(receiver, place, 0);
  }

  /** Returns a definition with the types of its fields, or with what its type or that of its result follows from. */
  typed(symbol: FileSymbol): FileSymbol {
    const { kind, qualifiedName, returns } = symbol;
    if (isTypeKind(kind)) {
      const fields = [...(this.#fields.get(qualifiedName) ?? [])].filter(([, type]) => type !== '');
      return fields.length === 0 ? symbol : { ...symbol, fields: Object.fromEntries(fields) };
    }
    const type = isVariable(symbol)
      ? this.#typeOfVariable(qualifiedName)
      : this.#types.get(`${qualifiedName} ${result}`);
    return returns !== undefined || type === undefined || type === '' ? symbol : { ...symbol, returns: type };
  }

  /** Returns what the type of a variable outside of functions follows from. */
  #typeOfVariable(qualifiedName: string): string | undefined {
    const type = qualifiedName.includes('.') ? undefined : this.#types.get(` ${qualifiedName}`);
    return type?.endsWith('()') === true ? this.#typeAt(type, outside, 1) : type;
  }

  #add(variable: Variable): void {
    const { name, type } = variable;
    const around = this.#scopeOf(variable);
    const fields = this.#fields.get(around);
    const key = `${around} ${fields === undefined ? name : name.replace(/^\$/, '')}`;
    const found = this.#set(key, type.includes('/') ? type : plainType(type));
    const element = elementType(type);
    if (element !== '' && found === '') this.#set(`${key}[]`, element);
    fields?.set(name.replace(/^[#$]/, ''), /[/)]/.test(found) ? '' : found);
  }

  #addResult(expression: string, offset: number): void {
    const around = this.#scopeOf({ name: result, offset, isField: false });
    const type = expression === 'this' ? expression : this.#typeAt(expression, this.#enclosing.at(offset), 0);
    this.#set(`${around} ${result}`, type ?? '');
  }

  #set(key: string, type: string): string {
    const known = this.#types.get(key);
    const found = known === undefined || known === type ? type : '';
    this.#types.set(key, found);
    return found;
  }

  /** Returns the definition that a variable is known in; for one of an anonymous function, where that begins. */
  #scopeOf({ name, offset, isField }: Pick<Variable, 'name' | 'offset' | 'isField'>): string {
    const { symbol, blocks } = this.#enclosing.at(offset);
    const around = this.#nameOf(symbol);
    // A field may be a definition itself.
    const own = symbol === undefined ? undefined : this.#enclosing.symbols[symbol];
    const isOwn = own?.name === name || (own?.kind === 'field' && `$${own.name}` === name);
    if (isField || isOwn) return parentOf(around);
    return blocks[0] === undefined ? around : `${blocks[0].start}`;
  }

  #nameOf(symbol: number | undefined): string {
    return symbol === undefined ? '' : (this.#enclosing.symbols[symbol]?.qualifiedName ?? '');
  }

  #find(name: string, { symbol, blocks }: Place): string | undefined {
    const field = /^this\.[#$]?([^.]+)$/.exec(name)?.[1];
    const sought = field ?? name;
    for (const { start } of field === undefined ? blocks : []) {
      const type = this.#types.get(`${start} ${sought}`);
      if (type !== undefined) return type;
    }
    for (let around = this.#nameOf(symbol); around !== ''; around = parentOf(around)) {
      const type = this.#types.get(`${around} ${sought}`);
      if (type !== undefined) return type;
    }
    return this.#types.get(` ${sought}`);
  }

  #typeAt(expression: string, place: Place, depth: number): string | undefined {
    const parts = expression.split('.');
    // A field of the instance is a variable, too.
    const size = parts[0] === 'this' && parts[1]?.endsWith('()') === false ? 2 : 1;
    const [head, steps] = [parts.slice(0, size).join('.'), parts.slice(size)];
    const declared = head.endsWith('()') ? undefined : this.#find(head, place);
    if (declared !== undefined) {
      const isCall = declared.endsWith('()') && depth < max.depth;
      const type = isCall ? (this.#typeAt(declared, place, depth + 1) ?? declared) : declared;
      return type === '' ? '' : limited([type, ...steps].join('/'));
    }
    if (size === 2) return limited(['this', parts[1], ...steps].join('/'));
    const called = parts.findIndex((part) => part.endsWith('()'));
    if (called < 0) return undefined;
    return limited([parts.slice(0, called + 1).join('.'), ...parts.slice(called + 1)].join('/'));
  }
}

function limited(type: string): string {
  return type.length > max.type ? '' : type;
}
