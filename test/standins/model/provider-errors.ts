import type { RefusedTurn } from './turns.ts';

/** How services say that a request is longer than the context of their model. */
export const contextErrors: Readonly<Record<string, RefusedTurn>> = {
  OpenAI: {
    status: 400,
    body: {
      error: {
        message:
          "This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens. Please reduce the length of the messages.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
  },
  'OpenAI, by tokens of a minute': {
    status: 429,
    body: {
      error: {
        message: 'Request too large for gpt-4 in organization org-1 on tokens per min (TPM): Limit 10000.',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
    },
  },
  // Without the object around it. The text names both limits of tokens, but refuses neither.
  vLLM: {
    status: 400,
    body: {
      object: 'error',
      message:
        "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request has 7000 input tokens.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  },
  'vLLM, of another version': {
    status: 400,
    body: {
      error: { message: 'max_tokens must be at least 1, got -186.', type: 'BadRequestError', code: 400 },
    },
  },
  Anthropic: {
    status: 400,
    body: {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    },
  },
  'Anthropic, by bytes': {
    status: 413,
    body: {
      type: 'error',
      error: { type: 'request_too_large', message: 'Request exceeds the maximum size' },
    },
  },
  LiteLLM: {
    status: 400,
    body: {
      error: {
        message:
          'litellm.ContextWindowExceededError: BedrockException - Input is too long for requested model.',
        type: null,
        param: null,
        code: '400',
      },
    },
  },
  OpenRouter: {
    status: 400,
    body: {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: {
          raw: '{"error":{"message":"maximum context length is 32768 tokens"}}',
          provider_name: 'X',
        },
      },
    },
  },
  'llama.cpp': {
    status: 400,
    body: {
      error: {
        code: 400,
        message: 'the request exceeds the available context size. try increasing the context size',
        type: 'exceed_context_size_error',
      },
    },
  },
};

const useTheOther =
  "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";

/** How services refuse `max_tokens`. */
export const limitErrors: Readonly<Record<string, RefusedTurn>> = {
  'OpenAI and Azure': {
    status: 400,
    body: {
      error: {
        message: useTheOther,
        type: 'invalid_request_error',
        param: 'max_tokens',
        code: 'unsupported_parameter',
      },
    },
  },
  LiteLLM: {
    status: 400,
    body: {
      error: {
        message: `litellm.BadRequestError: AzureException BadRequestError - ${useTheOther}`,
        type: null,
        param: null,
        code: '400',
      },
    },
  },
  OpenRouter: {
    status: 400,
    body: {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: { raw: JSON.stringify({ error: { message: useTheOther } }) },
      },
    },
  },
};

/** Events with an error in the stream of a response with status 200. */
export const streamErrors: Readonly<Record<string, object>> = {
  OpenAI: { error: { message: 'The server had an error', type: 'server_error', param: null, code: null } },
  OpenRouter: {
    id: 'gen-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'toy-model-1',
    error: { code: 'server_error', message: 'Provider disconnected' },
    choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
  },
  vLLM: { object: 'error', message: 'CUDA out of memory', type: 'InternalServerError', code: 500 },
  'a text': { error: 'upstream closed the connection' },
};
