import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nodeVersionError } from './node-version-error.ts';

describe('the version gate for Node', () => {
  it.each(['24.11.0', '24.11.1', '24.21.0', '25.0.0', '26.1.0-nightly'])('lets Node %s pass', (version) => {
    expect(nodeVersionError(version)).toBeUndefined();
  });

  it.each(['18.20.8', '20.20.2', '22.11.0', '24.10.9', '24.2.0', '24', '', 'unknown'])(
    'refuses Node "%s"',
    (version) => {
      expect(nodeVersionError(version)).toContain('orgctx needs Node 24.11 or newer');
    },
  );

  it('says which Node it found, which it needs, and each way to get one', () => {
    const error = nodeVersionError('20.20.2');
    for (const part of [
      'Node 20.20.2',
      '24.11',
      'nodejs.org',
      'nvm',
      'fnm',
      'volta',
      'npm ci',
      'npm start',
    ]) {
      expect(error).toContain(part);
    }
  });

  it('agrees with the engines that the package declares', () => {
    const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    const oldest = /^>=(\d+\.\d+)$/.exec(manifest.engines.node)?.[1];
    expect(oldest).toBeDefined();
    expect(nodeVersionError(`${oldest}.0`)).toBeUndefined();
    expect(nodeVersionError(`${oldest?.split('.')[0]}.${Number(oldest?.split('.')[1]) - 1}.0`)).toBeDefined();
  });
});
