import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { nodeFault } from '../../bin/node-fault.ts';

/** A Node too old for orgctx: how to start it, and the version that it says it is. */
export interface OldNode {
  readonly version: string;
  readonly command: readonly [string, ...string[]];
}

/**
 * This Node calling itself older, for each version that users still meet, and every truly older Node on PATH. `folder`
 * takes the files that make the pretence.
 */
export function oldNodes(folder: string): readonly OldNode[] {
  return [pretending('18.20.8', folder), pretending('20.20.2', folder), ...olderOnPath()];
}

function pretending(version: string, folder: string): OldNode {
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
    .filter(({ version }) => nodeFault(version) !== undefined);
}

function versionOf(program: string): string {
  return execFileSync(program, ['--print', 'process.versions.node'], { encoding: 'utf8' }).trim();
}
