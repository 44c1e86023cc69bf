import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Config } from '../../foundation/config/config.ts';
import { isGiven, isSet, type LoadedConfig } from '../../foundation/config/load-config.ts';
import { dataFolder } from '../../foundation/kernel/data-folder.ts';

const runningShape = z.object({ pid: z.int().positive(), baseUrl: z.url(), appUrl: z.url() });

/** The server of a data folder, as it describes itself to other commands of this host. */
export type RunningServer = z.output<typeof runningShape>;

/**
 * Returns the server of the data folder; `undefined` if none runs. After a SIGKILL it is the server that ran last,
 * which is still the best guess of the address.
 */
export function runningServer(dataDir: string): RunningServer | undefined {
  try {
    return runningShape.parse(JSON.parse(readFileSync(dataFolder(dataDir).server, 'utf8')));
  } catch {
    return undefined;
  }
}

/**
 * Returns the addresses of the service of this host: as set by AUTH_BASE_URL or an explicit port, otherwise those of
 * the running server.
 */
export function hostAddresses({
  config,
  origins,
}: Pick<LoadedConfig, 'config' | 'origins'>): Pick<Config, 'baseUrl' | 'appUrl'> {
  const { AUTH_BASE_URL, PORT, SERVICE_PUBLIC_APP_URL } = origins;
  const running = isGiven(AUTH_BASE_URL, PORT) ? undefined : runningServer(config.dataDir);
  if (running === undefined) return config;
  const appUrl = isSet(SERVICE_PUBLIC_APP_URL) ? config.appUrl : running.appUrl;
  return { baseUrl: running.baseUrl, appUrl };
}
