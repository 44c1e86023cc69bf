import { pathBytes } from './path-text.ts';

/**
 * Returns the arguments that limit `git log` to some paths, and its standard input. A path that is not UTF-8 can be no
 * argument of a process, so Git reads it from standard input.
 */
export function pathArguments(paths: readonly string[]): {
  readonly args: readonly string[];
  readonly input?: Buffer;
} {
  const isText = paths.every((path) => pathBytes(path).equals(Buffer.from(path)));
  if (isText) return { args: ['--', ...paths] };
  const lines = paths.flatMap((path) => [pathBytes(path), Buffer.from('\n')]);
  return { args: ['--stdin'], input: Buffer.concat([Buffer.from('--\n'), ...lines]) };
}
