import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import scalar from '@scalar/fastify-api-reference';
import { defineConfig, type Options } from 'tsup';
import manifest from './package.json' with { type: 'json' };
import { packedScalarFile, packScalar } from './src/surfaces/http/api-reference/pack-scalar.ts';

const require = createRequire(import.meta.url);

/**
 * ES modules of many files whose values no other dependency gets: loading the files one by one takes a tenth of
 * the start of `serve`. They stay dependencies of the package, so that their licenses are installed with them.
 */
const bundled = ['jose', 'kysely'];

const shared: Options = {
  format: 'esm',
  platform: 'node',
  dts: false,
  // Keeps the prefix of built-in modules, because some exist only with it.
  removeNodeProtocol: false,
};

/**
 * The launcher. It is a separate build, because it also runs on the versions of Node that it refuses. In one build with
 * the program, it would import the helpers that both share.
 */
const launcher: Options = {
  ...shared,
  entry: { orgctx: 'bin/orgctx.ts' },
  target: 'es2022',
  esbuildPlugins: [
    {
      name: 'external-program',
      setup(build) {
        build.onResolve({ filter: /src\/cli\/main\.ts$/ }, () => ({ path: './cli.js', external: true }));
      },
    },
  ],
};

/**
 * The grammars that the parse thread loads: those of the development dependencies, without that of PHP alone, outside of
 * HTML. The rest of their packages, 4 to 65 MB each, is not shipped.
 */
function grammarFiles(): string[] {
  const packages = Object.keys(manifest.devDependencies).filter((name) => /(?:^|\/)tree-sitter-/u.test(name));
  return packages.flatMap((name) => {
    const folder = dirname(require.resolve(`${name}/package.json`));
    return readdirSync(folder).flatMap((file) =>
      file.endsWith('.wasm') && !file.endsWith('_only.wasm') ? [join(folder, file)] : [],
    );
  });
}

const started = Date.now();

/** Removes the files of the former build. The launcher is another build, which always writes the same file. */
function removeFormerBuild(): void {
  for (const name of readdirSync('dist')) {
    const file = join('dist', name);
    if (name !== 'orgctx.js' && statSync(file).mtimeMs < started) rmSync(file, { recursive: true });
  }
}

/** The program, and the threads that it loads by URL. */
const program: Options = {
  ...shared,
  entry: {
    cli: 'src/cli/main.ts',
    'parse-thread': 'src/backends/languages/parse/parse-thread.ts',
    'search-thread': 'src/backends/codesearch/embedded/search-thread.ts',
    'password-thread': 'src/features/identity/sign-in/password-thread.ts',
  },
  target: 'node24',
  noExternal: bundled,
  splitting: true,
  // An interrupted build leaves the former one: nothing is removed before the new files are written.
  clean: false,
  onSuccess: async () => {
    removeFormerBuild();
    const folder = join('dist', 'grammars');
    mkdirSync(folder, { recursive: true });
    for (const grammar of grammarFiles()) copyFileSync(grammar, join(folder, basename(grammar)));
    writeFileSync(join('dist', packedScalarFile), await packScalar(scalar));
  },
};

export default defineConfig([launcher, program]);
