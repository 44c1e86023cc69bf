// The import table of src/README.md as rules. Each part lists the other parts of this repository that it may import.
// An import that is not listed fails, and so does a folder without an entry here.

const tests = '\\.test\\.ts$';

/** @param {string} folder */
const under = (folder) => `^src/${folder}/`;

/** The ports of all backends, without the other files of the backends. */
const backendPorts = '^src/backends/[^/]+/port\\.ts$';

/** The folders of features/connectors that all connectors share. Each other folder is one connector, a part of its own. */
const sharedByConnectors = '(?:assets|configuration|connections|entities|health|intake|setup|sync)/';

/** Features that each feature may import. All may also import the ports of the backends, and the foundation. */
const featureImports = {
  identity: [],
  'client-setup': [],
  oauth: ['identity'],
  githosts: ['identity'],
  repositories: ['identity', 'githosts', 'knowledge/.*tasks\\.ts$'],
  search: ['repositories'],
  mirror: [],
  knowledge: ['mirror'],
  history: ['repositories', 'search', 'knowledge'],
  advisor: ['search', 'knowledge', 'references', 'history'],
  references: ['search', 'knowledge', 'repositories'],
  conversations: ['identity', 'advisor'],
};

/** Parts of the foundation, lowest first. Each may import the ones before it. */
const foundationChain = ['kernel', 'config', 'telemetry', 'db', 'secrets', 'jobs'];

/** @param {string} target a feature, or a pattern of files in a feature */
const feature = (target) => `^src/features/${target}${target.endsWith('$') ? '' : '/'}`;

/**
 * The parts. `may` lists what the production code of a part may import besides its own files. `own` matches these files
 * and defaults to `from`; `$1` stands for the first group of `from`.
 */
const parts = [
  { name: 'bin', from: '^bin/', may: ['^src/cli/main\\.ts$'] },
  { name: 'migrations', from: '^migrations/', may: [under('foundation/kernel'), under('foundation/db')] },

  { name: 'cli', from: under('cli'), may: [under('app'), under('features'), under('foundation')] },
  {
    name: 'app',
    from: under('app'),
    may: [under('surfaces'), under('features'), under('backends'), under('foundation'), '^migrations/'],
  },
  {
    // The code search service offers the code search port over the network, so it uses the types of that port.
    name: 'surfaces-codesearch',
    from: under('surfaces/codesearch'),
    may: [
      under('surfaces/fastify'),
      '^src/backends/codesearch/port\\.ts$',
      '^src/backends/codesearch/hosted/hosted-index\\.ts$',
      under('backends/codesearch/remote/protocol'),
      under('foundation'),
    ],
  },
  {
    name: 'surfaces',
    from: '^src/surfaces/(?!codesearch/)([^/]+)/',
    own: '^src/surfaces/$1/',
    may: [under('surfaces/fastify'), under('features'), under('foundation')],
  },

  ...Object.entries(featureImports).map(([name, imported]) => ({
    name: `features-${name}`,
    from: under(`features/${name}`),
    may: [...imported.map(feature), backendPorts, under('foundation')],
  })),
  {
    name: 'features-connectors',
    from: `^src/features/connectors/(?:${sharedByConnectors}|(?!registry\\.ts$)[^/]+$)`,
    may: [
      ...['identity', 'githosts', 'mirror', 'repositories'].map(feature),
      backendPorts,
      under('foundation'),
    ],
  },
  {
    name: 'features-connector-kinds',
    from: `^src/features/connectors/(?!${sharedByConnectors})([^/]+)/`,
    own: '^src/features/connectors/$1/',
    may: [
      '^src/features/connectors/(?:port|intake/webhook-parts)\\.ts$',
      feature('connectors/(?:assets|entities|sync)'),
      feature('mirror'),
      backendPorts,
      under('foundation'),
    ],
  },
  {
    name: 'features-connectors-registry',
    from: '^src/features/connectors/registry\\.ts$',
    may: [feature('connectors')],
  },
  {
    name: 'features-doctor-mcp',
    from: under('features/doctor/mcp'),
    may: [under('foundation/kernel'), under('foundation/net')],
  },
  {
    name: 'features-doctor-host',
    from: under('features/doctor/host'),
    may: [feature('connectors'), feature('mirror'), feature('oauth'), under('foundation')],
  },

  {
    name: 'backends-ports',
    from: '^src/backends/(?!languages/)([^/]+)/[^/]+\\.ts$',
    own: '^src/backends/$1/[^/]+\\.ts$',
    may: ['^src/backends/languages/port\\.ts$', under('foundation')],
  },
  {
    name: 'languages',
    from: under('backends/languages'),
    may: [under('foundation')],
  },
  {
    name: 'backends-adapters',
    from: '^src/backends/(?!languages/)([^/]+)/([^/]+)/',
    own: '^src/backends/$1/$2/',
    may: [
      '^src/backends/$1/[^/]+\\.ts$',
      '^src/backends/languages/port\\.ts$',
      under('backends/codesearch/passages'),
      under('foundation'),
    ],
  },

  ...foundationChain.map((name, position) => ({
    name: `foundation-${name}`,
    from: under(`foundation/${name}`),
    may: foundationChain.slice(0, position).map((lower) => under(`foundation/${lower}`)),
  })),
  {
    name: 'foundation-net',
    from: under('foundation/net'),
    may: [under('foundation/kernel'), under('foundation/telemetry')],
  },
  {
    name: 'foundation-git',
    from: under('foundation/git'),
    may: [under('foundation/kernel'), under('foundation/telemetry'), under('foundation/net')],
  },
];

