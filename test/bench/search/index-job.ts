import { applyAndDefine, indexRequest } from '../../support/codesearch/index-request.ts';
import { openTestIndex } from '../../support/codesearch/open-test-index.ts';
import { silentLog } from '../../support/silent-log.ts';
import { benchScope } from './embedded.ts';

/** The report that the job prints. */
export interface IndexJobReport {
  /** Bytes of indexed text. */
  readonly text: number;
  readonly files: number;
}

/** Indexes repositories (`name folder commit` each) as the worker does. */
async function main(
  root: string,
  compression: 'none' | 'zstd',
  repositories: readonly string[],
): Promise<void> {
  const index = openTestIndex({ root, log: silentLog, compression });
  let [text, files] = [0, 0];
  for (let at = 0; at < repositories.length; at += 3) {
    const [repository = '', gitDir = '', to = ''] = repositories.slice(at, at + 3);
    const request = indexRequest({ scope: benchScope, repository, gitDir, to });
    const status = await applyAndDefine(index, request);
    text += status.bytes;
    files += status.files;
  }
  const report: IndexJobReport = { text, files };
  console.log(JSON.stringify(report));
}

if (import.meta.main) {
  const [root = '', compression, ...repositories] = process.argv.slice(2);
  await main(root, compression === 'zstd' ? 'zstd' : 'none', repositories);
}
