/**
 * The port of programming languages: their names, the definitions and uses in their files, and the rules by which names
 * are found. Only this folder reads source code.
 */
export { isDeclarationFile, isGeneratedName, isTestName } from './file-kinds.ts';
export {
  type FileTable,
  folderOf,
  foldersAround,
  type ModuleNames,
  noModules,
  type PathAlias,
} from './imports/file-table.ts';
export { resolveImport } from './imports/resolve-import.ts';
export type { Language } from './language.ts';
export { languageAliases, languageFiles, languageNames, languageOf, languageOfName } from './language-of.ts';
export { languages, sourceLanguages } from './languages.ts';
export * from './outline.ts';
export { type FileParser, OutlineCache } from './parse/outline-cache.ts';
export { ParseBudget } from './parse/parse-budget.ts';
export { ParsePool } from './parse/parse-pool.ts';
export { isTypeKind } from './symbol-kinds.ts';
