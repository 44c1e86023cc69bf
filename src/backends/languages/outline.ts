/** The kind of a definition; `other` if a language has a kind of its own. */
export type SymbolKind = (typeof symbolKinds)[number];

export const symbolKinds = [
  'other',
  'function',
  'method',
  'class',
  'interface',
  'struct',
  'enum',
  'type',
  'constant',
  'variable',
  'field',
  'module',
  'macro',
] as const;

const typeKinds = new Set<SymbolKind>(['class', 'interface', 'struct', 'enum', 'type', 'module', 'other']);

/** Returns whether a definition of a kind can have members. */
export function isTypeKind(kind: SymbolKind): boolean {
  return typeKinds.has(kind);
}

export interface DefinedSymbol {
  readonly name: string;
  readonly kind: SymbolKind;
}

/** A definition with the line of its name, as the index records it. */
export interface Definition extends DefinedSymbol {
  /** 1-based. */
  readonly line: number;
}

/**
 * Maximum size of a file with definitions, in bytes. Larger files are data: they are counted as `too_large` and neither
 * indexed nor parsed.
 */
export const maxFileBytes = 1024 * 1024;

/** A file to parse. `language` is a name of `languageOf`. */
export interface SourceText {
  readonly path: string;
  readonly language: string;
  readonly text: string;
}

/** A definition of a file. */
export interface FileSymbol extends Definition {
  /** The names of the enclosing definitions and its own, joined by dots: `Lease.renew`. */
  readonly qualifiedName: string;
  /** The last line; equal to `line` if the definition encloses nothing. */
  readonly endLine: number;
  /**
   * The declared type of the result of a function, else what the type of all that it returns follows from; or what the
   * type of a variable outside of functions follows from; as in `Use.receiverType`.
   */
  readonly returns?: string;
  /** The declared types of the fields of a type, by name, without those that are not plain names. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** Returns the qualified name of the definition around another one; empty outside of all. */
export function parentOf(qualifiedName: string): string {
  return qualifiedName.slice(0, Math.max(qualifiedName.lastIndexOf('.'), 0));
}

/** A name or a module that a statement imports. */
export interface ImportedPath {
  /** The module as written, without quotes; empty if a definition of this file is exported under another name. */
  readonly source: string;
  /** The name in the module, `*` for all its names; `undefined` for the module itself. */
  readonly name: string | undefined;
  /** The name in this file; `undefined` if it binds none. */
  readonly local: string | undefined;
}

/** The same with the line of the statement; 1-based. */
export interface ImportedName extends ImportedPath {
  readonly line: number;
}

/** A place that uses a name. */
export interface Use {
  readonly kind: UseKind;
  readonly name: string;
  /**
   * The expression that the name is a member of, as written. In any language `this` for the instance of the enclosing
   * type, `super` for the type it inherits from; empty for an expression that is not a chain of names; `undefined` if
   * the name stands alone.
   */
  readonly receiver: string | undefined;
  /**
   * The origin of the type of the receiver: the declared type of a variable without its type arguments, a called
   * function and `()`, or `this`; then, after `/`, the fields and methods (with `()`) that lead from it to the
   * receiver: `Room/door/open()`. Empty for another expression and for the path of a module; `undefined` for a name
   * without a type in this file.
   */
  readonly receiverType?: string;
  readonly line: number;
  /** The innermost enclosing definition: a position in `ParsedFile.symbols`; `undefined` outside of all. */
  readonly from: number | undefined;
  /**
   * True if other lines of the enclosing definition may mean something else by this name: it has a variable or
   * parameter of the name, or a use of it as a member.
   */
  readonly byLine?: true;
}

/** `value`: a name passed as an argument, which this file defines or imports. */
export type UseKind = 'call' | 'new' | 'inherits' | 'type' | 'value';

export interface ParsedFile {
  readonly path: string;
  readonly language: string;
  /** The package or namespace that the file declares. */
  readonly package: string | undefined;
  /** In the order of the lines. */
  readonly symbols: readonly FileSymbol[];
  readonly imports: readonly ImportedName[];
  /** Uses of kind `call` and `new`. */
  readonly calls: readonly Use[];
  /** The other uses; one for each name in each definition, or in each line (`byLine`). */
  readonly references: readonly Use[];
}

/** A file without relations. It costs no other file. */
export interface FailedFile {
  readonly path: string;
  readonly failed: ParseFailure;
}

/**
 * `unsupported`: nothing is read in its language. `too_large`, `too_many_names`: data rather than code. `too_slow`,
 * `crashed`: the thread was replaced. `budget`: not tried, because others before it took too long.
 */
export type ParseFailure = 'unsupported' | 'too_large' | 'too_many_names' | 'too_slow' | 'crashed' | 'budget';

export type ParseResult = ParsedFile | FailedFile;
