import { ExternalServiceError } from '../../../../foundation/kernel/errors.ts';
import { type HostCheck, pass, skipped, warning } from '../check.ts';

/** Checks that the language model calls tools. Without it, answers are extracted, so a failure is a warning. */
export const modelCheck: HostCheck = {
  id: 'model',
  title: 'Language model',
  // A model on the same host may take long to read the prompt.
  timeoutMs: 25_000,
  async run({ config: { model }, askModel }) {
    if (model === undefined)
      return pass('No language model is configured: answers are extracted from the sources.');
    const { provider, name } = model;
    const evidence = { provider, name };
    if (askModel === undefined)
      return { ...skipped('The language model is only asked by "orgctx doctor" on the host.'), evidence };
    try {
      await askModel();
      return pass(`The language model ${name} answers and calls tools.`, evidence);
    } catch (error) {
      if (!(error instanceof ExternalServiceError)) throw error;
      return warning(
        error.message,
        'Until it answers, answers are extracted from the sources. Fix the setting or unset MODEL_PROVIDER.',
        evidence,
      );
    }
  },
};
