import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRepository } from '../support/git/git-repository.ts';
import { orgctx, start } from '../support/program/program.ts';
import { allTableRows, codeBlocks, orgctxCommands, readPage, shellWords } from '../support/run/readme.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const readme = readPage('README.md');
let serve: ReturnType<typeof start>;
let baseUrl: string;

beforeAll(async () => {
  serve = start(['serve', '--no-worker', '--port', '0', '--data-dir', temporaryFolder()]);
  const log = await serve.line((text) => text.includes('"listening"'));
  baseUrl = (JSON.parse(log.split('\n')[0] ?? '') as { baseUrl: string }).baseUrl;
});

afterAll(() => serve?.stop());

/** Runs a command of README.md as it is written there, and returns its output. */
async function printed(line: string): Promise<string> {
  const words = orgctxCommands(readme).find((one) => one.join(' ') === line);
  if (words === undefined) throw new Error(`README.md does not have: orgctx ${line}`);
  return (await orgctx(words)).stdout;
}

describe('the documentation shows what the program prints', () => {
  it('for doctor mcp on a healthy service', async () => {
    const { stdout } = await orgctx(['doctor', 'mcp', '--url', `${baseUrl}/mcp`]);
    const [sample] = codeBlocks(readPage('docs/troubleshooting.md'), 'text');
    expect(stdout.replaceAll(baseUrl, 'http://127.0.0.1:3000')).toBe(sample);
  });

  it('for the configuration of clients', async () => {
    expect(codeBlocks(readme, 'json')).toEqual([await printed('mcp config')]);
    expect(codeBlocks(readme, 'sh')).toContain(
      await printed('mcp config --client claude-code --auth key --org local'),
    );
  });

  it('for quickstart, whose session in README.md leaves lines out but changes none', async () => {
    const [command = '', ...lines] = codeBlocks(readme, 'text')[0]?.split('\n') ?? [];
    const words = shellWords(command.replace('$ orgctx ', ''));
    expect(words[0]).toBe('quickstart');
    const folder = temporaryFolder();
    renameSync(createRepository(sessionFiles).folder, join(folder, 'shop'));
    const args = [...words, '--exit', '--new-key', '--port', '0', '--data-dir', join(folder, 'data')];
    const ask = async () => masked((await orgctx(args, { cwd: join(folder, 'shop') })).stdout);
    let stdout = await ask();
    // On a busy machine the ranking of the first question can be cut short.
    for (let again = 0; again < 4 && stdout.includes('cut short'); again += 1) stdout = await ask();
    for (const line of lines.filter((one) => one !== '…' && one !== '')) {
      expect(stdout).toContain(masked(line).trim());
    }
  });

  it('for the routes of REST', async () => {
    const { paths } = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>;
    };
    const served = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { summary }]) => [
        `${method.toUpperCase()} ${path.replace('/{orgSlug}/api/v1', '')}`,
        summary,
      ]),
    );
    const listed = allTableRows(readPage('docs/api.md'), 'route').flat();
    const key = ([route = '']: readonly string[]) => route;
    const sorted = (rows: readonly (readonly string[])[]) =>
      rows.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
    expect(sorted(listed.map((row) => [row[0] ?? '', row.at(-1) ?? '']))).toEqual(sorted(served));
  });
});

/** The repository of the session. */
const sessionFiles = {
  'src/currency.ts': "export const currency = 'EUR';\n",
  'src/retry.ts': `/** Calls again after an error, with exponential back-off, at most five times. */
export async function retry<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (attempt === 5) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt));
    }
  }
}
`,
};

/** Replaces what differs from run to run: ports, keys and commits. */
function masked(text: string): string {
  return text
    .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
    .replaceAll(/ock_[\w-]+/g, 'KEY')
    .replaceAll(/\b[0-9a-f]{12}\b/g, 'COMMIT');
}
