import { openCodeIndex } from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import { applyAndDefine, indexRequest } from '../../support/codesearch/index-request.ts';
import { silentLog } from '../../support/silent-log.ts';
import { ours } from './query.ts';

/** Indexes one commit after another in a loop, until the process is killed. */
const [root = '', gitDir = '', repository = '', ...commits] = process.argv.slice(2);
const index = openCodeIndex({ root, log: silentLog });
for (let round = 0; ; round++) {
  process.stdout.write('.');
  const to = commits[round % commits.length] ?? '';
  await applyAndDefine(index, indexRequest({ scope: ours, repository, gitDir, to }));
}
