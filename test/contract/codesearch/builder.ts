import { applyAndDefine, indexRequest } from '../../support/codesearch/index-request.ts';
import { openTestIndex } from '../../support/codesearch/open-test-index.ts';
import { silentLog } from '../../support/silent-log.ts';
import { ours } from './query.ts';

/** Indexes one commit after another in a loop, until the process is killed. */
const [root = '', gitDir = '', repository = '', ...commits] = process.argv.slice(2);
const index = openTestIndex({ root, log: silentLog });
for (let round = 0; ; round++) {
  process.stdout.write('.');
  const to = commits[round % commits.length] ?? '';
  await applyAndDefine(index, indexRequest({ scope: ours, repository, gitDir, to }));
}
