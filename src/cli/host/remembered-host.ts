import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { RememberedHost } from '../../foundation/config/collect-settings.ts';
import type { CommandContext } from '../frame/context.ts';
import { userConfigFolder } from '../frame/user-config-folder.ts';

const fileShape = z.object({
  version: z.literal(1),
  dataDir: z.string().min(1),
  port: z.int().min(1).max(65_535),
});

type Place = Pick<CommandContext, 'env' | 'homeDir'>;

/**
 * Returns the data folder and port of the last `quickstart` of this account, which are the defaults of commands in
 * another terminal. Returns `undefined` if there was none or its data folder is gone.
 */
export function rememberedHost(place: Place): RememberedHost | undefined {
  try {
    const { dataDir, port } = fileShape.parse(JSON.parse(readFileSync(fileOf(place), 'utf8')));
    return existsSync(dataDir) ? { dataDir, port } : undefined;
  } catch {
    return undefined;
  }
}

/** Saves the data folder and port next to the stored logins. Returns the data folder that was saved before. */
export async function rememberHost(
  place: Place,
  { dataDir, port }: RememberedHost,
): Promise<string | undefined> {
  const former = rememberedHost(place)?.dataDir;
  const file = fileOf(place);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify({ version: 1, dataDir, port })}\n`, { mode: 0o600 });
  await rename(draft, file);
  return former;
}

function fileOf(place: Place): string {
  return join(userConfigFolder(place), 'host.json');
}
