import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ModelProvider } from '../port.ts';
import { type Fetch, fetchThrough } from './fetch-through.ts';
import { refusesMaxTokens } from './provider-words.ts';
import { sdkModel } from './sdk-model.ts';

const openaiHost = 'api.openai.com';

/** Any service with the Chat Completions API of OpenAI. The address ends before `/chat/completions`. */
export const openaiCompatible: ModelProvider = {
  open({ url, key, name }, http, limits) {
    const provider = createOpenAICompatible({
      name: 'model',
      baseURL: url,
      ...(key === undefined ? {} : { apiKey: key }),
      fetch: withTokenLimit(
        fetchThrough(http, limits),
        // All models of OpenAI itself know the new name, and the newer ones refuse the old name.
        new URL(url).host === openaiHost,
      ),
    });
    return sdkModel(name, provider.chatModel(name), key);
  },
};

/**
 * Names the limit of tokens as the service wants it: `max_tokens`, which nearly all services know, or
 * `max_completion_tokens`, which some models demand. A request that is refused for the old name is repeated once with
 * the new name, which is used from then on if it was accepted.
 */
function withTokenLimit(send: Fetch, isOpenai: boolean): Fetch {
  let usesNewName = isOpenai;
  return async (input, init = {}) => {
    if (usesNewName) return send(input, renamed(init));
    const response = await send(input, init);
    if (response.status !== 400 && response.status !== 422) return response;
    const body = await response.text();
    const { status, headers } = response;
    if (!refusesMaxTokens(body)) return new Response(body, { status, headers });
    const repeated = await send(input, renamed(init));
    usesNewName ||= repeated.ok;
    return repeated;
  };
}

/** Returns a request with the new name of the limit of tokens. The SDK always passes its body as a text. */
function renamed(init: RequestInit): RequestInit {
  const { max_tokens, ...body } = JSON.parse(init.body as string) as Readonly<Record<string, unknown>>;
  return { ...init, body: JSON.stringify({ ...body, max_completion_tokens: max_tokens }) };
}
