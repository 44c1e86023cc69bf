import { describe, expect, it } from 'vitest';
import { type Files, runOnPlanted } from '../support/planted-tree.ts';

/** Rule, file, what it imports. The imported files exist, so that only the rule can object. */
const faults: readonly (readonly [rule: string, file: string, specifier: string])[] = [
  ['only-table-cli', 'src/cli/fault.ts', '../surfaces/mcp/one.ts'],
  ['only-table-app', 'src/app/fault.ts', '../cli/one.ts'],
  ['only-table-surfaces', 'src/surfaces/http/fault.ts', '../../backends/codesearch/port.ts'],
  ['only-table-surfaces', 'src/surfaces/pages/fault.ts', '../mcp/one.ts'],
  ['only-table-surfaces', 'src/surfaces/fastify/fault.ts', '../http/one.ts'],
  [
    'only-table-surfaces-codesearch',
    'src/surfaces/codesearch/fault.ts',
    '../../backends/codesearch/embedded/one.ts',
  ],
  ['only-table-features-search', 'src/features/search/fault.ts', '../../backends/codesearch/embedded/one.ts'],
  ['only-table-features-identity', 'src/features/identity/fault.ts', '../repositories/one.ts'],
  ['only-table-features-advisor', 'src/features/advisor/fault.ts', '../identity/one.ts'],
  ['only-table-features-repositories', 'src/features/repositories/fault.ts', '../knowledge/one.ts'],
  ['only-table-features-connectors', 'src/features/connectors/sync/fault.ts', '../tracker/one.ts'],
  ['only-table-features-connector-kinds', 'src/features/connectors/tracker/fault.ts', '../oncall/one.ts'],
  ['only-table-features-connector-kinds', 'src/features/connectors/oncall/fault.ts', '../sync/one.ts'],
  ['only-table-features-doctor-mcp', 'src/features/doctor/mcp/fault.ts', '../../../foundation/db/one.ts'],
  ['only-table-features-doctor-host', 'src/features/doctor/host/fault.ts', '../../identity/one.ts'],
  ['only-table-backends-adapters', 'src/backends/codesearch/remote/fault.ts', '../embedded/one.ts'],
  ['only-table-backends-adapters', 'src/backends/graph/sql/fault.ts', '../../codesearch/port.ts'],
  ['only-table-foundation-kernel', 'src/foundation/kernel/fault.ts', '../config/one.ts'],
  ['only-table-foundation-db', 'src/foundation/db/fault.ts', '../jobs/one.ts'],
  ['only-table-foundation-net', 'src/foundation/net/fault.ts', '../db/one.ts'],
  ['only-table-foundation-git', 'src/foundation/git/fault.ts', '../jobs/one.ts'],
  ['only-table-features-mirror', 'src/features/mirror/fault.ts', '../../../migrations/index.ts'],
  ['fence-better-sqlite3', 'src/features/search/sqlite.ts', 'better-sqlite3'],
  ['fence-better-sqlite3', 'src/features/search/postgres.ts', 'pg'],
  ['fence-simple-git', 'src/features/search/git.ts', 'simple-git'],
  ['fence-undici', 'src/backends/models/ai-sdk/http.ts', 'undici'],
  ['fence-neo4j-driver', 'src/backends/graph/sql/neo4j.ts', 'neo4j-driver'],
  ['fence-ai', 'src/features/advisor/model.ts', '@ai-sdk/openai-compatible'],
  ['fence-oidc-provider', 'src/surfaces/http/oidc.ts', 'oidc-provider'],
  ['fence-openid-client', 'src/surfaces/pages/openid.ts', 'openid-client'],
  ['fence-modelcontextprotocol', 'src/features/search/mcp.ts', '@modelcontextprotocol/server'],
  ['fence-fastify', 'src/features/search/routes.ts', 'fastify'],
  ['fence-commander', 'src/app/commands.ts', 'commander'],
  ['part-unknown', 'src/features/stray/fault.ts', '../../foundation/kernel/one.ts'],
  ['no-test-code', 'src/features/search/test-code.ts', '../../../test/support/one.ts'],
  ['no-development-dependency', 'src/features/search/development.ts', 'tsup'],
  ['no-unresolvable', 'src/features/search/nowhere.ts', './nowhere-to-be-found.ts'],
];

const one = 'export const one = 1;\n';

/** Every file that a fault imports, and what the faults of third parties need to be found in. */
const targets: Files = Object.fromEntries(
  faults
    .filter(([rule, , specifier]) => specifier.startsWith('.') && rule !== 'no-unresolvable')
    .map(([, file, specifier]) => [resolve(file, specifier), one]),
);

const imports = (specifier: string, how: 'value' | 'type' | 'dynamic') =>
  ({
    value: `import * as it from '${specifier}';\n\nexport const fault = it;\n`,
    type: `import type * as it from '${specifier}';\n\nexport type Fault = typeof it;\n`,
    dynamic: `export const fault = () => import('${specifier}');\n`,
  })[how];

function planted(how: 'value' | 'type' | 'dynamic'): Files {
  const files = faults.map(([, file, specifier]) => [file, imports(specifier, how)]);
  return { ...targets, ...Object.fromEntries(files) };
}

describe('the gate of the import table', () => {
  it('passes the clean tree', async () => {
    const { passed, output } = await runOnPlanted('imports');
    expect(passed, output).toBe(true);
  });

  it.each(['value', 'type', 'dynamic'] as const)('fails on each forbidden import by %s', async (how) => {
    const { passed, output } = await runOnPlanted('imports', planted(how));
    expect(passed).toBe(false);
    const found = faults.map(([rule, file]) => [rule, file, output.includes(`error ${rule}: ${file} → `)]);
    expect(found.filter(([, , named]) => named !== true)).toEqual([]);
  });

  it('passes the arrows that the table allows', async () => {
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

  it('sees an import behind a `using` declaration', async () => {
    const source =
      "export async function f() {\n  await using it = await import('../jobs/one.ts');\n  return it;\n}\n";
    const { passed, output } = await runOnPlanted('imports', {
      'src/foundation/jobs/one.ts': one,
      'src/foundation/db/fault.ts': source,
    });
    expect(passed).toBe(false);
    expect(output).toContain('error only-table-foundation-db: src/foundation/db/fault.ts → ');
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
  'src/features/search/one.test.ts': imports('../../backends/codesearch/embedded/two.ts', 'type'),
};

/** The file that `specifier` names in `file`, from the root of the tree. */
function resolve(file: string, specifier: string): string {
  return new URL(specifier, `file:///${file}`).pathname.slice(1);
}
