import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { orgctx, start } from '../support/program.ts';
import { codeBlocks, orgctxCommands, readReadme } from '../support/readme.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const readme = readReadme();
let serve: ReturnType<typeof start>;
let baseUrl: string;

beforeAll(async () => {
  serve = start(['serve', '--no-worker', '--port', '0', '--data-dir', temporaryFolder()]);
  const log = await serve.line((text) => text.includes('"listening"'));
  baseUrl = (JSON.parse(log.split('\n')[0] ?? '') as { baseUrl: string }).baseUrl;
});

afterAll(() => serve?.stop());

/** What a command of the README prints, run as it stands there. */
async function printed(line: string): Promise<string> {
  const words = orgctxCommands(readme).find((one) => one.join(' ') === line);
  if (words === undefined) throw new Error(`the README does not say: orgctx ${line}`);
  return (await orgctx(words)).stdout;
}

describe('the README shows what the program prints', () => {
  it('for doctor mcp on a service that is in order', async () => {
    const { stdout } = await orgctx(['doctor', 'mcp', '--url', `${baseUrl}/mcp`]);
    const [sample] = codeBlocks(readme, 'text');
    expect(stdout.replaceAll(baseUrl, 'http://127.0.0.1:3000')).toBe(sample);
  });

  it('for the configuration of clients', async () => {
    expect(codeBlocks(readme, 'json')).toEqual([await printed('mcp config')]);
    expect(codeBlocks(readme, 'sh')).toContain(
      await printed('mcp config --client claude-code --auth key --org local'),
    );
  });
});
