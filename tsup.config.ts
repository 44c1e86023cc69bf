import { defineConfig, type Options } from 'tsup';

const shared: Options = {
  format: 'esm',
  platform: 'node',
  dts: false,
  // Built-in modules keep their prefix: some exist only with it.
  removeNodeProtocol: false,
};

/**
 * The launcher is built by itself, since it also runs on the Node versions that it refuses: shared with the program, it
 * would import the helpers that the two have in common.
 */
const launcher: Options = {
  ...shared,
  entry: { orgctx: 'bin/orgctx.ts' },
  target: 'es2022',
  esbuildPlugins: [
    {
      name: 'program-is-built-apart',
      setup(build) {
        build.onResolve({ filter: /src\/cli\/main\.ts$/ }, () => ({ path: './cli.js', external: true }));
      },
    },
  ],
};

/** The program, and the threads that it loads by URL. */
const program: Options = {
  ...shared,
  entry: {
    cli: 'src/cli/main.ts',
    'search-thread': 'src/backends/codesearch/embedded/search-thread.ts',
    'password-thread': 'src/features/identity/sign-in/password-thread.ts',
  },
  target: 'node24',
  splitting: true,
  // The launcher may be written already.
  clean: ['!orgctx.js'],
};

export default defineConfig([launcher, program]);
