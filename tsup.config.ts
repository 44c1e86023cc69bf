import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import scalar from '@scalar/fastify-api-reference';
import { defineConfig, type Options } from 'tsup';
import { packedScalarFile, packScalar } from './src/surfaces/http/api-reference/pack-scalar.ts';

const require = createRequire(import.meta.url);

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

/** The grammars that the parse thread loads. The rest of their packages, 4 to 65 MB each, is not shipped. */
const grammars = [
  require.resolve('tree-sitter-bash/tree-sitter-bash.wasm'),
  require.resolve('tree-sitter-c/tree-sitter-c.wasm'),
  require.resolve('tree-sitter-c-sharp/tree-sitter-c_sharp.wasm'),
  require.resolve('tree-sitter-cpp/tree-sitter-cpp.wasm'),
  require.resolve('tree-sitter-go/tree-sitter-go.wasm'),
  require.resolve('tree-sitter-java/tree-sitter-java.wasm'),
  require.resolve('tree-sitter-javascript/tree-sitter-javascript.wasm'),
  require.resolve('tree-sitter-php/tree-sitter-php.wasm'),
  require.resolve('tree-sitter-python/tree-sitter-python.wasm'),
  require.resolve('tree-sitter-ruby/tree-sitter-ruby.wasm'),
  require.resolve('tree-sitter-rust/tree-sitter-rust.wasm'),
  require.resolve('tree-sitter-typescript/tree-sitter-tsx.wasm'),
  require.resolve('tree-sitter-typescript/tree-sitter-typescript.wasm'),
];

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
    'parse-thread': 'src/features/knowledge/symbols/parse/parse-thread.ts',
    'search-thread': 'src/backends/codesearch/embedded/search-thread.ts',
    'password-thread': 'src/features/identity/sign-in/password-thread.ts',
  },
  target: 'node24',
  splitting: true,
  // An interrupted build leaves the former one: nothing is removed before the new files are written.
  clean: false,
  onSuccess: async () => {
    removeFormerBuild();
    const folder = join('dist', 'grammars');
    mkdirSync(folder, { recursive: true });
    for (const grammar of grammars) copyFileSync(grammar, join(folder, basename(grammar)));
    writeFileSync(join('dist', packedScalarFile), await packScalar(scalar));
  },
};

export default defineConfig([launcher, program]);
