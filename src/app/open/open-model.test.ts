import { expect, it, vi } from 'vitest';
import type { ModelEvent, ModelProvider, ModelTurn } from '../../backends/models/port.ts';
import type { Settings } from './open-database.ts';
import { openModel } from './open-model.ts';

const provider = vi.hoisted(() => ({ opened: 0 }));

vi.mock('../../backends/models/ai-sdk/openai-compatible.ts', () => ({
  openaiCompatible: {
    open() {
      provider.opened += 1;
      if (provider.opened === 1) throw new Error('not loaded');
      return {
        name: 'test',
        async *write() {
          yield { kind: 'text', text: 'hello' };
        },
      };
    },
  } satisfies ModelProvider,
}));

it('opens the model again after a failure, and then only once', async () => {
  const model = { provider: 'openai-compatible', url: 'https://model.example', name: 'test' };
  const opened = openModel({ config: { model }, secrets: { modelKey: 'key' } } as unknown as Settings);
  const write = async (): Promise<ModelEvent[]> => {
    const { signal } = new AbortController();
    const events: ModelEvent[] = [];
    for await (const event of opened?.languageModel.write({} as ModelTurn, signal) ?? []) events.push(event);
    return events;
  };
  await expect(write()).rejects.toThrow('not loaded');
  expect(await write()).toEqual([{ kind: 'text', text: 'hello' }]);
  expect(await write()).toHaveLength(1);
  expect(provider.opened).toBe(2);
  await opened?.close();
});
