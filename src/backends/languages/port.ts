/**
 * The port of programming languages: their names, the definitions and uses in their files, and the rules by which names
 * are found. Only this folder reads source code.
 */
export { isDeclarationFile, isGeneratedName, isTestName } from './file-kinds.ts';
export type { Language } from './language.ts';
export { languageAliases, languageFiles, languageNames, languageOf, languageOfName } from './language-of.ts';
export { languages, sourceLanguages } from './languages.ts';
export type { Extent } from './lexical/lexical-rule.ts';
export { findUseRules, hasLexicalRules, openExtents, readExtents } from './lexical/read-extents.ts';
export type { UseRules } from './lexical/use-rules.ts';
export type { AskedPackage, Ecosystem, Manifest } from './manifests/manifest.ts';
export { isManifest, manifestPaths, readManifest } from './manifests/read-manifest.ts';
export { requiredLanguage } from './manifests/required-language.ts';
export { rootsOf } from './manifests/roots-of.ts';
export { ModuleRoots } from './modules/module-roots.ts';
export type {
  Modules,
  PackageRule,
  PassingModule,
  Provided,
  ResolvedImport,
  SourceTree,
} from './modules/module-rules.ts';
export { noModules } from './modules/module-rules.ts';
export { folderOf, foldersAround } from './modules/paths.ts';
export * from './outline.ts';
export { type FileParser, OutlineCache } from './parse/outline-cache.ts';
export { ParseBudget } from './parse/parse-budget.ts';
export { ParseQueue } from './parse/parse-queue.ts';
