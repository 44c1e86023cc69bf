import { describe, expect, it } from 'vitest';
import { type Files, runOnPlanted } from '../support/run/planted-tree.ts';

/** Rule, file, and its import. The imported files exist, so that only the rule can fail. */
const errors: readonly (readonly [rule: string, file: string, specifier: string])[] = [
  ['only-table-cli', 'src/cli/planted.ts', '../surfaces/mcp/one.ts'],
  ['only-table-app', 'src/app/planted.ts', '../cli/one.ts'],
  ['only-table-surfaces', 'src/surfaces/http/planted.ts', '../../backends/codesearch/port.ts'],
  ['only-table-surfaces', 'src/surfaces/pages/planted.ts', '../mcp/one.ts'],
  ['only-table-surfaces', 'src/surfaces/fastify/planted.ts', '../http/one.ts'],
  [
    'only-table-surfaces-codesearch',
    'src/surfaces/codesearch/planted.ts',
    '../../backends/codesearch/embedded/one.ts',
  ],
  [
    'only-table-features-search',
    'src/features/search/planted.ts',
    '../../backends/codesearch/embedded/one.ts',
  ],
  ['only-table-features-identity', 'src/features/identity/planted.ts', '../repositories/one.ts'],
  ['only-table-features-advisor', 'src/features/advisor/planted.ts', '../identity/one.ts'],
  ['only-table-features-repositories', 'src/features/repositories/planted.ts', '../knowledge/one.ts'],
  ['only-table-features-connectors', 'src/features/connectors/intake/planted.ts', '../tracker/one.ts'],
  ['only-table-features-connector-kinds', 'src/features/connectors/tracker/planted.ts', '../oncall/one.ts'],
  ['only-table-features-connector-kinds', 'src/features/connectors/oncall/planted.ts', '../intake/one.ts'],
  ['only-table-features-doctor-mcp', 'src/features/doctor/mcp/planted.ts', '../../../foundation/db/one.ts'],
  ['only-table-features-doctor-host', 'src/features/doctor/host/planted.ts', '../../identity/one.ts'],
  ['only-table-backends-adapters', 'src/backends/codesearch/remote/planted.ts', '../embedded/one.ts'],
  ['only-table-backends-adapters', 'src/backends/graph/sql/planted.ts', '../../codesearch/port.ts'],
  ['only-table-foundation-kernel', 'src/foundation/kernel/planted.ts', '../config/one.ts'],
  ['only-table-foundation-db', 'src/foundation/db/planted.ts', '../jobs/one.ts'],
  ['only-table-foundation-net', 'src/foundation/net/planted.ts', '../db/one.ts'],
  ['only-table-foundation-git', 'src/foundation/git/planted.ts', '../jobs/one.ts'],
  ['only-table-features-mirror', 'src/features/mirror/planted.ts', '../../../migrations/index.ts'],
  ['only-table-foundation-db', 'src/foundation/db/migrations-planted.ts', '../../../migrations/index.ts'],
  ['only-table-cli', 'src/cli/migrations-planted.ts', '../../migrations/index.ts'],
  ['fence-better-sqlite3', 'src/features/search/sqlite.ts', 'better-sqlite3'],
  ['fence-better-sqlite3', 'src/features/search/postgres.ts', 'pg'],
  ['fence-simple-git', 'src/features/search/git.ts', 'simple-git'],
  ['fence-undici', 'src/backends/models/ai-sdk/http.ts', 'undici'],
  ['fence-neo4j-driver', 'src/backends/graph/sql/neo4j.ts', 'neo4j-driver'],
  ['fence-ai-sdk', 'src/features/advisor/model.ts', '@ai-sdk/openai-compatible'],
  ['fence-oidc-provider', 'src/surfaces/http/oidc.ts', 'oidc-provider'],
  ['fence-openid-client', 'src/surfaces/pages/openid.ts', 'openid-client'],
  ['fence-modelcontextprotocol', 'src/features/search/mcp.ts', '@modelcontextprotocol/server'],
  ['fence-fastify', 'src/features/search/routes.ts', 'fastify'],
  ['fence-commander', 'src/app/commands.ts', 'commander'],
  ['part-unknown', 'src/features/stray/planted.ts', '../../foundation/kernel/one.ts'],
  ['no-test-code', 'src/features/search/test-code.ts', '../../../test/support/one.ts'],
  ['no-development-dependency', 'src/features/search/development.ts', 'tsup'],
  ['no-unresolvable', 'src/features/search/nowhere.ts', './nowhere-to-be-found.ts'],
];

