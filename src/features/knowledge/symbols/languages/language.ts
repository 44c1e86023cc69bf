import type { ImportedName } from '../parsed-file.ts';

/**
 * The properties of a language that the parser and the resolution need.
 *
 * Names of captures in a query: `scope` with `scope.name` is a node that encloses code, and `owner` the type it belongs
 * to if that is not around it; `self` the variable of the instance. `scope.result` is its declared result,
 * `scope.qualified` a name with its type. `container` with `container.name` encloses members of a type but defines
 * nothing; `block` is an anonymous function. `var` is a variable or parameter with its type `var.type`, or the function
 * `var.call` whose result it has; `field` a field that a method declares. `call`, `new`, `inherits`, `type` and `value`
 * are uses, with a `receiver`. An import has `import.source`, `import.name`, `import.local`, `import.default` or
 * `import.all`, or is the text of `import` that `readImport` reads; `export.local` is another name for an export.
 * `package` is the declared package.
 */
export interface Language {
  /** The npm package and the file of the grammar. */
  readonly grammar: { readonly package: string; readonly file: string };
  readonly query: string;
  /** Languages of one family use the definitions of each other. */
  readonly family: string;
  /** Receivers that mean the instance or the type around the code. */
  readonly self: readonly string[];
  /** Receivers that mean what the type around the code inherits. Default: none. */
  readonly base?: readonly string[];
  /** True if members of the enclosing type are called without a receiver. */
  readonly implicitSelf: boolean;
  /**
   * The files that may define a name without receiver, import or definition in the file. `package`: those of the
   * package. `repository`: all. `nowhere`: it is a built-in or a local variable.
   */
  readonly outerNames: 'nowhere' | 'package' | 'repository';
  /** Methods of built-in types. A variable of unknown type more likely has one of these than one of the repository. */
  readonly builtInMethods?: ReadonlySet<string>;
  /** Returns the name that the import of a module binds if the statement has none. Default: no name. */
  readonly moduleName?: (source: string) => string | undefined;
  /** Reads the text of an import statement. */
  readonly readImport?: (text: string) => readonly Omit<ImportedName, 'line'>[];
}
