import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type GateResult, gates, projectRoot, runGate } from './gates.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Path -> text. */
export type Files = Readonly<Record<string, string>>;

/** The configuration under test: the real one, copied. */
const configuration = [
  'tsconfig.json',
  '.oxlintrc.json',
  'biome.json',
  '.dependency-cruiser.cjs',
  'knip.jsonc',
  'tsup.config.ts',
  'bin',
];

/** The smallest tree in which every gate passes: the entries that the configuration names. */
const clean: Files = {
  'README.md': '# Planted tree\n',
  'migrations/index.ts': 'export const migrations: readonly string[] = [];\n',
  'src/foundation/db/migrate.ts': `import { migrations } from '../../../migrations/index.ts';

export function pending(): number {
  return migrations.length;
}
`,
  'src/backends/codesearch/embedded/search-thread.ts': "process.title = 'search';\n",
  'src/features/identity/sign-in/password-thread.ts': "process.title = 'passwords';\n",
  'src/cli/main.ts': `import { pending } from '../foundation/db/migrate.ts';

export async function main(argv: readonly string[]): Promise<void> {
  await using nothing = { [Symbol.asyncDispose]: () => Promise.resolve() };
  void nothing;
  process.stdout.write(\`\${argv.slice(2).join(' ')} \${pending()}\\n\`);
}
`,
};

/**
 * Runs the gate `name` over the clean tree with `planted` laid over it. `before` names gates whose product it needs.
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

/** The clean tree with `planted` laid over it, in a folder of its own. */
export async function withPlantedTree<T>(planted: Files, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = temporaryFolder();
  layOut(folder, planted);
  return await work(folder);
}

export function gateNamed(name: string) {
  const gate = gates.find((candidate) => candidate.name === name);
  if (gate === undefined) throw new Error(`No gate is called ${name}`);
  return gate;
}

function layOut(folder: string, planted: Files): void {
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

/** The real manifest without what a small tree does not use. */
function manifest(): string {
  const real = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  const { name, version, license, type, engines, bin, files } = real;
  const devDependencies = { tsup: real.devDependencies.tsup };
  const small = { name, version, license, type, engines, bin, files, devDependencies };
  return `${JSON.stringify(small, undefined, 2)}\n`;
}
