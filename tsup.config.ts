import { defineConfig } from 'tsup';

/** Entries: the launcher (parses on old Node), the CLI it loads, and the search thread. */
export default defineConfig({
  entry: {
    orgctx: 'bin/orgctx.ts',
    cli: 'src/cli/main.ts',
    'search-thread': 'src/backends/codesearch/embedded/search-thread.ts',
  },
  format: 'esm',
  target: 'node24',
  platform: 'node',
  splitting: true,
  // Built-in modules keep their prefix: some exist only with it.
  removeNodeProtocol: false,
  clean: true,
  dts: false,
});
