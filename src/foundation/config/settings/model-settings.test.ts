import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { ConfigError } from '../config-error.ts';
import { type ConfigInput, loadConfig } from '../load-config.ts';

const load = (env: ConfigInput['env']) =>
  loadConfig({ env, cwd: temporaryFolder(), homeDir: '/home/somebody' });

/** Returns the errors of a configuration by name. */
function errorsOf(env: ConfigInput['env']): Record<string, string> {
  try {
    load(env);
    return {};
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return Object.fromEntries(error.errors.map(({ name, message }) => [name, message]));
  }
}

describe('the language model', () => {
  const url = 'http://models.internal:11434/v1';

  it('is none by default', () => {
    expect(load({}).config.model).toBeUndefined();
  });

  it('has a provider, a name, and what the provider needs', () => {
    const own = load({ MODEL_PROVIDER: 'openai-compatible', MODEL_NAME: 'm', MODEL_BASE_URL: url });
    expect(own.config.model).toEqual({ provider: 'openai-compatible', name: 'm', url });
    expect(own.secrets.modelKey).toBeUndefined();
    const hosted = load({ MODEL_PROVIDER: 'anthropic', MODEL_NAME: 'm', MODEL_API_KEY: 'hush' });
    const api = 'https://api.anthropic.com/v1';
    expect(hosted.config.model).toEqual({ provider: 'anthropic', name: 'm', url: api });
    expect(hosted.origins.MODEL_BASE_URL).toEqual({ value: api, origin: 'default' });
    expect(hosted.secrets.modelKey).toBe('hush');
    expect(JSON.stringify([hosted.config, hosted.origins])).not.toContain('hush');
  });

  it.each<[Record<string, string>, Record<string, string>]>([
    [{ MODEL_NAME: 'm' }, { MODEL_PROVIDER: 'must be set because MODEL_NAME is' }],
    [{ MODEL_API_KEY: 'hush' }, { MODEL_PROVIDER: 'must be set because MODEL_API_KEY is' }],
    [
      { MODEL_PROVIDER: 'anthropic' },
      {
        MODEL_NAME: 'must be set because MODEL_PROVIDER is anthropic',
        MODEL_API_KEY: 'must be set because MODEL_PROVIDER is anthropic',
      },
    ],
    [
      { MODEL_PROVIDER: 'openai-compatible', MODEL_NAME: 'm' },
      { MODEL_BASE_URL: 'must be set because MODEL_PROVIDER is openai-compatible' },
    ],
    [
      { MODEL_PROVIDER: 'anthropic', MODEL_NAME: 'm', MODEL_API_KEY: 'two words' },
      { MODEL_API_KEY: 'must be visible ASCII characters without spaces' },
    ],
  ])('%j is not complete', (env, expected) => {
    expect(errorsOf(env)).toEqual(expected);
  });
});
