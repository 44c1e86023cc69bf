import { mkdir, rename, writeFile } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import { dataFolder } from '../../kernel/data-folder.ts';

/**
 * Makes Git trust the same authorities as this process. If NODE_EXTRA_CA_CERTS adds authorities, all of them are
 * written to `DATA_DIR/git/ca.pem`, whose path is returned for `GitDeps.caFile`. Returns `undefined` if there are
 * none to add.
 */
export async function writeCaBundle(dataDir: string): Promise<string | undefined> {
  const extra = getCACertificates('extra');
  if (extra.length === 0) return undefined;
  const all = new Set([...getCACertificates('default'), ...getCACertificates('system'), ...extra]);
  const { folder, file } = dataFolder(dataDir).caBundle;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(`${file}.${process.pid}`, [...all].join('\n'));
  await rename(`${file}.${process.pid}`, file);
  return file;
}
