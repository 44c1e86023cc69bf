import { describe, expect, it } from 'vitest';
import { mcpClients } from '../../src/features/client-setup/mcp-client-config.ts';
import { runCli } from '../support/program/command-line.ts';
import { codeBlocks, orgctxCommands, readPage } from '../support/run/readme.ts';

const page = readPage('docs/agents.md');
/** The parts of the page that show a configuration. */
const sections = page.split(/^## /m).filter((text) => text.includes('orgctx mcp config --client '));

/** Returns a configuration in one form, however JSON is spaced. */
function normal(text: string): unknown {
  return text.trimStart().startsWith('{') ? JSON.parse(text) : text.trimEnd();
}

describe('docs/agents.md', () => {
  it('has one section for each client, in the order of --client', () => {
    const clients = sections.map((text) => /--client (\S+)/.exec(text)?.[1]);
    expect(clients).toEqual([...mcpClients]);
  });

  it.each(sections.map((text) => [text.split('\n')[0] ?? '', text]))(
    'shows for %s the place and the configuration that the program prints, and how it was checked',
    async (_title, text) => {
      const [words, ...others] = orgctxCommands(text);
      expect(others).toEqual([]);
      const { stdout, stderr } = await runCli(words ?? [], { env: {} });
      const shown = ['json', 'toml'].flatMap((language) => codeBlocks(text, language));
      expect(shown.map(normal)).toEqual([normal(stdout)]);
      const place = stderr.trim().replace(/^[\w-]+: /, '');
      expect(text).toContain(`\`${place}\``);
      expect(text).toMatch(/^(Checked against its documentation|Run with version \S+)/m);
    },
  );
});
