import { onTestFinished } from 'vitest';
import { answerTools } from '../../../src/app/open/answer-tools.ts';
import { anthropic } from '../../../src/backends/models/ai-sdk/anthropic.ts';
import { openaiCompatible } from '../../../src/backends/models/ai-sdk/openai-compatible.ts';
import type { LanguageModel } from '../../../src/backends/models/port.ts';
import type { AdvisorDeps } from '../../../src/features/advisor/advisor-deps.ts';
import { modelLimits } from '../../../src/features/advisor/advisor-deps.ts';
import { createHttpClient } from '../../../src/foundation/net/http-client.ts';
import { type ModelService, type Script, startModelService } from '../../standins/model/model-service.ts';
import { type MemoryLog, memoryLog } from '../memory-log.ts';

export interface OpenedModel extends MemoryLog {
  readonly service: ModelService;
  readonly languageModel: LanguageModel;
  /** Returns the dependencies of the advisor with the model. */
  with(deps: AdvisorDeps): AdvisorDeps;
}

const providers = { 'openai-compatible': openaiCompatible, anthropic } as const;

export interface ModelOptions {
  readonly kind?: keyof typeof providers;
  readonly limits?: Partial<typeof modelLimits>;
  /** Default: the one that the service accepts. */
  readonly key?: string;
  /** Maximum time without a byte, in milliseconds. Default: 20 s. */
  readonly stallMs?: number;
}

/** Opens a scripted model for one test. */
export async function openModelForTest(script: Script, options: ModelOptions = {}): Promise<OpenedModel> {
  const { kind = 'openai-compatible', limits, stallMs = 20_000, key } = options;
  const service = await startModelService(script);
  const http = createHttpClient({ allowHosts: [] });
  onTestFinished(async () => {
    await http.close();
    await service[Symbol.asyncDispose]();
  });
  const access = { url: service.urls[kind], key: key ?? service.key, name: service.model };
  const languageModel = providers[kind].open(access, http, { stallMs, maxBytes: 4_000_000 });
  const logged = memoryLog();
  return {
    ...logged,
    service,
    languageModel,
    with: (deps) => ({
      ...deps,
      model: { languageModel, tools: answerTools, log: logged.log, limits: { ...modelLimits, ...limits } },
    }),
  };
}
