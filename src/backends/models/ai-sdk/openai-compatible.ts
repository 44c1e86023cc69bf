import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ModelProvider } from '../port.ts';
import { fetchThrough } from './fetch-through.ts';
import { sdkModel } from './sdk-model.ts';

const openaiUrl = 'https://api.openai.com/v1';

/** Renames the limit of tokens: newer models of OpenAI itself refuse the name that all other services know. */
function withNewLimit({ max_tokens, ...body }: Record<string, unknown>): Record<string, unknown> {
  return { ...body, max_completion_tokens: max_tokens };
}

/** Any service with the Chat Completions API of OpenAI. The address ends before `/chat/completions`. */
export const openaiCompatible: ModelProvider = {
  open({ url = openaiUrl, key, name }, http, limits) {
    const provider = createOpenAICompatible({
      name: 'model',
      baseURL: url,
      ...(key === undefined ? {} : { apiKey: key }),
      ...(new URL(url).host === new URL(openaiUrl).host ? { transformRequestBody: withNewLimit } : {}),
      fetch: fetchThrough(http, limits),
    });
    return sdkModel(name, provider.chatModel(name));
  },
};
