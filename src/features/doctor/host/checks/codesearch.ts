import { Unavailable } from '../../../../foundation/kernel/errors.ts';
import { type CheckOutcome, fail, type HostCheck, pass, skipped, warning } from '../check.ts';

/** Reports the configured engine and checks that this host can reach it with its settings. */
export const codesearchCheck: HostCheck = {
  id: 'codesearch',
  title: 'Code search',
  async run({ config: { codesearch, database }, askCodeSearch }) {
    if (codesearch.kind === 'embedded') {
      return pass(
        database.dialect === 'postgres'
          ? 'The embedded engine uses DATA_DIR: servers and workers on several hosts need one volume, or CODESEARCH_URL.'
          : 'The embedded engine uses DATA_DIR.',
        { engine: codesearch.kind },
      );
    }
    const evidence = { engine: codesearch.kind, url: codesearch.url };
    if (askCodeSearch === undefined)
      return { ...skipped('The service was not checked from this host.'), evidence };
    try {
      const { version, ready } = await askCodeSearch();
      if (codesearch.kind === 'zoekt') return pass('Zoekt answers.', evidence);
      return outcomeOf(version, ready, evidence);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      return fail(error.message, 'Fix the reported problem, then run "orgctx doctor" again.', evidence);
    }
  },
};

function outcomeOf(version: string, ready: boolean, place: { engine: string; url: string }): CheckOutcome {
  const evidence = { ...place, version };
  if (ready) return pass(`The service responds and accepts the secret (version ${version}).`, evidence);
  return warning(
    `The service responds (version ${version}) but reports that it is not ready.`,
    'Request its /readyz for the reason, and check its log and disk.',
    evidence,
  );
}
