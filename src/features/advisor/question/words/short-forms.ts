/** Maps words of prose to their short forms in code. Code contains `config`; people ask about the configuration. */
const shortForms: ReadonlyMap<string, string> = new Map(
  Object.entries({
    administrator: 'admin',
    application: 'app',
    argument: 'arg',
    arguments: 'args',
    authentication: 'auth',
    authenticated: 'auth',
    authorization: 'auth',
    configuration: 'config',
    configured: 'config',
    configure: 'config',
    database: 'db',
    dependency: 'deps',
    dependencies: 'deps',
    development: 'dev',
    directory: 'dir',
    documentation: 'docs',
    environment: 'env',
    initialization: 'init',
    initialize: 'init',
    organization: 'org',
    organizations: 'org',
    parameter: 'param',
    parameters: 'params',
    specification: 'spec',
    synchronization: 'sync',
    synchronize: 'sync',
    temporary: 'tmp',
  }),
);

/** Short forms of two words. */
const shortPairs: ReadonlyMap<string, string> = new Map([
  ['command line', 'cli'],
  ['file system', 'fs'],
  ['garbage collection', 'gc'],
  ['operating system', 'os'],
  ['pull request', 'pr'],
  ['regular expression', 'regex'],
  ['regular expressions', 'regex'],
  ['user interface', 'ui'],
]);

/** Returns the terms, followed by the short forms of those that have one. */
export function withShortForms(terms: readonly string[]): string[] {
  const words = terms.map((term) => term.toLowerCase());
  const ofWords = words.flatMap((word) => shortForms.get(word) ?? []);
  const ofPairs = pairsOf(words).flatMap((pair) => shortPairs.get(pair.join(' ')) ?? []);
  return [...new Set([...terms, ...ofWords, ...ofPairs])];
}

/** Returns neighbouring words as one, as names in code may have them: `web socket` becomes `websocket`. */
export function joinedPairs(terms: readonly string[]): readonly string[] {
  return pairsOf(terms.map((term) => term.toLowerCase())).map((pair) => pair.join(''));
}

function pairsOf(words: readonly string[]): readonly (readonly string[])[] {
  return words.slice(1).map((word, at) => [words[at] ?? '', word]);
}