/** Third-party packages that only the listed parts may import. */
const fences = [
  { packages: ['better-sqlite3', 'pg', 'pg-[^/]+'], inside: [under('foundation/db')] },
  { packages: ['simple-git'], inside: [under('foundation/git')] },
  { packages: ['undici'], inside: [under('foundation/net')] },
  { packages: ['re2js'], inside: [under('backends/codesearch/embedded')] },
  { packages: ['@eslint-community/regexpp'], inside: [under('backends/codesearch')] },
  { packages: ['neo4j-driver'], inside: [under('backends/graph/neo4j')] },
  { packages: ['web-tree-sitter'], inside: [under('backends/languages')] },
  { packages: ['smol-toml'], inside: [under('backends/languages')] },
  { packages: ['@ai-sdk/[^/]+'], inside: [under('backends/models/ai-sdk')] },
  { packages: ['oidc-provider'], inside: [under('features/oauth')] },
  { packages: ['openid-client'], inside: [under('features/identity/upstream')] },
  { packages: ['@modelcontextprotocol/[^/]+'], inside: [under('surfaces/mcp')] },
  {
    packages: ['fastify', '@fastify/[^/]+', 'fastify-type-provider-zod', 'preact', 'preact-render-to-string'],
    inside: [under('surfaces')],
  },
  { packages: ['@opentelemetry/[^/]+'], inside: [under('foundation/telemetry')] },
  { packages: ['croner'], inside: [under('foundation/jobs')] },
  { packages: ['commander', '@clack/[^/]+'], inside: [under('cli')] },
];

const partRules = parts.map(({ name, from, own = from, may }) => ({
  name: `only-table-${name}`,
  comment: `Besides its own files, this part may import from this repository: ${may.join(' ') || 'nothing'}`,
  severity: 'error',
  from: { path: from, pathNot: tests },
  to: { path: '^(?:bin|src|migrations)/', pathNot: [own, ...may] },
}));

const fenceRules = fences.map(({ packages, inside }) => ({
  name: `fence-${packages[0].replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')}`,
  comment: `Only these parts may import the package: ${inside.join(', ')}`,
  severity: 'error',
  from: { path: '^(?:bin|src|migrations)/', pathNot: [tests, ...inside] },
  to: { path: `(?:^|node_modules/)(?:@types/)?(?:${packages.join('|')})(?:/|$)` },
}));

module.exports = {
  forbidden: [
    ...partRules,
    ...fenceRules,
    {
      name: 'part-unknown',
      comment: 'The import table does not contain this folder',
      severity: 'error',
      from: { path: '^(?:bin|src|migrations)/', pathNot: [tests, ...parts.map(({ from }) => from)] },
      to: {},
    },
    {
      name: 'no-cycle',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-test-code',
      comment: 'Production code must not import tests, test support or the test runner',
      severity: 'error',
      from: { path: '^(?:bin|src|migrations)/', pathNot: tests },
      to: { path: [tests, '^test/', '(?:^|node_modules/)vitest(?:/|$)'] },
    },
    {
      name: 'no-development-dependency',
      comment: 'The published package does not install development dependencies',
      severity: 'error',
      from: { path: '^(?:bin|src|migrations)/', pathNot: tests },
      to: { dependencyTypes: ['npm-dev'], pathNot: 'node_modules/@types/' },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      // This package has only types, and so no main file.
      to: { couldNotResolve: true, pathNot: '^@octokit/openapi-types$' },
    },
  ],
  options: {
    // TypeScript 7 has no JavaScript API: the default parser would check no file, without an error.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
  },
};
