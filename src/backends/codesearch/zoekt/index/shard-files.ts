import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../../../foundation/kernel/error-code.ts';

/**
 * Returns the shard files of one repository (`shardName` in Zoekt's `index/shard_builder.go`): the name with its
 * slash escaped, the format version, the shard number. `name` is a result of `indexName`.
 */
export async function shardFiles(indexDir: string, name: string): Promise<readonly string[]> {
  return (await filesOf(indexDir, name)).filter((file) => /\.zoekt(?:\.meta)?$/.test(file));
}

/** Deletes the shards of a repository; the webserver detects it. */
export async function removeShards(indexDir: string, name: string): Promise<void> {
  await Promise.all((await filesOf(indexDir, name)).map((file) => rm(join(indexDir, file), { force: true })));
}

/** Deletes incomplete files of a killed indexer. */
export async function removeUnfinishedShards(indexDir: string, name: string): Promise<void> {
  const unfinished = (await filesOf(indexDir, name)).filter((file) => file.endsWith('.tmp'));
  await Promise.all(unfinished.map((file) => rm(join(indexDir, file), { force: true })));
}

async function filesOf(indexDir: string, name: string): Promise<readonly string[]> {
  const pattern = new RegExp(
    `^${name.replace('/', '%2F')}_v\\d+\\.\\d{5}\\.zoekt(?:\\.meta)?(?:\\.?\\d+\\.tmp)?$`,
  );
  try {
    return (await readdir(indexDir)).filter((file) => pattern.test(file));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
