import { createAnthropic } from '@ai-sdk/anthropic';
import type { ModelProvider } from '../port.ts';
import { fetchThrough } from './fetch-through.ts';
import { sdkModel } from './sdk-model.ts';

/** The Messages API of Anthropic. The address ends before `/messages`. */
export const anthropic: ModelProvider = {
  open({ url, key = '', name }, http, limits) {
    // Without its own value, the SDK would read the address and the key from variables of the environment.
    const provider = createAnthropic({ baseURL: url, apiKey: key, fetch: fetchThrough(http, limits) });
    return sdkModel(name, provider.messages(name), key);
  },
};
