import {
  openCodeIndex,
  openCodeSearch,
} from '../../backends/codesearch/embedded/open-embedded-code-search.ts';
import { parsedDefinitions } from '../../backends/codesearch/parsed-definitions.ts';
import type { CodeIndex, CodeSearch, SourceReader } from '../../backends/codesearch/port.ts';
import {
  openRemoteCodeSearch,
  type RemoteCodeSearch,
} from '../../backends/codesearch/remote/open-remote-code-search.ts';
import { openZoektCodeIndex } from '../../backends/codesearch/zoekt/open-zoekt-code-index.ts';
import { openZoektCodeSearch } from '../../backends/codesearch/zoekt/open-zoekt-code-search.ts';
import { type FileParser, ParseQueue } from '../../backends/languages/port.ts';
import { dataFolder } from '../../foundation/kernel/data-folder.ts';
import { createHttpClient } from '../../foundation/net/http-client.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { codeSearchSecret } from '../codesearch-secret.ts';
import type { Settings } from './open-database.ts';

/** The engine that CODESEARCH_URL and CODESEARCH_KIND select, for searching. */
export interface AnswerEngine {
  readonly codeSearch: CodeSearch;
  /** `undefined` if files are read from the mirrors of this host. */
  readonly sources: SourceReader | undefined;
  close(): Promise<void>;
}

/** The engine that CODESEARCH_URL and CODESEARCH_KIND select, for indexing. */
export interface IndexEngine {
  readonly codeIndex: CodeIndex;
  close(): Promise<void>;
}

/**
 * Opens the engine without connecting; searches report an unreachable engine. The threads of the embedded engine start
 * once `startWhen` settles, by default at once.
 * @throws NotConfigured
 */
export function openAnswerEngine(settings: Settings, log: Logger, startWhen?: Promise<void>): AnswerEngine {
  const { codesearch, dataDir } = settings.config;
  switch (codesearch.kind) {
    case 'embedded': {
      const codeSearch = openCodeSearch({ root: dataFolder(dataDir).codesearch, log, startWhen });
      return { codeSearch, sources: undefined, close: () => codeSearch.close() };
    }
    case 'remote': {
      const { remote, close } = openRemote(settings, codesearch.url);
      return { codeSearch: remote.search, sources: remote.sources, close };
    }
    case 'zoekt': {
      const http = createHttpClient({ allowHosts: [] });
      const queue = new ParseQueue({ log });
      const codeSearch = openZoektCodeSearch({
        url: codesearch.url,
        http,
        definitions: parsedDefinitions(queue),
      });
      return {
        codeSearch,
        sources: undefined,
        async close() {
          await queue.close();
          await http.close();
        },
      };
    }
  }
}

/** Opens the engine for indexing; `parser` finds definitions. @throws NotConfigured */
export function openIndexEngine(
  settings: Settings,
  { log, parser }: { readonly log: Logger; readonly parser: FileParser },
): IndexEngine {
  const { codesearch, dataDir } = settings.config;
  switch (codesearch.kind) {
    case 'embedded': {
      const codeIndex = openCodeIndex({
        root: dataFolder(dataDir).codesearch,
        log,
        compression: settings.config.indexCompression,
        definitions: parsedDefinitions(parser),
      });
      return { codeIndex, close: async () => undefined };
    }
    case 'remote': {
      const { remote, close } = openRemote(settings, codesearch.url);
      return { codeIndex: remote.index, close };
    }
    case 'zoekt': {
      const http = createHttpClient({ allowHosts: [] });
      const { url, indexDir, gitIndex } = codesearch;
      const codeIndex = openZoektCodeIndex({ url, http, indexDir, gitIndex, log });
      return { codeIndex, close: () => http.close() };
    }
  }
}

interface OpenedRemote {
  readonly remote: RemoteCodeSearch;
  close(): Promise<void>;
}

function openRemote(settings: Settings, url: string): OpenedRemote {
  const secret = codeSearchSecret(settings);
  const http = createHttpClient({ allowHosts: [] });
  return { remote: openRemoteCodeSearch({ url, secret, http }), close: () => http.close() };
}

/** Logs the engine at start, and a requirement that only deployments with several hosts have. */
export function logEngine({ config }: Pick<Settings, 'config'>, log: Logger): void {
  const { codesearch, database, dataDir } = config;
  if (codesearch.kind !== 'embedded') {
    log.info({ engine: codesearch.kind, url: codesearch.url }, 'code search uses CODESEARCH_URL');
    return;
  }
  const note =
    database.dialect === 'postgres'
      ? 'code search uses DATA_DIR; workers on other hosts need the same volume, or set CODESEARCH_URL'
      : 'code search uses DATA_DIR';
  log.info({ engine: codesearch.kind, dataDir }, note);
}
