import { expect, it, onTestFinished } from 'vitest';
import { startModelService } from '../standins/model/model-service.ts';
import { createRepository } from '../support/git/git-repository.ts';
import { startQuickstart } from '../support/program/program.ts';

it('SIGTERM ends a streamed answer within 10 s: with an error that says to ask again', async () => {
  const model = await startModelService(() => 'stall');
  onTestFinished(() => model[Symbol.asyncDispose]());
  const { folder } = createRepository({ 'src/invoice.ts': 'export function roundInvoice(): void {}\n' });
  const env = {
    MODEL_PROVIDER: 'openai-compatible',
    MODEL_NAME: model.model,
    MODEL_BASE_URL: model.urls['openai-compatible'],
    MODEL_API_KEY: model.key,
  };
  const service = await startQuickstart([folder], { env });
  onTestFinished(() => void service.stop('SIGKILL'));
  const { baseUrl, orgSlug, apiKey } = service.result;
  const conversations = `${baseUrl}/${orgSlug}/api/v1/conversations`;
  const headers = { authorization: `Bearer ${apiKey}` };
  const { id } = (await (await fetch(conversations, { method: 'POST', headers })).json()) as { id: string };
  const answer = await fetch(`${conversations}/${id}/messages`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ content: 'Where are invoices rounded?' }),
  });
  const reading = answer.text();
  await expect.poll(() => model.turns.length).toBe(1);
  const stopping = performance.now();
  expect(await service.stop()).toBe(0);
  expect(performance.now() - stopping).toBeLessThan(10_000);
  const events = (await reading).trimEnd().split('\n\n');
  expect(events[0]).toMatch(/^event: status\n/u);
  const [, problem = '{}'] = /^event: error\ndata: (.+)$/u.exec(events.at(-1) ?? '') ?? [];
  expect(JSON.parse(problem)).toMatchObject({
    code: 'shutting_down',
    detail: expect.stringContaining('Ask again in a minute'),
  });
  await model.untilLeft();
});
