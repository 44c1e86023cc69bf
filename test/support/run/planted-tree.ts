import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';
import { type GateResult, gates, projectRoot, runGate } from './gates.ts';

/** Texts by path. */
export type Files = Readonly<Record<string, string>>;

/** The files and folders of the real configuration, which are copied. */
const configuration = [
  'tsconfig.json',
  '.oxlintrc.json',
  'biome.json',
  '.dependency-cruiser.cjs',
  'knip.jsonc',
  'tsup.config.ts',
  'src/surfaces/http/api-reference/pack-scalar.ts',
  'bin',
];

/** A minimal tree in which every gate passes: the entries that the configuration names. */
const clean: Files = {
  'README.md': '# Planted tree\n',
  'migrations/index.ts': 'export const migrations: readonly string[] = [];\n',
  'src/app/open/schema.ts': `import { migrations } from '../../../migrations/index.ts';

export function pending(): number {
  return migrations.length;
}
`,
  'src/backends/codesearch/embedded/search-thread.ts': "process.title = 'search';\n",
  'src/backends/languages/parse/parse-thread.ts': "process.title = 'parse';\n",
  'src/features/identity/sign-in/password-thread.ts': "process.title = 'passwords';\n",
  'src/cli/main.ts': `import { pending } from '../app/open/schema.ts';

export async function main(argv: readonly string[]): Promise<void> {
  await using nothing = { [Symbol.asyncDispose]: () => Promise.resolve() };
  void nothing;
  process.stdout.write(\`\${argv.slice(2).join(' ')} \${pending()}\\n\`);
}
`,
};

/**
 * Runs the gate `name` on the clean tree with the `planted` files added. `before` names gates whose output it needs.
 */
export function runOnPlanted(
  name: string,
  planted: Files = {},
  before: readonly string[] = [],
): Promise<GateResult> {
  return withPlantedTree(planted, async (folder) => {
    for (const earlier of before) await runGate(gateNamed(earlier), folder);
    return runGate(gateNamed(name), folder);
  });
}

/** Calls `work` with a new folder that has the clean tree and the `planted` files. */
export async function withPlantedTree<T>(planted: Files, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = temporaryFolder();
  writeTree(folder, planted);
  return await work(folder);
}

export function gateNamed(name: string) {
  const gate = gates.find((candidate) => candidate.name === name);
  if (gate === undefined) throw new Error(`There is no gate ${name}.`);
  return gate;
}

function writeTree(folder: string, planted: Files): void {
  for (const path of configuration) {
    const source = join(projectRoot, path);
    cpSync(source, join(folder, path), { recursive: true, filter: (file) => !file.endsWith('.test.ts') });
  }
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  for (const [path, text] of Object.entries({ 'package.json': manifest(), ...clean, ...planted })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Returns the real manifest without the fields that a small tree does not use. */
function manifest(): string {
  const real = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  const { name, version, license, type, engines, bin, files } = real;
  // The packages that tsup.config.ts and the file that it imports name.
  const dependencies = { fastify: real.dependencies.fastify };
  const used = Object.entries(real.devDependencies).filter(([dependency]) =>
    /^(?:tsup$|(?:@tree-sitter-grammars\/)?tree-sitter-|@scalar\/)/u.test(dependency),
  );
  const devDependencies = Object.fromEntries(used);
  const small = { name, version, license, type, engines, bin, files, dependencies, devDependencies };
  return `${JSON.stringify(small, undefined, 2)}\n`;
}
