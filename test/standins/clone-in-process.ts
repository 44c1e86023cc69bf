import { cloneMirror } from '../../src/foundation/git/mirror/mirror.ts';
import { parseSource } from '../../src/foundation/git/source/parse-source.ts';

/** A program that clones `source` to `gitDir`, for tests that kill it: `node … <source> <gitDir> <allowed host>`. */
const [, , source = '', gitDir = '', allowed = ''] = process.argv;
const allowHosts = [allowed];
await cloneMirror({
  source: parseSource(source, { allowLocal: false, allowHosts }),
  gitDir,
  signal: new AbortController().signal,
  deps: { dataDir: gitDir, allowHosts },
});
