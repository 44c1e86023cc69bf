import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { nodeVersionError } from '../../../bin/node-version-error.ts';

/** A Node that is too old for orgctx: its command and the version that it reports. */
export interface OldNode {
  readonly version: string;
  readonly command: readonly [string, ...string[]];
}

/**
 * Returns this Node with a faked older version, for each version that users still have, and every older Node on PATH.
 * `folder` receives the preload files of the fakes.
 */
export function oldNodes(folder: string): readonly OldNode[] {
  return [faked('18.20.8', folder), faked('20.20.2', folder), ...olderOnPath()];
}

function faked(version: string, folder: string): OldNode {
  const preload = join(folder, `pretend-${version}.cjs`);
  writeFileSync(preload, `Object.defineProperty(process.versions, 'node', { value: '${version}' });\n`);
  return { version, command: [process.execPath, '--require', preload] };
}

function olderOnPath(): readonly OldNode[] {
  const programs = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .filter((program) => existsSync(program));
  return programs
    .map((program) => ({ version: versionOf(program), command: [program] as const }))
    .filter(({ version }) => nodeVersionError(version) !== undefined);
}

function versionOf(program: string): string {
  return execFileSync(program, ['--print', 'process.versions.node'], { encoding: 'utf8' }).trim();
}
