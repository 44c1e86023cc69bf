import { enableCompileCache } from 'node:module';
import { isAbsolute, join } from 'node:path';
import type { CommandContext } from './context.ts';

/**
 * Keeps compiled code in the user's cache folder, so that the next process with the same V8 and flags starts sooner. A
 * relative XDG_CACHE_HOME is ignored (XDG Base Directory Specification). Has no effect if the folder cannot be written,
 * or if Node already has a cache (NODE_COMPILE_CACHE) or may have none (NODE_DISABLE_COMPILE_CACHE).
 */
export function cacheCompiledCode({ env, homeDir }: Pick<CommandContext, 'env' | 'homeDir'>): void {
  const given = env['XDG_CACHE_HOME'] ?? '';
  enableCompileCache(join(isAbsolute(given) ? given : join(homeDir, '.cache'), 'orgctx', 'compiled'));
}
