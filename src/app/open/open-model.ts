import type { LanguageModel, ModelProvider } from '../../backends/models/port.ts';
import type { ModelConfig } from '../../foundation/config/config.ts';
import { createHttpClient } from '../../foundation/net/http-client.ts';
import type { Settings } from './open-database.ts';

/** Limits of one response. A model that reasons may be silent for long before its first word. */
const limits = { stallMs: 20_000, maxBytes: 4 * 1024 * 1024 } as const;

const providers: Readonly<Record<ModelConfig['provider'], () => Promise<ModelProvider>>> = {
  'openai-compatible': async () =>
    (await import('../../backends/models/ai-sdk/openai-compatible.ts')).openaiCompatible,
  anthropic: async () => (await import('../../backends/models/ai-sdk/anthropic.ts')).anthropic,
};

export interface OpenedModel {
  readonly languageModel: LanguageModel;
  close(): Promise<void>;
}

/** Opens the language model of the settings; `undefined` without one. Its code is loaded with the first question. */
export function openModel({ config, secrets }: Settings): OpenedModel | undefined {
  const { model } = config;
  if (model === undefined) return undefined;
  const { provider, url, name } = model;
  const http = createHttpClient({ allowHosts: [], proxies: secrets.proxies });
  let opened: Promise<LanguageModel> | undefined;
  const open = async (): Promise<LanguageModel> => {
    try {
      return (await providers[provider]()).open({ url, key: secrets.modelKey, name }, http, limits);
    } catch (error) {
      // The next question tries again.
      opened = undefined;
      throw error;
    }
  };
  return {
    languageModel: {
      name,
      async *write(turn, signal) {
        opened ??= open();
        yield* (await opened).write(turn, signal);
      },
    },
    close: () => http.close(),
  };
}
