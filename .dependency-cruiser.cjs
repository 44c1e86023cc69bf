// The import table of src/README.md as rules. Each part of the house lists what it may import of ours; whatever is
// not listed fails, so a new folder has to be entered here before anything may live in it.

const tests = '\\.test\\.ts$';

/** @param {string} folder */
const under = (folder) => `^src/${folder}/`;

/** Any backend's port, and nothing else of it. */
const backendPorts = '^src/backends/[^/]+/port\\.ts$';

/** Connector kinds are parts of their own inside features/connectors. */
const connectorKinds = '(?:tracker|oncall)/';

/** The only arrows between features; everything here also sees the backends' ports and the foundation. */
const featureArrows = {
  identity: [],
  oauth: ['identity'],
  githosts: ['identity'],
  repositories: ['identity', 'githosts', 'knowledge/.*tasks\\.ts$'],
  search: ['repositories'],
  mirror: [],
  knowledge: ['mirror'],
  advisor: ['search', 'knowledge'],
  conversations: ['identity', 'advisor'],
};

/** Foundation, lowest first: each sees the ones before it. */
const foundationChain = ['kernel', 'config', 'telemetry', 'db', 'secrets', 'jobs'];

/** @param {string} arrow a feature, or a pattern of files in one */
const feature = (arrow) => `^src/features/${arrow}${arrow.endsWith('$') ? '' : '/'}`;

/** Part -> what its production code may import beside itself. `own` defaults to `from`; `$1` is `from`'s first group. */
const parts = [
  { name: 'bin', from: '^bin/', may: ['^src/cli/main\\.ts$'] },
  { name: 'migrations', from: '^migrations/', may: [under('foundation/kernel'), under('foundation/db')] },

  { name: 'cli', from: under('cli'), may: [under('app'), under('features'), under('foundation')] },
  {
    name: 'app',
    from: under('app'),
    may: [under('surfaces'), under('features'), under('backends'), under('foundation')],
  },
  {
    // The code search service is a port on the network: what it serves are the port's own words.
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

  ...Object.entries(featureArrows).map(([name, arrows]) => ({
    name: `features-${name}`,
    from: under(`features/${name}`),
    may: [...arrows.map(feature), backendPorts, under('foundation')],
  })),
  {
    name: 'features-connectors',
    from: `^src/features/connectors/(?!${connectorKinds})`,
    may: [
      ...['identity', 'githosts', 'mirror', 'repositories'].map(feature),
      backendPorts,
      under('foundation'),
    ],
  },
  {
    name: 'features-connector-kinds',
    from: '^src/features/connectors/(tracker|oncall)/',
    own: '^src/features/connectors/$1/',
    may: ['^src/features/connectors/port\\.ts$', feature('mirror'), backendPorts, under('foundation')],
  },
  {
    name: 'features-doctor-mcp',
    from: under('features/doctor/mcp'),
    may: [under('foundation/kernel'), under('foundation/net')],
  },
  {
    name: 'features-doctor-host',
    from: under('features/doctor/host'),
    may: [feature('connectors'), feature('mirror'), under('foundation')],
  },

  {
    name: 'backends-ports',
    from: '^src/backends/([^/]+)/[^/]+\\.ts$',
    own: '^src/backends/$1/[^/]+\\.ts$',
    may: [under('foundation')],
  },
  {
    name: 'backends-adapters',
    from: '^src/backends/([^/]+)/([^/]+)/',
    own: '^src/backends/$1/$2/',
    may: ['^src/backends/$1/[^/]+\\.ts$', under('foundation')],
  },

  ...foundationChain.map((name, floor) => ({
    name: `foundation-${name}`,
    from: under(`foundation/${name}`),
    may: [
      ...foundationChain.slice(0, floor).map((lower) => under(`foundation/${lower}`)),
      ...(name === 'db' ? ['^migrations/'] : []),
    ],
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

/** Third parties that only one part may touch. */
const fences = [
  { packages: ['better-sqlite3', 'pg', 'pg-[^/]+'], inside: [under('foundation/db')] },
  { packages: ['simple-git'], inside: [under('foundation/git')] },
  { packages: ['undici'], inside: [under('foundation/net')] },
  { packages: ['re2js'], inside: [under('backends/codesearch/embedded')] },
  { packages: ['@eslint-community/regexpp'], inside: [under('backends/codesearch')] },
  { packages: ['neo4j-driver'], inside: [under('backends/graph/neo4j')] },
  { packages: ['ai', '@ai-sdk/[^/]+'], inside: [under('backends/models')] },
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
  comment: `May import of ours, beside itself: ${may.join(' ') || 'nothing'}`,
  severity: 'error',
  from: { path: from, pathNot: tests },
  to: { path: '^(?:bin|src|migrations)/', pathNot: [own, ...may] },
}));

const fenceRules = fences.map(({ packages, inside }) => ({
  name: `fence-${packages[0].replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')}`,
  comment: `Only in ${inside.join(', ')}`,
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
      comment: 'This folder is not in the import table',
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
      comment: 'Production code imports no test, no test support and no test runner',
      severity: 'error',
      from: { path: '^(?:bin|src|migrations)/', pathNot: tests },
      to: { path: [tests, '^test/', '(?:^|node_modules/)vitest(?:/|$)'] },
    },
    {
      name: 'no-development-dependency',
      comment: 'The published package does not carry it',
      severity: 'error',
      from: { path: '^(?:bin|src|migrations)/', pathNot: tests },
      to: { dependencyTypes: ['npm-dev'], pathNot: 'node_modules/@types/' },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    // TypeScript 7 has no JavaScript API: with the default parser nothing would be cruised, silently.
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
