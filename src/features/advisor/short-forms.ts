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

/** Returns the terms, followed by the short forms of those that have one. */
export function withShortForms(terms: readonly string[]): string[] {
  return [...new Set([...terms, ...terms.flatMap((term) => shortForms.get(term.toLowerCase()) ?? [])])];
}
