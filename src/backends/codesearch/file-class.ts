import { isGeneratedName, isTestName } from '../languages/port.ts';

/** Classes of files that a ranking weighs differently. */
export const fileClasses = [
  'source',
  'example',
  'test',
  'fixture',
  'docs',
  'readme',
  'data',
  'log',
  'generated',
] as const;

export type FileClass = (typeof fileClasses)[number];

export type ClassWeights = Readonly<Record<FileClass, number>>;

/**
 * The factors of a question about code. Source code answers most questions; a file of another class has to match
 * better than it.
 */
export const classWeights: ClassWeights = {
  source: 1,
  example: 0.7,
  test: 0.5,
  fixture: 0.35,
  docs: 0.65,
  readme: 0.65,
  data: 0.5,
  log: 0.4,
  generated: 0.25,
};

const generated =
  /(?:^|\/)(?:vendor|vendored|third[_-]?party|node_modules|bower_components|godeps|\.yarn|dist|generated)\/|[._-](?:pb|min|generated|bundle)\.\w+$|\.(?:lock|lockb|map|snap|sum)$|[-.]lock\.\w+$|npm-shrinkwrap\.json$|(?:^|\/)zz_generated[^/]*$/;
const log =
  /(?:^|\/)(?:changelogs?|changes|history|news|releases?|licen[cs]es?|copying|notice|authors|contributors)\b[^/]*$|(?:^|\/)(?:changelogs?|release-?notes)\//;
/** Languages of logs: a program is none, however it is named. */
const logLanguages = /^(?:Text|Markdown|MDX|reStructuredText|AsciiDoc|Org|HTML)$/;
const fixture =
  /(?:^|\/)(?:fixtures?|test-?data|test-?fixtures|__fixtures__|__snapshots__|__mocks__|mocks?|sample-?data)\//;
const test = /(?:^|\/)(?:tests?|__tests__|specs?|e2e|testing|runtime-tests|test-utils|[a-z]+-tests)\//;
const example =
  /(?:^|\/)(?:examples?|samples?|demos?|bench(?:marks?)?|perf-?measures?|playgrounds?|templates?)\//;
const readme = /^readme\b[^/]*$/;
const docs = /(?:^|\/)(?:docs?|documentation|website)\//;
const proseLanguages = /^(?:Markdown|MDX|reStructuredText|AsciiDoc|Org)$/;
const dataLanguages =
  /^(?:JSON.*|YAML|TOML|INI|CSV|TSV|XML|SVG|Text|Dotenv|Ignore List|Diff|Jupyter Notebook|HTML|CSS|SCSS|Less)$/;

/** Returns whether a file is a copy or was written by a program. */
export function isGenerated(path: string): boolean {
  return generated.test(path.toLowerCase()) || isGeneratedName(path);
}

/** Returns whether a language is that of documents for readers. */
export function isProse(language: string): boolean {
  return proseLanguages.test(language);
}

/** Returns the class of a file by its path and language. */
export function fileClassOf(path: string, language: string): FileClass {
  const lower = path.toLowerCase();
  if (isGenerated(path)) return 'generated';
  if (log.test(lower) && logLanguages.test(language)) return 'log';
  if (fixture.test(lower)) return 'fixture';
  if (test.test(lower) || isTestName(path)) return 'test';
  if (readme.test(lower)) return 'readme';
  if (proseLanguages.test(language)) return 'docs';
  if (example.test(lower)) return 'example';
  if (dataLanguages.test(language)) return docs.test(lower) ? 'docs' : 'data';
  return docs.test(lower) ? 'docs' : 'source';
}
