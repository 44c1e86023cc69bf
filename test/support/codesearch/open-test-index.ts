import {
  type EmbeddedCodeIndex,
  type EmbeddedDeps,
  openCodeIndex,
} from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import { definitionReader } from '../languages/find-definitions.ts';

/** Opens the writer of the indexes under a folder. All writers of a test process share its parse thread. */
export function openTestIndex(
  deps: Omit<Parameters<typeof openCodeIndex>[0], 'definitions'> & Pick<Partial<EmbeddedDeps>, 'definitions'>,
): EmbeddedCodeIndex {
  return openCodeIndex({ definitions: definitionReader, ...deps });
}