const one = 'export const one = 1;\n';

/** Every file that a forbidden import names. */
const targets: Files = Object.fromEntries(
  errors
    .filter(([rule, , specifier]) => specifier.startsWith('.') && rule !== 'no-unresolvable')
    .map(([, file, specifier]) => [resolve(file, specifier), one]),
);

const imports = (specifier: string, how: 'value' | 'type' | 'dynamic') =>
  ({
    value: `import * as it from '${specifier}';\n\nexport const planted = it;\n`,
    type: `import type * as it from '${specifier}';\n\nexport type Planted = typeof it;\n`,
    dynamic: `export const planted = () => import('${specifier}');\n`,
  })[how];

function planted(how: 'value' | 'type' | 'dynamic'): Files {
  const files = errors.map(([, file, specifier]) => [file, imports(specifier, how)]);
  return { ...targets, ...Object.fromEntries(files) };
}

describe('the import table gate', () => {
  it('passes the clean tree', async () => {
    const { passed, output } = await runOnPlanted('imports');
    expect(passed, output).toBe(true);
  });

  it.each(['value', 'type', 'dynamic'] as const)('fails on each forbidden import by %s', async (how) => {
    const { passed, output } = await runOnPlanted('imports', planted(how));
    expect(passed).toBe(false);
    const found = errors.map(([rule, file]) => [rule, file, output.includes(`error ${rule}: ${file} → `)]);
    expect(found.filter(([, , named]) => named !== true)).toEqual([]);
  });

  it('passes the imports that the table allows', async () => {
    const { passed, output } = await runOnPlanted('imports', allowed);
    expect(passed, output).toBe(true);
  });

  it('fails on a cycle', async () => {
    const { passed, output } = await runOnPlanted('imports', {
      'src/foundation/kernel/egg.ts': "import type { Hen } from './hen.ts';\n\nexport type Egg = Hen[];\n",
      'src/foundation/kernel/hen.ts': "import type { Egg } from './egg.ts';\n\nexport type Hen = Egg[];\n",
    });
    expect(passed).toBe(false);
    expect(output).toContain('no-cycle');
  });

  it('finds an import in a `using` declaration', async () => {
    const source =
      "export async function f() {\n  await using it = await import('../jobs/one.ts');\n  return it;\n}\n";
    const { passed, output } = await runOnPlanted('imports', {
      'src/foundation/jobs/one.ts': one,
      'src/foundation/db/planted.ts': source,
    });
    expect(passed).toBe(false);
    expect(output).toContain('error only-table-foundation-db: src/foundation/db/planted.ts → ');
  });

  it.each(['^src/', '.'])('fails when files matching "%s" were not cruised', async (exclude) => {
    const options = JSON.stringify({ parser: 'swc', exclude });
    const { passed, output } = await runOnPlanted('imports', {
      '.dependency-cruiser.cjs': `module.exports = { forbidden: [], options: ${options} };\n`,
    });
    expect(passed).toBe(false);
    expect(output).toMatch(/\d+ files were not cruised: .*\.ts/);
  });
});

const allowed: Files = {
  'src/foundation/kernel/one.ts': one,
  'src/foundation/net/one.ts': imports('undici', 'type'),
  'src/backends/codesearch/port.ts': one,
  'src/backends/codesearch/embedded/two.ts': imports('../port.ts', 'type'),
  'src/features/identity/one.ts': imports('../../foundation/kernel/one.ts', 'value'),
  'src/features/githosts/one.ts': imports('../identity/one.ts', 'value'),
  'src/features/knowledge/projection/tasks.ts': one,
  'src/features/repositories/one.ts': imports('../knowledge/projection/tasks.ts', 'value'),
  'src/features/search/one.ts': imports('../../backends/codesearch/port.ts', 'type'),
  'src/features/connectors/port.ts': one,
  'src/features/connectors/tracker/one.ts': imports('../port.ts', 'value'),
  'src/features/doctor/mcp/one.ts': imports('../../../foundation/net/one.ts', 'type'),
  'src/surfaces/mcp/one.ts': imports('../../features/search/one.ts', 'type'),
  'src/app/one.ts': imports('../backends/codesearch/embedded/two.ts', 'type'),
  'src/app/two.ts': imports('../../migrations/index.ts', 'value'),
  'src/features/search/one.test.ts': imports('../../backends/codesearch/embedded/two.ts', 'type'),
};

/** Resolves `specifier` in `file` to a path from the root of the tree. */
function resolve(file: string, specifier: string): string {
  return new URL(specifier, `file:///${file}`).pathname.slice(1);
}
