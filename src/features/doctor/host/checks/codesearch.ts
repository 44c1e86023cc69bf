import { Unavailable } from '../../../../foundation/kernel/errors.ts';
import { type CheckOutcome, fail, type HostCheck, pass, skipped, warning } from '../check.ts';

/** Which engine answers, and whether it can be asked with the settings of this host. */
export const codesearchCheck: HostCheck = {
  id: 'codesearch',
  title: 'Code search',
  async run({ config: { codesearch, database }, askCodeSearch }) {
    if (codesearch.kind === 'embedded') {
      return pass(
        database.dialect === 'postgres'
          ? 'It answers from DATA_DIR: servers and workers on several hosts need one volume, or CODESEARCH_URL.'
          : 'It answers from DATA_DIR.',
        { engine: codesearch.kind },
      );
    }
    const evidence = { engine: codesearch.kind, url: codesearch.url };
    if (askCodeSearch === undefined) return { ...skipped('It is not asked from here.'), evidence };
    try {
      const { version, ready } = await askCodeSearch();
      if (codesearch.kind === 'zoekt') return pass('Zoekt answers.', evidence);
      return answered(version, ready, evidence);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      return fail(error.message, 'Mend what it names, then run "orgctx doctor" again.', evidence);
    }
  },
};

function answered(version: string, ready: boolean, place: { engine: string; url: string }): CheckOutcome {
  const evidence = { ...place, version };
  if (ready) return pass(`The service answers and takes the secret (version ${version}).`, evidence);
  return warning(
    `The service answers (version ${version}) and says that it is not ready.`,
    'Ask its /readyz for the reason, and look at its log and disk.',
    evidence,
  );
}
