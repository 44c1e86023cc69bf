import {
  type CallToolResult,
  type ContentBlock,
  ResourceNotFoundError,
  type Server,
} from '@modelcontextprotocol/server';
import type { CallContext, Tool } from '../../../src/surfaces/mcp/tools/tool.ts';

/**
 * The names that the official conformance suite calls: registered in test builds only, behind the product's own
 * route, authentication and hooks.
 */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const image = { type: 'image', data: pixel, mimeType: 'image/png' } as const;

function fixture(name: string, content: readonly ContentBlock[]): Tool {
  return tool(name, async () => ({ content: [...content] }));
}

function tool(name: string, call: (args: unknown, context: CallContext) => Promise<CallToolResult>): Tool {
  return {
    listing: { name, description: `Conformance fixture ${name}.`, inputSchema: { type: 'object' } },
    call,
  };
}

function text(value: string): ContentBlock {
  return { type: 'text', text: value };
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

export const conformanceTools: readonly Tool[] = [
  fixture('test_simple_text', [text('This is a simple text response for testing.')]),
  fixture('test_image_content', [image]),
  fixture('test_audio_content', [{ type: 'audio', data: silence, mimeType: 'audio/wav' }]),
  fixture('test_embedded_resource', [
    {
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    },
  ]),
  fixture('test_multiple_content_types', [
    text('Multiple content types test:'),
    image,
    {
      type: 'resource',
      resource: {
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: '{"test":"data","value":123}',
      },
    },
  ]),
  tool('test_error_handling', async () => ({
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  })),
  tool('test_tool_with_progress', async (_args, { progress }) => {
    for (const step of ['begun', 'half done', 'done']) {
      progress(step);
      await pause();
    }
    return { content: [text('progress reported')] };
  }),
];

const texts = [
  {
    uri: 'test://static-text',
    name: 'static-text',
    description: 'A static text resource.',
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
];
const binary = {
  uri: 'test://static-binary',
  name: 'static-binary',
  description: 'A static binary resource.',
  mimeType: 'image/png',
};

const prompts = [
  { name: 'test_simple_prompt', description: 'A prompt without arguments.' },
  {
    name: 'test_prompt_with_arguments',
    description: 'A prompt with arguments.',
    arguments: [
      { name: 'arg1', required: true },
      { name: 'arg2', required: true },
    ],
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt with a resource.',
    arguments: [{ name: 'resourceUri', required: true }],
  },
  { name: 'test_prompt_with_image', description: 'A prompt with an image.' },
];

/** Resources, prompts and completion, which the product itself does not offer. */
export function conformanceExtension(server: Server): void {
  server.registerCapabilities({ resources: {}, prompts: {}, completions: {} });
  server.setRequestHandler('resources/list', () => ({
    resources: [...texts.map(({ text: _text, ...listed }) => listed), binary],
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      {
        uriTemplate: 'test://template/{id}/data',
        name: 'template',
        description: 'A template.',
        mimeType: 'application/json',
      },
    ],
  }));
  server.setRequestHandler('resources/read', ({ params }) => ({ contents: [contentsOf(params.uri)] }));
  server.setRequestHandler('prompts/list', () => ({ prompts }));
  server.setRequestHandler('prompts/get', ({ params }) => ({
    messages: promptContent(params.name, params.arguments ?? {}).map((content) => ({
      role: 'user' as const,
      content,
    })),
  }));
  server.setRequestHandler('completion/complete', ({ params }) => ({
    completion: {
      values: ['paris', 'park', 'party'].filter((value) => value.startsWith(params.argument.value)),
      hasMore: false,
    },
  }));
}

function contentsOf(uri: string) {
  const known = texts.find((resource) => resource.uri === uri);
  if (known !== undefined) return { uri, mimeType: known.mimeType, text: known.text };
  if (uri === binary.uri) return { uri, mimeType: binary.mimeType, blob: pixel };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) throw new ResourceNotFoundError(uri);
  return {
    uri,
    mimeType: 'application/json',
    text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  };
}

function promptContent(name: string, args: Readonly<Record<string, string>>): readonly ContentBlock[] {
  switch (name) {
    case 'test_simple_prompt':
      return [text('This is a simple prompt for testing.')];
    case 'test_prompt_with_arguments':
      return [text(`Prompt with arguments: arg1='${args['arg1']}', arg2='${args['arg2']}'`)];
    case 'test_prompt_with_embedded_resource':
      return [
        {
          type: 'resource',
          resource: {
            uri: String(args['resourceUri']),
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        },
        text('Please process the embedded resource above.'),
      ];
    default:
      return [image, text('Please analyze the image above.')];
  }
}
