import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startConnectProxy } from '../../../test/standins/connect-proxy.ts';
import { type Script, startModelService } from '../../../test/standins/model/model-service.ts';
import { contextErrors } from '../../../test/standins/model/provider-errors.ts';
import type { WrittenTurn } from '../../../test/standins/model/turns.ts';
import { runCli } from '../../../test/support/program/command-line.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const kinds = ['openai-compatible', 'anthropic'] as const;

interface Report {
  readonly checks: readonly { readonly id: string; readonly status: string; readonly message: string }[];
}

async function examine(
  kind: (typeof kinds)[number],
  script: Script,
  env: Readonly<Record<string, string>> = {},
) {
  await using service = await startModelService(script);
  const dataDir = temporaryFolder();
  chmodSync(dataDir, 0o700);
  const { stdout, stderr } = await runCli(['doctor', '--json'], {
    env: {
      DATA_DIR: dataDir,
      AUTH_BASE_URL: 'http://127.0.0.1:1',
      LOG_LEVEL: 'trace',
      MODEL_PROVIDER: kind,
      MODEL_BASE_URL: service.urls[kind],
      MODEL_NAME: service.model,
      MODEL_API_KEY: service.key,
      ...env,
    },
  });
  const check = (JSON.parse(stdout) as Report).checks.find(({ id }) => id === 'model');
  expect(stdout + stderr).not.toContain(service.key);
  return { check, service, printed: stdout + stderr };
}

/** Examines a service that is reached only through a proxy. */
async function examineThrough(proxyUrl: string) {
  const env = {
    HTTPS_PROXY: proxyUrl.replace('//', '//bot:hush@'),
    MODEL_BASE_URL: 'https://models.example.com/v1',
  };
  const { check, printed } = await examine('openai-compatible', () => ({}), env);
  expect(printed).not.toContain('hush');
  return check;
}

const reports = (word: string): WrittenTurn => ({ calls: [{ name: 'report', arguments: { word } }] });

const { Anthropic: tooLong = { status: 0, body: '' } } = contextErrors;

describe.each(kinds)('orgctx doctor with a language model of %s', (kind) => {
  it('lets it call a tool after a prompt of usual size, with no data of an organization', async () => {
    const { check, service } = await examine(kind, () => reports('Kingfisher'));
    expect(check).toMatchObject({
      status: 'pass',
      message: 'The language model toy-model-1 answers and calls tools.',
    });
    expect(service.turns).toMatchObject([{ tools: ['report'], maxTokens: 4096 }]);
    expect(service.turns[0]?.texts.join('').length).toBeGreaterThan(30_000);
    expect(service.turns[0]?.texts.join('')).not.toMatch(/tmp|127\.0/u);
  });

  it.each<[string, Script, Readonly<Record<string, string>>, RegExp]>([
    ['a wrong key', () => ({}), { MODEL_API_KEY: 'mistyped' }, /status 401\. Check MODEL_API_KEY\./],
    [
      'a wrong name',
      () => ({}),
      { MODEL_NAME: 'other' },
      /status 404\. Check MODEL_NAME and MODEL_BASE_URL\./,
    ],
    [
      'a wrong address',
      () => ({}),
      { MODEL_BASE_URL: 'http://127.0.0.1:1/v1' },
      /Nothing responds.* Check MODEL_BASE_URL\. 127\.0\.0\.1:1 refused the connection/,
    ],
    ['a page at the address', () => 'page', {}, /is not that of the API/],
    ['too many requests', () => 'rate-limit', {}, /limits the number of requests/],
    ['a failure of the service', () => 'failure', {}, /failed with status 500\. The provider says: broken$/],
    ['a failure in mid-stream', () => 'error-event', {}, /failed\. The provider says: overloaded$/],
    [
      'a server without tools',
      () => ({ status: 400, body: { error: { message: 'toy-model-1 does not support tools' } } }),
      {},
      /status 400\. .*The provider says: toy-model-1 does not support tools$/,
    ],
    ['a model that calls no tool', () => ({ text: 'kingfisher' }), {}, /did not call the tool/],
    ['too short a context', () => tooLong, {}, /too long .*The provider says: prompt is too long: 2/],
    ['a prompt that the server cuts', () => reports('heartbeat'), {}, /OLLAMA_CONTEXT_LENGTH/],
    [
      'thinking in the text',
      () => ({ text: 'So </think>', ...reports('kingfisher') }),
      {},
      /vLLM: --reasoning-parser/,
    ],
    [
      'a reason with the key',
      () => ({ status: 403, body: 'The key model-key-that-nobody-may-see has expired' }),
      {},
      /The provider says: The key \[redacted\] has expired$/,
    ],
  ])('warns about %s', async (_what, script, env, message) => {
    const { check, printed } = await examine(kind, script, env);
    expect(check).toMatchObject({ status: 'warning', message: expect.stringMatching(message) });
    expect(printed).not.toContain('mistyped');
  });
});

it('names the proxy, not the address of the language model, where the proxy failed', async () => {
  const proxy = await startConnectProxy();
  proxy.behaviour = { kind: 'refuse', status: 407 };
  const refused = await examineThrough(proxy.url);
  await proxy[Symbol.asyncDispose]();
  const stopped = await examineThrough(proxy.url);
  expect([refused, stopped]).toMatchObject([
    {
      status: 'warning',
      message: expect.stringMatching(
        /^The language model cannot be reached\. .*Set user and password in HTTPS_PROXY/,
      ),
    },
    { status: 'warning', message: expect.stringContaining('Check HTTPS_PROXY and that the proxy runs.') },
  ]);
  expect(JSON.stringify([refused, stopped])).not.toContain('MODEL_BASE_URL');
});
