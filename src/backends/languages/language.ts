import type { LexicalRule } from './lexical/lexical-rule.ts';
import type { UseRules } from './lexical/use-rules.ts';
import type { LineRule } from './lines/line-rule.ts';
import type { ModuleRules } from './modules/module-rules.ts';
import type { ImportedPath, SourceText, SymbolKind } from './outline.ts';

/** The names of a language and its files. Words are separated by spaces and in lower case. */
export interface LanguageNames {
  /** The name of GitHub Linguist. */
  readonly name: string;
  /** Other names that people write. */
  readonly aliases?: string;
  /** Ends of file names after the last dot. Each belongs to one language. */
  readonly endings?: string;
  /** Complete file names. They take precedence over endings. */
  readonly fileNames?: string;
  /** Programs in the first line of a script, without the version at their end. */
  readonly interpreters?: string;
  /** Complete names of files that belong to tests. */
  readonly testFiles?: string;
  /** True if a file has the name of its class, of which tests have usual ends: `LeaseTest`, `RenewSpec`. */
  readonly filesAreClasses?: boolean;
  /** Matches a path in a folder in which its builds have tests. */
  readonly testFolders?: RegExp;
  /** Ends of the names of generated files. */
  readonly generatedEnds?: string;
  /** Ends of the names of files that only declare what others implement. */
  readonly declarationEnds?: string;
  /** Its comments and literals. Default: they are not known. */
  readonly lexical?: readonly LexicalRule[];
  /** The rules by which a line tells how it uses a name. Default: those that most languages share. */
  readonly uses?: UseRules;
  /** The same of what is around its code, where that is a part of a file (`codeIn`). */
  readonly around?: readonly LexicalRule[];
}

/** A language without a grammar: its definitions are found line by line, and nothing else is. */
export interface LineLanguage extends LanguageNames {
  /** The rules for its lines. The first that matches a line decides. */
  readonly lines: readonly LineRule[];
  /** True if annotations such as `@objc(name)` may stand before a definition on its line. */
  readonly annotations?: boolean;
}

/** A language with definitions. */
export type SourceLanguage = Language | LineLanguage;

/** A definition with its file. */
export interface SharedDefinition {
  readonly path: string;
  readonly kind: SymbolKind;
}

/** Returns whether the repository has a file with a name. */
export type HasFile = (name: string) => boolean;

/** The code of a file: a part of it, or with blanks for what a grammar cannot read. Places stay without `lines`. */
export interface Code {
  readonly text: string;
  /** The line of the file for each line of the text; 1-based. Default: the same line. */
  readonly lines?: readonly number[];
}

/** A name with a capital letter, as of a type; not one in capitals, as of a constant. */
export const typeName = /^(?!this\.)(?:[\w$]+\.)*[A-Z][A-Z\d_]*[a-z]\w*$/;

/**
 * The properties of a language that the parser and the resolution need.
 *
 * Names of captures in a query: `define.<kind>` with `name` is a definition, and `owner` the type it belongs to if
 * that is not around it; `self` the variable of the instance, `result` its declared result, `qualified` a name with
 * its type. The first of several patterns with one name node decides. Directly inside of a type, a function is a
 * method and a variable is a field, unless the type is a `namespace`; inside of a function, a variable is no
 * definition. `signature` marks one without a body, which is no definition above the function itself. The kind
 * `container` encloses members of a type but defines nothing; `block` is an anonymous function. `var` is a
 * variable or parameter with its type `var.type`, the function `var.call` whose result it has, the variable
 * `var.from` whose value it has, or the list `var.of` that has its value; `field` a field that a method declares.
 * `returned` is what a function returns, which tells its result if that is not declared.
 * `call`, `new`, `inherits`, `type` and `value` are uses, with a `receiver`, or with a `path` that is no variable. An
 * import has `import.source`, `import.name`, `import.local`, `import.default` or `import.all`, or is the text of
 * `import` that `readImport` reads; `export.local` is another name for an export, and `export.whole` tells that it is
 * the module itself, as the default. `package` is the declared package. `local` is a parameter or variable that is not
 * a call where it stands alone: at a `bare` use.
 */
export interface Language extends LanguageNames {
  /** The npm package and the file of the grammar. */
  readonly grammar: { readonly package: string; readonly file: string };
  readonly query: string;
  /** Returns the code that the grammar reads. Default: the whole file. */
  readonly codeIn?: (text: string) => Code;
  /** Returns the name of the language that a file is in, if its name is that of several. */
  readonly actual?: (file: SourceText) => string;
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
  /** True if the files of a package are those in one folder. Default: those that declare it, wherever they are. */
  readonly packagesAreFolders?: boolean;
  /** The rules by which imports lead to files. Default: they lead to none. */
  readonly modules?: ModuleRules;
  /** False if an import of all names only passes them on, and binds none in the file. Default: true. */
  readonly wildcardsBind?: boolean;
  /** Matches the names that other packages may use. Default: those that do not begin with `_` or `#`. */
  readonly publicName?: RegExp;
  /** Matches what a call constructs where that looks like any other call. */
  readonly constructed?: RegExp;
  /**
   * Matches a receiver that is written as a type. Its member is not looked for by name alone if the repository does not
   * define the type, or defines it without that member.
   */
  readonly typeReceiver?: RegExp;
  /** True if a clause of a package is inside of the one before, and code sees the packages around its own. */
  readonly nestedPackages?: boolean;
  /** The text between the parts of the name of a package, if a receiver may be a part of one. */
  readonly packageSeparator?: string;
  /** Returns whether a file can use a definition of another one that it does not import. Default: it can. */
  readonly isShared?: (definition: SharedDefinition, from: string, hasFile: HasFile) => boolean;
  /** True if any file may open a type of another one, only to add to it. */
  readonly reopensTypes?: boolean;
  /** True if a type implements an interface by its methods, without naming it. */
  readonly implementsUnnamed?: boolean;
  /**
   * True if a macro may put the code after it into a type of the file: `TEST_F(RoomTest, opens) {`. Errors are left as
   * the grammar reads them.
   */
  readonly macrosEnclose?: boolean;
  /**
   * True if reading an attribute is a call. A name says so little then that a variable of unknown type has the only
   * method of a name surely only if it is named like its type.
   */
  readonly attributesAreCalls?: boolean;
  /** Methods of built-in types. A variable of unknown type more likely has one of these than one of the repository. */
  readonly builtInMethods?: ReadonlySet<string>;
  /** Returns the files that a module inside of an imported one may be, if a name that is imported may be a module. */
  readonly moduleFiles?: (name: string) => readonly string[];
  /** Returns the name that the import of a module binds if the statement has none. Default: no name. */
  readonly moduleName?: (source: string) => string | undefined;
  /** Reads the text of an import statement. */
  readonly readImport?: (text: string) => readonly ImportedPath[];
}
